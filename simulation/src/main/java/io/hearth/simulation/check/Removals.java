package io.hearth.simulation.check;

import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.cluster.NodeProcess;
import io.hearth.simulation.fault.Expulsion;
import io.hearth.simulation.fault.Outages;
import io.hearth.simulation.lie.Liar;
import io.hearth.simulation.rule.ViewChecker;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks each removal of a member (L3). A process that runs, did not ask to leave and was heard by the proposer must stay. No member
 * may be removed after an outage of the whole network if all links come back within a second.
 */
public final class Removals implements Outages.Listener {
    private static final long BACK_NANOS = SECOND;
    private static final long AFTER_OUTAGE_NANOS = 10 * SECOND;

    /** The lineage of a process and the time since when it lives there. */
    private record Residence(Lineage lineage, long sinceNanos) {}

    private final WorldSetting setting;
    private final Cluster cluster;
    private final Dissolutions dissolutions;
    private final Expulsion expulsion;
    private final Liar liar;
    private final Map<NodeProcess, Residence> residences = new HashMap<>();
    private final Map<io.hearth.identity.NodeId, Long> removed = new HashMap<>();
    private final Set<NodeProcess> apart = new HashSet<>(); // removed while one of the others had no link to it
    private final List<String> afterOutage = new ArrayList<>();
    private long outageBegan = -1;
    private long outageEnded = -1;
    private boolean wasMeshed;
    private boolean isWatching; // while all links may still come back in time, or did
    private boolean areBack;

    public Removals(WorldSetting setting, Cluster cluster, Dissolutions dissolutions, Expulsion expulsion, Liar liar) {
        this.setting = setting;
        this.cluster = cluster;
        this.dissolutions = dissolutions;
        this.expulsion = expulsion;
        this.liar = liar;
    }

    public void installed(NodeProcess process, View view) {
        Residence known = residences.get(process);
        if (known == null || !known.lineage().equals(view.lineage())) {
            residences.put(process, new Residence(view.lineage(), setting.now()));
        }
    }

    /** The longest remaining readmission delay of any node. */
    long heldNanosMax() {
        long most = liar.resigns()
                ? Long.MAX_VALUE
                : removed.values().stream().mapToLong(Long::longValue).max().orElse(0);
        return setting.spans.heldNanosMax(most);
    }

    /** A quorum accepted a successor. */
    public void committed(ViewChecker.Succession change) {
        setting.statistics.view();
        expulsion.committed(change);
        if (change.view().isTombstone()) {
            dissolutions.ended(change);
        }
        for (Member member : change.before().members()) {
            if (change.view().member(member.node()).equals(Optional.of(member))) {
                continue;
            }
            removed.merge(member.node(), 1L, Long::sum);
            cluster.running(member)
                    .filter(process -> !cluster.isLinkedToAll(process))
                    .ifPresent(apart::add);
            if (!change.view().isTombstone()) {
                cluster.running(member)
                        .filter(process -> livesThere(process, change, change.beganNanos()))
                        .ifPresent(process -> judge(process, change));
            }
        }
    }

    /** The others went on without a process, or its lineage ended. A process without a link to one of them is half of a broken pair. */
    public void removed(NodeProcess process, View before) {
        dissolutions.removed(process, before);
        boolean isOver = setting.viewChecker
                .newest(before.lineage())
                .filter(View::isTombstone)
                .isPresent();
        boolean wasLinked = cluster.isLinkedToAll(process) && !apart.contains(process);
        Violation.unless(
                isOver || !wasLinked || !setting.profile.isMild(),
                "L1",
                () -> process.host().name() + " was removed though it was well");
    }

    private boolean livesThere(NodeProcess process, ViewChecker.Succession change, long since) {
        Residence residence = residences.get(process);
        return residence != null
                && residence.lineage().equals(change.view().lineage())
                && process.state().view().lineage().equals(change.view().lineage())
                && residence.sinceNanos() < since
                && !process.isLeaving();
    }

