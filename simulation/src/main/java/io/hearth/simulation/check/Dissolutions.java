package io.hearth.simulation.check;

import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.collective.group.Status;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.cluster.NodeProcess;
import io.hearth.simulation.fault.Expulsion;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.lie.Liar;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.rule.ViewChecker;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Checks each end of a lineage. A ballot may end a lineage only at a boundary of its groups and for a better lineage. A node may give
 * a lineage up only if its machine's record is lost, or too many other records for a quorum (I10).
 */
public final class Dissolutions {
    /** Nodes may still believe facts of this age. */
    private static final long STALE_NANOS = 5 * SECOND;

    private final WorldSetting setting;
    private final Cluster cluster;
    private final Expulsion expulsion;
    private final Liar liar;
    private final Map<Lineage, List<Size>> sizes = new TreeMap<>();
    private final Map<NodeId, LastWord> lastWords = new HashMap<>();

    /** The view of a process when it died or was removed. */
    private record LastWord(long atNanos, View view) {}

    /** The number of members of a lineage from an instant on. */
    private record Size(long sinceNanos, int members) {}

    public Dissolutions(WorldSetting setting, Cluster cluster, Expulsion expulsion, Liar liar) {
        this.setting = setting;
        this.cluster = cluster;
        this.expulsion = expulsion;
        this.liar = liar;
    }

    /** Others still believe a dead process's last messages for a moment. */
    public void died(ProcessContext process) {
        removed(process, process.state().view());
    }

    /** Others also believe messages that a member sent before it learned of its removal. */
    void removed(ProcessContext process, View before) {
        lastWords.put(process.id(), new LastWord(setting.now(), before));
    }

    /** A view is committed. */
    public void committed(View view) {
        sizes.computeIfAbsent(view.lineage(), _ -> new ArrayList<>())
                .add(new Size(setting.now(), view.members().size()));
    }

    /** A quorum accepted the end of a lineage. */
    void ended(ViewChecker.Succession change) {
        for (Member member : change.before().members()) {
            cluster.running(member)
                    .filter(process -> !process.isLeaving() && setting.viewChecker.hasAnswered(change, member))
                    .flatMap(NodeProcess::trainer)
                    .ifPresent(trainer -> isAtBoundary(member, trainer.reported()));
        }
        Optional<NodeProcess> proposer = proposer(change);
        long stale = staleNanos(proposer);
        boolean isKnown = !setting.profile.has(FaultKind.NONSENSE)
                && !setting.profile.has(FaultKind.LATE_MESSAGE)
                && !liar.boasts();
        Violation.unless(
                !isKnown
                        || isClaimed(change, proposer)
                        || sizes.entrySet().stream()
                                .anyMatch(other -> wasBetter(other.getKey(), other.getValue(), change.before(), stale)),
                "merge",
                () -> setting.name(change.ballot().proposer()) + " ended a lineage of "
                        + change.before().members().size() + " members though none is better");
    }

    /** A node gives its lineage up, without a ballot. A person may have asked it to go on alone. */
    public void givenUp(NodeProcess process, View before) {
        if (process.state().view().lineage().continued() || liar.forges()) {
            return;
        }
        View view = process.state().newest(before.lineage()).orElse(before); // it may have learned a newer one just now
        var voting = new TreeSet<PeerId>();
        for (Host host : cluster.hosts()) {
            PeerId machine = host.id.peer();
            if (host.disk.votes(view, machine) && !expulsion.isOut(host)) {
                voting.add(machine);
            }
        }
        Violation.unless(
                !voting.contains(process.id().peer()) || !ViewChecker.isQuorum(view, voting),
                "I10",
                () -> process.host().name() + " gave up epoch " + view.epoch() + " though a quorum can still vote");
    }

    private void isAtBoundary(Member member, Status status) {
        Violation.unless(
                status.called() == 0 || status.boundary(),
                "boundary",
                () -> "a lineage ends though " + setting.name(member.node()) + " is in the middle of a step");
    }

    /** Whether a process believes that it lives in a better lineage, and the proposer's own record does not contradict it. */
    private boolean isClaimed(ViewChecker.Succession change, Optional<NodeProcess> proposer) {
        Stream<View> dead = lastWords.values().stream()
                .filter(word -> setting.now() - word.atNanos() < STALE_NANOS)
                .map(LastWord::view);
        Stream<View> alive =
                cluster.processes().stream().map(process -> process.state().view());
        return Stream.concat(alive, dead)
                .anyMatch(claim -> isBetter(claim.lineage(), claim.members().size(), change.before())
                        && proposer.flatMap(process -> process.state().newest(claim.lineage()))
                                .filter(known -> known.epoch() > claim.epoch())
                                .isEmpty());
    }

    private Optional<NodeProcess> proposer(ViewChecker.Succession change) {
        return change.before().member(change.ballot().proposer()).flatMap(cluster::running);
    }

    /** The instant since which facts may still be believed. A proposer that was paused knows the world from before its pause. */
    private long staleNanos(Optional<NodeProcess> proposer) {
        long stale = setting.now() - STALE_NANOS - setting.spans.heardNanos();
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
                return false; // its earlier size is too old
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
