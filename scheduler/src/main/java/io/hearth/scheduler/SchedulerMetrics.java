package io.hearth.scheduler;

/**
 * Counters of a scheduler.
 *
 * @param totalJobs accepted since the store began
 * @param activeJobs not over
 * @param activeNodes here
 * @param totalShards of the jobs that are not over
 * @param events messages to nodes since this machine began to answer
 * @param barriers passed since then
 * @param barrierSecondsLast from the first arrival at the last barrier until all were there
 * @param barrierSecondsMean over all of them
 */
public record SchedulerMetrics(
        long totalJobs,
        long activeJobs,
        long activeNodes,
        long totalShards,
        long events,
        long barriers,
        double barrierSecondsLast,
        double barrierSecondsMean) {}