    private void judge(NodeProcess process, ViewChecker.Succession change) {
        Optional<String> excuse = excuse(process, change);
        String what = process.host().name() + " was removed by "
                + setting.name(change.ballot().proposer()) + " in epoch "
                + change.view().epoch();
        setting.note(what + ": " + excuse.orElse("no excuse"));
        if (liar.is(process) || expulsion.isOut(process.host())) {
            return; // the protocol promises it nothing
        }
        Violation.unless(excuse.isPresent(), "L3", () -> what + " though it was well and heard");
        if (isWatching && isOfOutageOnly(process, change)) {
            afterOutage.add(what);
            linksChanged();
        }
    }

    /** A valid reason for a removal; empty if the member was well and the proposer heard it. */
    private Optional<String> excuse(NodeProcess process, ViewChecker.Succession change) {
        long from = change.beganNanos() - setting.spans.heardNanos();
        Optional<NodeProcess> proposer =
                change.before().member(change.ballot().proposer()).flatMap(cluster::running);
        if (process.pausedUntil() >= from) {
            return Optional.of("it stood still");
        }
        if (expulsion.isOut(process.host())) {
            return Optional.of("it was put out");
        }
        if (proposer.filter(liar::is).isPresent()) {
            return Optional.of("the liar proposed that"); // a proposer can leave any member out
        }
        if (proposer.filter(other -> wereJoined(process, other, from)).isEmpty()) {
            return Optional.of("the proposer did not hear it all the time");
        }
        return isOfBrokenPair(process, change) ? Optional.of("it did not reach a member that stays") : Optional.empty();
    }

    /** Whether both heard each other all that time. */
    private boolean wereJoined(NodeProcess one, NodeProcess other, long from) {
        return cluster.linkedSince(one, other).filter(since -> since < from).isPresent()
                && setting.network.undisturbedSince(one.host().index, other.host().index) < from;
    }

    /** Whether it and a kept member do not reach each other, which may have been the reason. */
    private boolean isOfBrokenPair(NodeProcess process, ViewChecker.Succession change) {
        long from = change.beganNanos() - setting.spans.brokenPairNanos();
        return change.view().members().stream()
                .flatMap(kept -> cluster.running(kept).stream())
                .anyMatch(kept -> kept != process && !wereJoined(process, kept, from));
    }

    // ---- outages of the whole network

    @Override
    public void outageBegins() {
        outageBegan = setting.now();
        wasMeshed = cluster.isMeshed();
        isWatching = false;
        afterOutage.clear();
    }

    @Override
    public void outageEnds() {
        outageEnded = setting.now();
        isWatching = wasMeshed;
        areBack = false;
        setting.after(AFTER_OUTAGE_NANOS, () -> isWatching &= setting.now() - outageEnded < AFTER_OUTAGE_NANOS);
    }

    @Override
    public void absenceBegins() {
        isWatching = false;
    }

    /** In a view of three machines and more no machine is a quorum by itself, so nothing was decided during the outage. */
    private boolean isOfOutageOnly(NodeProcess process, ViewChecker.Succession change) {
        boolean isUndisturbed = cluster.processes().stream()
                .allMatch(other -> other == process
                        || setting.network.undisturbedButForOutages(process.host().index, other.host().index)
                                < outageBegan);
        return ViewChecker.machines(change.before()).size() > 2
                && livesThere(process, change, outageBegan)
                && process.pausedUntil() < outageBegan
                && change.beganNanos() < outageEnded + BACK_NANOS + setting.spans.heardNanos()
                && isUndisturbed;
    }

    /** Checks, once all links are back, whether they came back in time. */
    @Override
    public void linksChanged() {
        if (!isWatching) {
            return;
        }
        if (!areBack && cluster.isMeshed() && !setting.network.isAnyCut()) {
            areBack = true;
            isWatching = setting.now() - outageEnded <= BACK_NANOS;
        }
        Violation.unless(
                !areBack || !isWatching || afterOutage.isEmpty(),
                "L3",
                () -> afterOutage.getFirst() + " after an outage");
    }
}
