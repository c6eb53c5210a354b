package io.hearth.election.vote;

import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Proposal;
import io.hearth.election.View;
import io.hearth.identity.PeerId;
import java.util.Optional;

/**
 * The acceptor of Paxos: decides a vote from the record on disk. The vote belongs to the machine: any of its processes may cast it
 * under the lock of the folder, and none votes from memory.
 *
 * <p>Pure. The shell takes the lock, reads the record, writes the decided record, syncs, and only then passes the answer on.
 *
 * <p>Source: L. Lamport, Paxos Made Simple (2001), section 2.2.
 */
public final class Voter {
    private Voter() {}

    /**
     * The record to write and the answer to send.
     *
     * @param write the record to write before the answer leaves; empty if the record on disk stays as it is
     */
    public record Decision(Optional<LineageRecord> write, VoterAnswer answer) {
        private static Decision only(VoterAnswer answer) {
            return new Decision(Optional.empty(), answer);
        }

        private static Decision write(LineageRecord record, VoterAnswer answer) {
            return new Decision(Optional.of(record), answer);
        }
    }

    /**
     * Decides a task about one lineage.
     *
     * @param machine the owner of the folder
     * @param onDisk its record of the task's lineage, read under the lock; empty if there is none
     * @param task any but {@link VoterTask.Retain}, which is about files and not about votes
     */
    public static Decision decide(PeerId machine, Optional<LineageRecord> onDisk, VoterTask task) {
        return switch (task) {
            case VoterTask.Enter(Lineage lineage, long freshSeat) ->
                onDisk.map(record -> Decision.only(new VoterAnswer.Entered(record.seat(), record.view())))
                        .orElseGet(() -> Decision.write(
                                LineageRecord.fresh(lineage, freshSeat),
                                new VoterAnswer.Entered(freshSeat, Optional.empty())));
            case VoterTask.Found(View view) -> found(machine, onDisk, view);
            case VoterTask.Learn(View view) -> learn(machine, onDisk, view);
            case VoterTask.Promise(View view, Ballot ballot) -> promise(machine, onDisk, view, ballot);
            case VoterTask.Accept(View view, Ballot ballot, View next) ->
                accept(machine, onDisk, view, new Proposal(ballot, next));
            case VoterTask.Retain _ -> throw new IllegalArgumentException("files are kept or deleted by their folder");
        };
    }

    /** The lineage of a task; empty if it concerns all lineages. */
    public static Optional<Lineage> lineage(VoterTask task) {
        return switch (task) {
            case VoterTask.Enter enter -> Optional.of(enter.lineage());
            case VoterTask.Found found -> Optional.of(found.view().lineage());
            case VoterTask.Learn learn -> Optional.of(learn.view().lineage());
            case VoterTask.Promise promise -> Optional.of(promise.view().lineage());
            case VoterTask.Accept accept -> Optional.of(accept.view().lineage());
            case VoterTask.Retain _ -> Optional.empty();
        };
    }

    private static Decision found(PeerId machine, Optional<LineageRecord> onDisk, View view) {
        return onDisk.isPresent()
                ? learn(machine, onDisk, view)
                : Decision.write(
                        LineageRecord.fresh(view.lineage(), view.seat(machine)).learned(view),
                        new VoterAnswer.Written());
    }

    /** A committed view counts regardless of promises; it need not list this machine. */
    private static Decision learn(PeerId machine, Optional<LineageRecord> onDisk, View view) {
        if (onDisk.isEmpty()) {
            return Decision.only(new VoterAnswer.NoSeat());
        }
        LineageRecord record = onDisk.get();
        Optional<VoterAnswer> stale = stale(record, view);
        if (stale.isPresent()) {
            return Decision.only(stale.get());
        }
        boolean lostSeat = view.seat(machine) != 0 && view.seat(machine) != record.seat();
        VoterAnswer answer = lostSeat ? new VoterAnswer.NoSeat() : new VoterAnswer.Written();
        return isKnown(record, view) ? Decision.only(answer) : Decision.write(record.learned(view), answer);
    }

    private static Decision promise(PeerId machine, Optional<LineageRecord> onDisk, View view, Ballot ballot) {
        Optional<VoterAnswer> obstacle = obstacle(machine, onDisk, view);
        if (obstacle.isPresent()) {
            return Decision.only(obstacle.get());
        }
        LineageRecord record = onDisk.orElseThrow();
        LineageRecord current = isKnown(record, view) ? record : record.learned(view);
        if (current.forbids(ballot)) {
            return Decision.only(new VoterAnswer.Refused(current.promised().orElseThrow()));
        }
        var answer = new VoterAnswer.Promised(current.accepted());
        return current.promised().equals(Optional.of(ballot))
                ? Decision.only(answer)
                : Decision.write(current.promise(ballot), answer);
    }

    private static Decision accept(PeerId machine, Optional<LineageRecord> onDisk, View view, Proposal proposal) {
        Optional<VoterAnswer> obstacle = obstacle(machine, onDisk, view);
        if (obstacle.isPresent()) {
            return Decision.only(obstacle.get());
        }
        LineageRecord record = onDisk.orElseThrow();
        LineageRecord current = isKnown(record, view) ? record : record.learned(view);
        if (current.forbids(proposal.ballot())) {
            return Decision.only(new VoterAnswer.Refused(current.promised().orElseThrow()));
        }
        if (current.accepted().equals(Optional.of(proposal))) {
            return Decision.only(new VoterAnswer.Accepted());
        }
        boolean isContradiction = current.accepted().isPresent()
                && current.accepted().get().ballot().equals(proposal.ballot());
        return isContradiction
                ? Decision.only(new VoterAnswer.Conflict())
                : Decision.write(current.accept(proposal), new VoterAnswer.Accepted());
    }

    /**
     * Why the machine does not vote about a view: its record knows a newer one, or the view does not list the seat of the record. The
     * seat names the record and thereby the acceptor, so only that seat has a vote.
     */
    private static Optional<VoterAnswer> obstacle(PeerId machine, Optional<LineageRecord> onDisk, View view) {
        Optional<VoterAnswer> stale = onDisk.flatMap(record -> stale(record, view));
        boolean isNewer = stale.filter(VoterAnswer.Newer.class::isInstance).isPresent();
        boolean hasSeat =
                onDisk.filter(record -> record.seat() == view.seat(machine)).isPresent();
        return isNewer || hasSeat ? stale : Optional.of(new VoterAnswer.NoSeat());
    }

    private static boolean isKnown(LineageRecord record, View view) {
        return record.view().equals(Optional.of(view));
    }

    /** The answer where the record knows a newer view, or another view of the same epoch. */
    private static Optional<VoterAnswer> stale(LineageRecord record, View view) {
        if (record.view().isEmpty() || record.view().get().epoch() < view.epoch() || isKnown(record, view)) {
            return Optional.empty();
        }
        View known = record.view().get();
        return Optional.of(known.epoch() > view.epoch() ? new VoterAnswer.Newer(known) : new VoterAnswer.Conflict());
    }
}
