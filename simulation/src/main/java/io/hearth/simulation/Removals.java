package io.hearth.simulation;

import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.View;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Looks at each removal of a member (L3): a process that runs, did not ask to leave and was heard by the proposer stays. Nor is
 * anybody removed after an outage of the whole network in which all links come back within a second.
 */
final class Removals {
    private static final long BACK_NANOS = SECOND;
    private static final long AFTER_OUTAGE_NANOS = 10 * SECOND;

    /** Where a process lives, and since when. */
    private record Residence(Lineage lineage, long sinceNanos) {}

    private final World world;
    private final Map<NodeProcess, Residence> residences = new HashMap<>();
    private final Map<io.hearth.identity.NodeId, Long> removed = new HashMap<>();
    private final Set<NodeProcess> apart = new HashSet<>(); // removed while one of the others had no link to it
    private final List<String> afterOutage = new ArrayList<>();
    private long outageBegan = -1;
    private long outageEnded = -1;
    private boolean wasMeshed;
    private boolean isWatching; // as long as all links may be or are back in time
    private boolean areBack;

    Removals(World world) {
        this.world = world;
    }

    void installed(NodeProcess process, View view) {
        Residence known = residences.get(process);
        if (known == null || !known.lineage().equals(view.lineage())) {
            residences.put(process, new Residence(view.lineage(), world.now()));
        }
    }

    /** The longest that any node may still have to wait outside because it was removed before. */
    long heldNanosMax() {
        long most = world.liar.resigns()
                ? Long.MAX_VALUE
                : removed.values().stream().mapToLong(Long::longValue).max().orElse(0);
        return world.spans.heldNanosMax(most);
    }

    /** A quorum accepted a successor. */
    void committed(ViewChecker.Succession change) {
        world.tally.view();
        world.expulsion.committed(change);
        if (change.view().isTombstone()) {
            world.dissolutions.ended(change);
        }
        for (Member member : change.before().members()) {
            if (change.view().member(member.node()).equals(Optional.of(member))) {
                continue;
            }
            removed.merge(member.node(), 1L, Long::sum);
            world.cluster
                    .running(member)
                    .filter(process -> !world.cluster.isLinkedToAll(process))
                    .ifPresent(apart::add);
            if (!change.view().isTombstone()) {
                world.cluster
                        .running(member)
                        .filter(process -> livesThere(process, change, change.beganNanos()))
                        .ifPresent(process -> judge(process, change));
            }
        }
    }

    /** Whether it had no link to one of the others when they went on without it. */
    boolean wasApart(NodeProcess process) {
        return apart.contains(process);
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
        String what = process.host.name() + " was removed by "
                + world.name(change.ballot().proposer()) + " in epoch "
                + change.view().epoch();
        world.note(what + ": " + excuse.orElse("no excuse"));
        if (world.liar.is(process) || world.expulsion.isOut(process.host)) {
            return; // nothing is promised to it
        }
        Violation.unless(excuse.isPresent(), "L3", () -> what + " though it was well and heard");
        if (isWatching && isOfOutageOnly(process, change)) {
            afterOutage.add(what);
            lookAtLinks();
        }
    }

    /** Why a member may have been removed; empty if it was well, and heard by whoever proposed that. */
    private Optional<String> excuse(NodeProcess process, ViewChecker.Succession change) {
        long from = change.beganNanos() - world.spans.heardNanos();
        Optional<NodeProcess> proposer =
                change.before().member(change.ballot().proposer()).flatMap(world.cluster::running);
        if (process.pausedUntil() >= from) {
            return Optional.of("it stood still");
        }
        if (world.expulsion.isOut(process.host)) {
            return Optional.of("it was put out");
        }
        if (proposer.filter(world.liar::is).isPresent()) {
            return Optional.of("the liar proposed that"); // who proposes can leave anybody out
        }
        if (proposer.filter(other -> wereJoined(process, other, from)).isEmpty()) {
            return Optional.of("the proposer did not hear it all the time");
        }
        return isOfBrokenPair(process, change) ? Optional.of("it did not reach a member that stays") : Optional.empty();
    }

    /** Whether both heard each other all that time. */
    private boolean wereJoined(NodeProcess one, NodeProcess other, long from) {
        return world.cluster
                        .linkedSince(one, other)
                        .filter(since -> since < from)
                        .isPresent()
                && world.network.undisturbedSince(one.host.index, other.host.index) < from;
    }

    /** It may have been taken out because it and a member that stays do not reach each other. */
    private boolean isOfBrokenPair(NodeProcess process, ViewChecker.Succession change) {
        long from = change.beganNanos() - world.spans.brokenPairNanos();
        return change.view().members().stream()
                .flatMap(kept -> world.cluster.running(kept).stream())
                .anyMatch(kept -> kept != process && !wereJoined(process, kept, from));
    }

    // ---- outages of the whole network

    void outageBegins() {
        outageBegan = world.now();
        wasMeshed = world.cluster.isMeshed();
        isWatching = false;
        afterOutage.clear();
    }

    /** The first pair may come back now, after an outage of any length. */
    void outageEnds() {
        outageEnded = world.now();
        isWatching = wasMeshed;
        areBack = false;
        world.after(AFTER_OUTAGE_NANOS, () -> isWatching &= world.now() - outageEnded < AFTER_OUTAGE_NANOS);
    }

    /** One machine goes away: what follows is not of the outage alone. */
    void absenceBegins() {
        isWatching = false;
    }

    /** In a view of three machines and more no machine is a quorum by itself, so nothing was decided during the outage. */
    private boolean isOfOutageOnly(NodeProcess process, ViewChecker.Succession change) {
        boolean isUndisturbed = world.cluster.processes().stream()
                .allMatch(other -> other == process
                        || world.network.undisturbedButForOutages(process.host.index, other.host.index) < outageBegan);
        return ViewChecker.machines(change.before()).size() > 2
                && livesThere(process, change, outageBegan)
                && process.pausedUntil() < outageBegan
                && change.beganNanos() < outageEnded + BACK_NANOS + world.spans.heardNanos()
                && isUndisturbed;
    }

    /** Once all links are back it is known whether they came back in time. */
    void lookAtLinks() {
        if (!isWatching) {
            return;
        }
        if (!areBack && world.cluster.isMeshed() && !world.network.isAnyCut()) {
            areBack = true;
            isWatching = world.now() - outageEnded <= BACK_NANOS;
        }
        Violation.unless(
                !areBack || !isWatching || afterOutage.isEmpty(),
                "L3",
                () -> afterOutage.getFirst() + " after an outage");
    }
}
