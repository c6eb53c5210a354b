package io.hearth.election.vote;

import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.View;
import java.util.SortedSet;

/** One task for the voter: the only part of a process that touches the machine's records on disk. */
public sealed interface VoterTask {
    /** Makes sure that the machine has a record of a lineage before it asks to enter; {@code freshSeat} is its seat if it is new. */
    record Enter(Lineage lineage, long freshSeat) implements VoterTask {}

    /** Writes the record of a lineage that this process founded; {@code view} lists the new seat. */
    record Found(View view) implements VoterTask {}

    /** Promises to take part in no lower ballot for the successor of {@code view}. */
    record Promise(View view, Ballot ballot) implements VoterTask {}

    /** Accepts {@code next} as the successor of {@code view}. */
    record Accept(View view, Ballot ballot, View next) implements VoterTask {}

    /** Writes down a committed view, so that a restart knows it. */
    record Learn(View view) implements VoterTask {}

    /** Marks the records in use, and deletes those that no process of the machine has used for long. */
    record Retain(SortedSet<Lineage> used) implements VoterTask {}
}
