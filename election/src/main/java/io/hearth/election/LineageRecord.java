package io.hearth.election;

import io.hearth.identity.PeerId;
import java.util.Optional;

/**
 * The record that a machine keeps on disk of one lineage, shared by all its processes. Without it the machine never votes there.
 *
 * <p>The seat is drawn once, when the record is made. So a view that lists the seat was committed later, and the record knows every
 * vote of the machine about that view.
 *
 * @param lineage of the record
 * @param seat random bits that name this record, 1 to 2^63 - 1
 * @param view newest known committed view; empty until one was learned
 * @param promised highest promised ballot for the view's successor
 * @param accepted last accepted proposal for the view's successor
 */
public record LineageRecord(
        Lineage lineage, long seat, Optional<View> view, Optional<Ballot> promised, Optional<Proposal> accepted) {
    public LineageRecord {
        if (!ViewRules.isSeat(seat)) {
            throw new IllegalArgumentException("seat must be 1 to 2^63 - 1, got " + seat);
        }
        if (view.isEmpty() && (promised.isPresent() || accepted.isPresent())) {
            throw new IllegalArgumentException("a promise needs the view whose successor it is for");
        }
    }

    /** A record with a new seat, before the machine asks to enter. */
    public static LineageRecord fresh(Lineage lineage, long seat) {
        return new LineageRecord(lineage, seat, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** The record with a newer committed view; older promises are void. */
    public LineageRecord learned(View newer) {
        return new LineageRecord(lineage, seat, Optional.of(newer), Optional.empty(), Optional.empty());
    }

    public LineageRecord promise(Ballot ballot) {
        return new LineageRecord(lineage, seat, view, Optional.of(ballot), accepted);
    }

    public LineageRecord accept(Proposal proposal) {
        return new LineageRecord(lineage, seat, view, Optional.of(proposal.ballot()), Optional.of(proposal));
    }

    /** Whether {@code ballot} is below the promised one. */
    public boolean forbids(Ballot ballot) {
        return promised.isPresent() && ballot.compareTo(promised.get()) < 0;
    }

    /** Whether the newest known view lists {@code machine} with this record's seat, so that its vote still matters. */
    public boolean isListed(PeerId machine) {
        return view.filter(known -> known.seat(machine) == seat).isPresent();
    }
}
