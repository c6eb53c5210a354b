package io.hearth.agent.votes;

import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;

/** The machine's voting records as its processes see them. */
public interface VoterDisk {
    /**
     * Carries out a task and waits for the disk. What the answer says was written is on disk.
     *
     * @return {@link VoterAnswer.Failed} for any trouble with the disk; never throws for that
     */
    VoterAnswer carryOut(VoterTask task);

    /**
     * The longest time that the disk took for one task of late, in nanoseconds, with the task that runs now. Waiting for another process
     * does not count. Any thread may ask.
     */
    long slowestNanos();
}
