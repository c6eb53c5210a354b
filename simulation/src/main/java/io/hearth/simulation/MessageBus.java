package io.hearth.simulation;

import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.core.MalformedMessageException;
import io.hearth.election.Message;
import io.hearth.election.protobuf.MessageEncoding;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.GroupFrame;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.cluster.NodeProcess;
import io.hearth.simulation.fault.Expulsion;
import io.hearth.simulation.lie.Liar;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.WorldSetting;

/** Carries messages over the control links and frames over the streams, as the network lets it. */
final class MessageBus {
    private static final int WIRE_SAMPLE = 100;

    private final WorldSetting setting;
    private final Cluster cluster;
    private final Expulsion expulsion;
    private final Liar liar;

    MessageBus(WorldSetting setting, Cluster cluster, Expulsion expulsion, Liar liar) {
        this.setting = setting;
        this.cluster = cluster;
        this.expulsion = expulsion;
        this.liar = liar;
    }

    void send(ProcessContext from, NodeId to, Message message) {
        if (liar.is(from)) {
            liar.says(from, to, message).ifPresent(said -> carry(from, to, said));
        } else {
            carry(from, to, message);
        }
    }

    /** Carries a message over the link of both processes, if there is one. */
    private void carry(ProcessContext from, NodeId to, Message message) {
        if (message instanceof Message.Commit(var view)) {
            setting.viewChecker.learned(view);
        } else if (message instanceof Message.Prepare) {
            Violation.unless(!from.isLeaving(), "proposer", () -> from.host().name() + " leaves and proposes");
        } else if (message instanceof Message.Here here && here.status().isPresent()) {
            setting.viewChecker.answered(from.id(), from.incarnation(), here.lineage(), here.epoch(), here.ballot());
        }
        NodeProcess target = cluster.process(to).orElse(null);
        if (target == null || !cluster.areLinked(from, target)) {
            return;
        }
        if (setting.random.nextInt(WIRE_SAMPLE) == 0) {
            travels(message);
        }
        boolean isNews = expulsion.tells(from);
        int copies = setting.network.copies(from.host().index, target.host().index);
        for (int i = 0; i < copies; i++) {
            setting.after(
                    setting.network.delay(from.host().index, target.host().index),
                    () -> target.deliver(() -> {
                        if (isNews) {
                            expulsion.hears(target);
                        }
                        target.receive(
                                from.id(), from.incarnation(), liar.is(target) ? liar.hears(target, message) : message);
                    }));
        }
    }

    private static void travels(Message message) {
        try {
            Message arrived = MessageEncoding.decode(MessageEncoding.kind(message), MessageEncoding.encode(message));
            Violation.unless(message.equals(arrived), "wire", () -> "a message changed on its way: " + message);
        } catch (MalformedMessageException wrong) {
            throw new Violation("wire", "a message is refused as malformed: " + wrong.getMessage());
        }
    }

    /** Delivers a frame on a stream: late, but not lost while both processes live and use it. */
    void stream(ProcessContext from, NodeId to, GroupFrame frame) {
        cluster.process(to)
                .ifPresent(target -> setting.after(
                        setting.network.dataDelay(from.host().index, target.host().index),
                        () -> arrive(from, target, frame)));
    }

    private void arrive(ProcessContext from, NodeProcess target, GroupFrame frame) {
        if (!setting.network.isCutEitherWay(from.host().index, target.host().index)) {
            target.deliver(() -> target.trainer().ifPresent(trainer -> trainer.receive(frame)));
        } else if (from.isAlive()
                && target.isAlive()
                && from.fence()
                        .filter(fence ->
                                frame.fence().equals(fence) || frame.fence().startsWith(fence + ":"))
                        .isPresent()) {
            setting.after(50 * MILLI, () -> arrive(from, target, frame));
        }
    }
}
