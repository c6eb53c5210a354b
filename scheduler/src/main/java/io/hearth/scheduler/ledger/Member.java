package io.hearth.scheduler.ledger;

/**
 * A node of a job.
 *
 * @param score for the data set when it came in
 * @param isAway whether it is offline or has left
 * @param epoch epochs that it completed
 * @param samples that it processed since the job began
 */
public record Member(String id, double score, boolean isAway, long epoch, long samples) {
    Member with(boolean away) {
        return new Member(id, score, away, epoch, samples);
    }

    /** After a report; reports do not take anything back. */
    Member after(long newEpoch, long newSamples) {
        return new Member(id, score, isAway, Math.max(epoch, newEpoch), Math.max(samples, newSamples));
    }
}
