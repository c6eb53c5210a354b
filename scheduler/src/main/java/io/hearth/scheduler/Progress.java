package io.hearth.scheduler;

/**
 * How far a node is in a job.
 *
 * @param epoch epochs completed
 * @param samples processed since the job began
 */
public record Progress(String job, long epoch, long samples) {
    public Progress {
        Bounds.jobName(job);
        Bounds.range("an epoch", 0, Bounds.EPOCHS_MAX, epoch);
        Bounds.range("the number of samples", 0, Long.MAX_VALUE / Bounds.NODES_MAX, samples);
    }
}
