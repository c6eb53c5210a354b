package io.hearth.simulation.pair;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.collective.group.GroupMachine;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.setting.WorldSetting;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Sends and receives of one trainer from rank to rank, beside its collectives, as in {@code PointToPoint}: threads of an application
 * send to any rank and receive from all.
 */
public final class PairTraffic {
    final ProcessContext process;
    private final WorldSetting setting;
    private final Supplier<GroupMachine.State> state;
    private final BooleanSupplier isAtWork;
    private final Function<NodeId, Optional<PairTraffic>> others;
    private final SplittableRandom random;
    private final Map<NodeId, PairOut> outs = new TreeMap<>();
    private final Map<NodeId, PairIn> ins = new TreeMap<>();
    private Map<NodeId, String> members = Map.of(); // names of this trainer's pairs, without the direction
    private String own = "";
    private String lineage = "";

    /**
     * The traffic of one trainer.
     *
     * @param state of its group machine
     * @param isAtWork whether its application may call
     * @param others the traffic of each member whose process runs and is not paused
     */
    public PairTraffic(
            ProcessContext process,
            Supplier<GroupMachine.State> state,
            BooleanSupplier isAtWork,
            Function<NodeId, Optional<PairTraffic>> others) {
        this.process = process;
        this.setting = process.setting();
        this.state = state;
        this.isAtWork = isAtWork;
        this.others = others;
        this.random = setting.pairs.random;
        if (setting.hasPairs) {
            sendLater();
            receiveLater();
        }
    }

    boolean isFrozen() {
        return state.get().frozen().isPresent();
    }

    private boolean mayCall() {
        return isAtWork.getAsBoolean() && members.size() > 1;
    }

    private long patienceNanos() {
        return setting.isFaulty() ? 50 * MILLI + random.nextLong(3 * SECOND) : 8 * SECOND;
    }

    private void sendLater() {
        setting.after(
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
        setting.after(
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

    private String fence() {
        return state.get().layout().fence();
    }

    private List<NodeId> others() {
        return members.keySet().stream()
                .filter(node -> !node.equals(process.id()))
                .toList();
    }

    private String name(String sender, String receiver) {
        return lineage + " " + sender + " to " + receiver;
    }

    /** The receiving end of a pair, if it can be reached. */
    Optional<PairIn> otherEnd(NodeId peer, String pair) {
        return setting.host(peer)
                .filter(host -> !setting.network.isCutEitherWay(process.host().index, host.index))
                .flatMap(host -> others.apply(host.id))
                .filter(other -> other.fence().equals(fence()))
                .flatMap(other -> Optional.ofNullable(other.ins.get(process.id())))
                .filter(end -> end.pair.equals(pair));
    }

    /** A view is committed, before the group installs it: transfers with nodes that are not the same members any more end. */
    public void installed(View view) {
        String before = lineage + own;
        var now = new TreeMap<NodeId, String>();
        for (Member member : view.group(process.host().group)) {
            now.put(
                    member.node(),
                    setting.name(member.node()) + "." + member.incarnation() + "@" + member.entryEpoch());
        }
        lineage = WorldSetting.text(view.lineage());
        own = now.getOrDefault(process.id(), "");
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

    /** The group epoch changed. */
    public void renewed() {
        outs.values().forEach(PairEnd::renew);
        ins.values().forEach(PairEnd::renew);
    }

    /** The data threads run again. */
    public void pump() {
        List.copyOf(outs.values()).forEach(PairEnd::pump);
        List.copyOf(ins.values()).forEach(PairEnd::pump);
    }

    /** The application got an error: all open transfers end. */
    public void over() {
        List.copyOf(members.keySet()).forEach(this::end);
        members = Map.of();
    }
}
