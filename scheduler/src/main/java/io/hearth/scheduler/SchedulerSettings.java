package io.hearth.scheduler;

/**
 * Settings of a scheduler.
 *
 * @param heartbeatNanos nodes are told to send heartbeats this often
 * @param timeoutNanos a node that is silent for so long is offline
 */
public record SchedulerSettings(long heartbeatNanos, long timeoutNanos) {
    /** 10 s and 60 s. */
    public static final SchedulerSettings DEFAULT = new SchedulerSettings(10_000_000_000L, 60_000_000_000L);

    private static final long NANOS_MAX = 24L * 3_600 * 1_000_000_000;

    public SchedulerSettings {
        if (heartbeatNanos < 1 || timeoutNanos <= heartbeatNanos || timeoutNanos > NANOS_MAX) {
            throw new IllegalArgumentException(
                    "the time-out is longer than the span between heartbeats, and at most 24 hours, got " + timeoutNanos
                            + " and " + heartbeatNanos + " ns");
        }
    }

    /** In words: {@code node-timeout=60000ms}. */
    public String text() {
        return "node-timeout=" + timeoutNanos / 1_000_000 + "ms";
    }
}
