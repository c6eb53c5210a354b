package io.hearth.parameterserver.machine;

import io.hearth.identity.NodeId;
import io.hearth.parameterserver.machine.Assignment.Seat;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Decides which machines get a part.
 *
 * <p>A part never goes to a machine that lacks an acknowledged update while one that has them all can come back: only a process that reports
 * the whole copy of the newest term follows a primary; or a holder with that of the term before, as nothing was acknowledged in the newest
 * one without it. Checkpoints count when no memory has a copy, or after a long wait.
 */
final class AssignmentRules {
    private static final Comparator<Report.Part> BY_CHECKPOINT =
            Comparator.comparingLong(Report.Part::checkpointTerm).thenComparingLong(Report.Part::checkpointIndex);

    private final PartLedger ledger;
    private final List<NodeId> members;
    private final Map<NodeId, Report.Heard> reports;
    private final Map<NodeId, Long> primaries = new HashMap<>();

    /** @param members in the order of the view */
    AssignmentRules(PartLedger ledger, List<NodeId> members, Map<NodeId, Report.Heard> reports) {
        this.ledger = ledger;
        this.members = members;
        this.reports = reports;
        ledger.assignments()
                .values()
                .forEach(assignment -> primaries.merge(assignment.primary().node(), 1L, Long::sum));
    }

    /** Whether a process has the part and serves it in the newest term, or is about to. */
    boolean isServed(int part) {
        Assignment now = ledger.assignments().get(part);
        return now != null && isThere(now.primary());
    }

    /** @param isGivenUp whether the part was out of reach for a long time */
    Optional<Assignment> next(int part, boolean isGivenUp) {
        Assignment now = ledger.assignments().get(part);
        if (now == null) {
            boolean isComplete = !members.isEmpty() && members.stream().allMatch(reports::containsKey);
            return isComplete ? newest(part, Long.MAX_VALUE, members) : Optional.empty();
        }
        if (isThere(now.primary())) {
            return whole(part, now.primary(), now.term()) ? beside(now) : Optional.empty(); // it loads
        }
        if (isUnheard(now.primary().node())) {
            return Optional.empty();
        }
        if (now.holder().isPresent()) {
            Seat holder = now.holder().get();
            if (isUnheard(holder.node())) {
                return Optional.empty();
            }
            boolean hasAll = whole(part, holder, now.term()) || (now.term() > 1 && whole(part, holder, now.term() - 1));
            if (isThere(holder) && hasAll) {
                return Optional.of(assign(part, now.term() + 1, holder.node(), false));
            }
        }
        List<NodeId> both = Stream.concat(Stream.of(now.primary()), now.holder().stream())
                .map(Seat::node)
                .toList();
        if (members.containsAll(both) && isSettled(now)) { // nothing is left in memory
            return newest(part, now.term(), both);
        }
        return isGivenUp ? newest(part, now.term(), members) : Optional.empty();
    }

    /** Whether the holder's report was made after the primary's process was gone: only that could complete the holder's copy. */
    private boolean isSettled(Assignment now) {
        Report.Heard primary = reports.get(now.primary().node());
        Report.Heard holder = now.holder().map(seat -> reports.get(seat.node())).orElse(primary);
        return now.holder().isEmpty() || (primary != null && holder != null && holder.round() > primary.bootRound());
    }

    /** The primary serves: it keeps the part unless another one with the copy has two parts less. */
    private Optional<Assignment> beside(Assignment now) {
        Seat primary = now.primary();
        if (now.holder().isEmpty()) {
            return members.size() > 1
                    ? Optional.of(assign(now.part(), now.term() + 1, primary.node(), false))
                            .filter(next -> next.holder().isPresent())
                    : Optional.empty();
        }
        Seat holder = now.holder().get();
        if (isUnheard(holder.node())) {
            return Optional.empty();
        }
        if (!isThere(holder)) {
            return Optional.of(assign(now.part(), now.term() + 1, primary.node(), false));
        }
        boolean isUneven = primaries.getOrDefault(primary.node(), 0L) - primaries.getOrDefault(holder.node(), 0L) >= 2;
        return isUneven && whole(now.part(), holder, now.term()) ? Optional.of(moved(now, holder)) : Optional.empty();
    }

    /** The holder becomes the primary, and the primary the holder: no third machine, which has nothing, is needed for the next update. */
    static Assignment moved(Assignment now, Seat holder) {
        return new Assignment(now.part(), now.term() + 1, holder, Optional.of(now.primary()), false);
    }

    /**
     * The part begins again from the newest checkpoint. The first term of a ledger is above those of all checkpoints, which are of a ledger
     * that was lost.
     *
     * @param last the newest term; checkpoints of higher ones are of a ledger that was lost, and do not count
     */
    private Optional<Assignment> newest(int part, long last, List<NodeId> from) {
        List<NodeId> known = from.stream().filter(reports::containsKey).toList();
        if (known.isEmpty()) {
            return Optional.empty();
        }
        NodeId best = known.get(part % known.size());
        for (NodeId each : known) {
            best = BY_CHECKPOINT.compare(checkpoint(part, last, each), checkpoint(part, last, best)) > 0 ? each : best;
        }
        long term = last == Long.MAX_VALUE ? checkpoint(part, last, best).checkpointTerm() : last;
        return Optional.of(assign(part, term + 1, best, true));
    }

    private Report.Part checkpoint(int part, long last, NodeId node) {
        Report.Part reported = reported(node).part(part);
        return reported.checkpointTerm() > last ? Report.NOTHING : reported;
    }

    private Assignment assign(int part, long term, NodeId primary, boolean isFromCheckpoint) {
        List<NodeId> others = members.stream()
                .filter(node -> !node.equals(primary) && reports.containsKey(node))
                .toList();
        Optional<NodeId> holder = others.isEmpty() ? Optional.empty() : Optional.of(others.get(part % others.size()));
        return new Assignment(part, term, seat(primary), holder.map(this::seat), isFromCheckpoint);
    }

    private Seat seat(NodeId node) {
        return new Seat(node, reported(node).boot());
    }

    private Report reported(NodeId node) {
        Report.Heard heard = reports.get(node);
        if (heard == null) {
            throw new IllegalStateException("no report of " + node.shortText());
        }
        return heard.report();
    }

    /** A member that has not reported yet: it may have the copy. */
    private boolean isUnheard(NodeId node) {
        return members.contains(node) && !reports.containsKey(node);
    }

    private boolean isThere(Seat seat) {
        Report.Heard heard = reports.get(seat.node());
        return members.contains(seat.node()) && heard != null && heard.report().boot() == seat.boot();
    }

    private boolean whole(int part, Seat seat, long term) {
        Report.Heard heard = reports.get(seat.node());
        return heard != null
                && heard.report().boot() == seat.boot()
                && heard.report().part(part).copyTerm() == term;
    }
}
