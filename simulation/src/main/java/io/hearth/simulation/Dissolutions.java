package io.hearth.simulation;

import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.collective.group.Status;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Looks at each end of a lineage. A ballot ends one at a boundary of its groups, and for a lineage that is better. A node gives one up
 * only if its machine's record is lost, or so many others that no quorum is left (I10).
 */
final class Dissolutions {
    /** What was true so long ago may still be believed. */
    private static final long STALE_NANOS = 5 * SECOND;

    private final World world;
    private final Map<Lineage, List<Size>> sizes = new TreeMap<>();
    private final Map<NodeId, LastWord> lastWords = new HashMap<>();

    /** Where a process lived until it died or was removed. */
    private record LastWord(long atNanos, View view) {}

    /** How many members a lineage had from then on. */
    private record Size(long sinceNanos, int members) {}

    Dissolutions(World world) {
        this.world = world;
    }

    /** What a process said before it died is believed for a moment. */
    void died(NodeProcess process) {
        removed(process, process.state().view());
    }

    /** Also what it said before it heard that it was removed. */
    void removed(NodeProcess process, View before) {
        lastWords.put(process.host.id, new LastWord(world.now(), before));
    }

    /** A view is committed. */
    void committed(View view) {
        sizes.computeIfAbsent(view.lineage(), _ -> new ArrayList<>())
                .add(new Size(world.now(), view.members().size()));
    }

    /** A quorum accepted the end of a lineage. */
    void ended(ViewChecker.Succession change) {
        for (Member member : change.before().members()) {
            world.cluster
                    .running(member)
                    .filter(process -> !process.isLeaving() && world.viewChecker.hasAnswered(change, member))
                    .flatMap(NodeProcess::trainer)
                    .ifPresent(trainer -> isAtBoundary(member, trainer.reported()));
        }
        Optional<NodeProcess> proposer = proposer(change);
        long stale = staleNanos(proposer);
        boolean isKnown = !world.profile.has(FaultKind.NONSENSE)
                && !world.profile.has(FaultKind.LATE_MESSAGE)
                && !world.liar.boasts();
        Violation.unless(
                !isKnown
                        || isClaimed(change, proposer)
                        || sizes.entrySet().stream()
                                .anyMatch(other -> wasBetter(other.getKey(), other.getValue(), change.before(), stale)),
                "merge",
                () -> world.name(change.ballot().proposer()) + " ended a lineage of "
                        + change.before().members().size() + " members though none is better");
    }

    /** A node gives its lineage up, without a ballot. A person may have asked it to go on alone. */
    void givenUp(NodeProcess process, View before) {
        if (process.state().view().lineage().continued() || world.liar.forges()) {
            return;
        }
        View view = process.state().newest(before.lineage()).orElse(before); // it may have learned that a moment ago
        var voting = new TreeSet<PeerId>();
        for (Host host : world.cluster.hosts()) {
            PeerId machine = host.id.peer();
            if (host.disk.votes(view, machine) && !world.expulsion.isOut(host)) {
                voting.add(machine);
            }
        }
        Violation.unless(
                !voting.contains(process.host.id.peer()) || !ViewChecker.isQuorum(view, voting),
                "I10",
                () -> process.host.name() + " gave up epoch " + view.epoch() + " though a quorum can still vote");
    }

    private void isAtBoundary(Member member, Status status) {
        Violation.unless(
                status.called() == 0 || status.boundary(),
                "boundary",
                () -> "a lineage ends though " + world.name(member.node()) + " is in the middle of a step");
    }

    /** A process lives in a better lineage as far as it knows, and the proposer's own record does not know better. */
    private boolean isClaimed(ViewChecker.Succession change, Optional<NodeProcess> proposer) {
        Stream<View> dead = lastWords.values().stream()
                .filter(word -> world.now() - word.atNanos() < STALE_NANOS)
                .map(LastWord::view);
        Stream<View> alive = world.cluster.processes().stream()
                .map(process -> process.state().view());
        return Stream.concat(alive, dead)
                .anyMatch(claim -> isBetter(claim.lineage(), claim.members().size(), change.before())
                        && proposer.flatMap(process -> process.state().newest(claim.lineage()))
                                .filter(known -> known.epoch() > claim.epoch())
                                .isEmpty());
    }

    private Optional<NodeProcess> proposer(ViewChecker.Succession change) {
        return change.before().member(change.ballot().proposer()).flatMap(world.cluster::running);
    }

    /** Since when what was true may still be believed: who stood still until a moment ago knows the world of before. */
    private long staleNanos(Optional<NodeProcess> proposer) {
        long stale = world.now() - STALE_NANOS - world.spans.heardNanos();
        long still = proposer.filter(process -> process.pausedUntil() > stale)
                .map(NodeProcess::pauseNanos)
                .orElse(0L);
        return stale - still;
    }

    /** Whether a lineage was better after {@code stale}. */
    private static boolean wasBetter(Lineage other, List<Size> history, View view, long stale) {
        for (Size size : history.reversed()) {
            if (isBetter(other, size.members(), view)) {
                return true;
            }
            if (size.sinceNanos() < stale) {
                return false; // what it had before that is long ago
            }
        }
        return false;
    }

    /** By continued, then members, then birth. */
    private static boolean isBetter(Lineage other, int members, View view) {
        if (other.equals(view.lineage())) {
            return false;
        }
        if (other.continued() != view.lineage().continued()) {
            return view.lineage().continued();
        }
        int own = view.members().size();
        return members > own || (members == own && other.compareTo(view.lineage()) < 0);
    }
}
