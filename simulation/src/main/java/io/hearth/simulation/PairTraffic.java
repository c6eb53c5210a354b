package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * What one trainer sends to others of its group and receives from them, rank to rank, beside its collectives: as {@code Pairs} has
 * it, with threads of an application that send to any rank and receive from all.
 */
final class PairTraffic {
    final NodeProcess process;
    private final World world;
    private final Trainer trainer;
    private final SplittableRandom random;
    private final Map<NodeId, PairOut> outs = new TreeMap<>();
    private final Map<NodeId, PairIn> ins = new TreeMap<>();
    private Map<NodeId, String> members = Map.of(); // how the pair with each is called, but for who sends
    private String own = "";
    private String lineage = "";

    PairTraffic(NodeProcess process, Trainer trainer) {
        this.process = process;
        this.world = process.world;
        this.trainer = trainer;
        this.random = world.pairs.random;
        if (world.hasPairs) {
            sendLater();
            receiveLater();
        }
    }

    boolean isFrozen() {
        return trainer.state().frozen().isPresent();
    }

    private boolean mayCall() {
        return !trainer.script().isOver()
                && members.size() > 1
                && trainer.view().isPresent();
    }

    private long patienceNanos() {
        return world.isFaulty() ? 50 * MILLI + random.nextLong(3 * SECOND) : 8 * SECOND;
    }

    private void sendLater() {
        world.after(
                20 * MILLI + random.nextLong(200 * MILLI),
                () -> process.deliver(() -> {
                    if (mayCall()) {
                        List<NodeId> others = others();
                        NodeId to = others.get(random.nextInt(others.size()));
                        outs.computeIfAbsent(
                                        to, peer -> new PairOut(this, peer, name(own, members.getOrDefault(peer, ""))))
                                .send(patienceNanos());
                    }
                    sendLater();
                }));
    }

    private void receiveLater() {
        world.after(
                20 * MILLI + random.nextLong(100 * MILLI),
                () -> process.deliver(() -> {
                    if (mayCall()) {
                        for (NodeId from : others()) {
                            if (random.nextBoolean()) {
                                ins.computeIfAbsent(
                                                from,
                                                peer -> new PairIn(
                                                        this, peer, name(members.getOrDefault(peer, ""), own)))
                                        .receive(patienceNanos());
                            }
                        }
                    }
                    receiveLater();
                }));
    }

    private List<NodeId> others() {
        return members.keySet().stream()
                .filter(node -> !node.equals(process.host.id))
                .toList();
    }

    private String name(String sender, String receiver) {
        return lineage + " " + sender + " to " + receiver;
    }

    /** The receiving end of a pair, where it can be reached. */
    Optional<PairIn> otherEnd(NodeId peer, String pair) {
        return world.cluster
                .host(peer)
                .filter(host -> !world.network.isCutEitherWay(process.host.index, host.index))
                .flatMap(Host::process)
                .filter(other -> !other.isPaused())
                .flatMap(NodeProcess::trainer)
                .filter(other -> other.state()
                        .layout()
                        .fence()
                        .equals(trainer.state().layout().fence()))
                .flatMap(other -> Optional.ofNullable(other.pairs().ins.get(process.host.id)))
                .filter(end -> end.pair.equals(pair));
    }

    /** A committed view, before the group takes it: what belongs to those who are not the same members any more is over. */
    void installed(View view) {
        String before = lineage + own;
        var now = new TreeMap<NodeId, String>();
        for (Member member : view.group(process.host.group)) {
            now.put(member.node(), world.name(member.node()) + "." + member.incarnation() + "@" + member.entryEpoch());
        }
        lineage = World.text(view.lineage());
        own = now.getOrDefault(process.host.id, "");
        for (Map.Entry<NodeId, String> known : members.entrySet()) {
            if (!before.equals(lineage + own) || !known.getValue().equals(now.get(known.getKey()))) {
                end(known.getKey());
            }
        }
        members = now;
    }

    private void end(NodeId peer) {
        Optional.ofNullable(outs.remove(peer)).ifPresent(PairEnd::end);
        Optional.ofNullable(ins.remove(peer)).ifPresent(PairEnd::end);
    }

    /** The group epoch is another one now. */
    void renewed() {
        outs.values().forEach(PairEnd::renew);
        ins.values().forEach(PairEnd::renew);
    }

    /** Data threads run again. */
    void pump() {
        List.copyOf(outs.values()).forEach(PairEnd::pump);
        List.copyOf(ins.values()).forEach(PairEnd::pump);
    }

    /** The application got an error: all that is open ends. */
    void over() {
        List.copyOf(members.keySet()).forEach(this::end);
        members = Map.of();
    }
}
