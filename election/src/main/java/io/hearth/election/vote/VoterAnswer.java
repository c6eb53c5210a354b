package io.hearth.election.vote;

import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.Proposal;
import io.hearth.election.View;
import java.util.Optional;
import java.util.SortedSet;

/** The outcome of a {@link VoterTask}; a write that it reports is on disk. */
public sealed interface VoterAnswer {
    /** Whether other nodes rely on this machine to remember it; then the disk has it. */
    default boolean isOnDisk() {
        return switch (this) {
            case Entered _, Written _, Promised _, Accepted _ -> true;
            case Refused _, Newer _, NoSeat _, Conflict _, Retained _, Failed _ -> false;
        };
    }

    /** The machine has a record with this seat, which knows {@code view}. */
    record Entered(long seat, Optional<View> view) implements VoterAnswer {}

    /** A founding or a committed view is on disk. */
    record Written() implements VoterAnswer {}

    /** The promise is on disk; {@code accepted} is the earlier accepted proposal. */
    record Promised(Optional<Proposal> accepted) implements VoterAnswer {}

    /** The acceptance is on disk. */
    record Accepted() implements VoterAnswer {}

    /** The machine promised a higher ballot before. */
    record Refused(Ballot promised) implements VoterAnswer {}

    /** The record knows a newer view than that of the task. */
    record Newer(View view) implements VoterAnswer {}

    /** The machine does not hold the record with the seat that the view lists, and never will again. */
    record NoSeat() implements VoterAnswer {}

    /** Two views of one epoch, or two proposals of one ballot: no answer. */
    record Conflict() implements VoterAnswer {}

    /** These lineages have no record any more. */
    record Retained(SortedSet<Lineage> without) implements VoterAnswer {}

    /** The disk failed: no answer. The next task of the lineage writes the whole record again. */
    record Failed(String why) implements VoterAnswer {}
}
