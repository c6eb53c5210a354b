package io.hearth.agent.votes;

import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;

/** Access of a process to the machine's voting records. */
public interface VoterDisk {
    /**
     * Carries out a task and waits for the disk. All data that the answer reports as written is on disk.
     *
     * @return {@link VoterAnswer.Failed} for any trouble with the disk; never throws for that
     */
    VoterAnswer carryOut(VoterTask task);

    /**
     * The longest recent time of the disk for one task, in nanoseconds, including the running task. Waits for another process do not count.
     * Any thread may call it.
     */
    long slowestNanos();
}
