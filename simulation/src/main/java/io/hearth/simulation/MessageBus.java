package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;

import io.hearth.core.MalformedMessageException;
import io.hearth.election.Message;
import io.hearth.election.protobuf.MessageCodec;
import io.hearth.identity.NodeId;

/** Carries messages over the control links and frames over the streams, as the network lets it. */
final class MessageBus {
    private static final int WIRE_SAMPLE = 100;

    private final World world;

    MessageBus(World world) {
        this.world = world;
    }

    void send(NodeProcess from, NodeId to, Message message) {
        if (world.liar.is(from)) {
            world.liar.says(from, to, message);
        } else {
            carry(from, to, message);
        }
    }

    /** Carries what is really said. */
    void carry(NodeProcess from, NodeId to, Message message) {
        if (message instanceof Message.Commit(var view)) {
            world.viewChecker.learned(view);
        } else if (message instanceof Message.Prepare) {
            Violation.unless(!from.isLeaving(), "proposer", () -> from.host.name() + " leaves and proposes");
        } else if (message instanceof Message.Here here && here.status().isPresent()) {
            world.viewChecker.answered(from, here.lineage(), here.epoch(), here.ballot());
        }
        NodeProcess target = world.cluster.host(to).flatMap(Host::process).orElse(null);
        if (target == null || !world.cluster.areLinked(from, target)) {
            return;
        }
        if (world.random.nextInt(WIRE_SAMPLE) == 0) {
            travels(message);
        }
        boolean isNews = world.expulsion.tells(from);
        int copies = world.network.copies(from.host.index, target.host.index);
        for (int i = 0; i < copies; i++) {
            world.after(
                    world.network.delay(from.host.index, target.host.index),
                    () -> target.deliver(() -> {
                        if (isNews) {
                            world.expulsion.hears(target);
                        }
                        target.receive(
                                from.host.id,
                                from.incarnation,
                                world.liar.is(target) ? world.liar.hears(target, message) : message);
                    }));
        }
    }

    private static void travels(Message message) {
        try {
            Message arrived = MessageCodec.decode(MessageCodec.kind(message), MessageCodec.encode(message));
            Violation.unless(message.equals(arrived), "wire", () -> "a message changed on its way: " + message);
        } catch (MalformedMessageException wrong) {
            throw new Violation("wire", "a message is refused as malformed: " + wrong.getMessage());
        }
    }

    /** On a stream of both processes: late, but not lost while both live and use it. */
    void stream(NodeProcess from, NodeId to, Frame frame) {
        world.cluster
                .host(to)
                .flatMap(Host::process)
                .ifPresent(target -> world.after(
                        world.network.dataDelay(from.host.index, target.host.index),
                        () -> arrive(from, target, frame)));
    }

    private void arrive(NodeProcess from, NodeProcess target, Frame frame) {
        if (!world.network.isCutEitherWay(from.host.index, target.host.index)) {
            target.deliver(() -> target.trainer().ifPresent(trainer -> trainer.receive(frame)));
        } else if (from.isAlive()
                && target.isAlive()
                && from.trainer()
                        .filter(trainer -> trainer.state().layout().fence().equals(frame.fence()))
                        .isPresent()) {
            world.after(50 * MILLI, () -> arrive(from, target, frame));
        }
    }
}
