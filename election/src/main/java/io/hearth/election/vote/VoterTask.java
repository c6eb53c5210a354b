package io.hearth.election.vote;

import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.View;
import java.util.SortedSet;

/** One task for the voter: the only part of a process that touches the machine's records on disk. */
public sealed interface VoterTask {
    /** Ensures that the machine has a record of a lineage before it asks to enter; {@code freshSeat} is the seat of a new record. */
    record Enter(Lineage lineage, long freshSeat) implements VoterTask {}

    /** Writes the record of a lineage that this process founded; {@code view} lists the new seat. */
    record Found(View view) implements VoterTask {}

    /** Promises to take part in no lower ballot for the successor of {@code view}. */
    record Promise(View view, Ballot ballot) implements VoterTask {}

    /** Accepts {@code next} as the successor of {@code view}. */
    record Accept(View view, Ballot ballot, View next) implements VoterTask {}

    /** Writes a committed view to disk, so that a restart knows it. */
    record Learn(View view) implements VoterTask {}

    /** Marks the records in use, and deletes records that no process of the machine has used for a long time. */
    record Retain(SortedSet<Lineage> used) implements VoterTask {}
}
