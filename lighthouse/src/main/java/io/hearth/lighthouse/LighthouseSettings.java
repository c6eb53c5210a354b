package io.hearth.lighthouse;

/**
 * Settings of a lighthouse; the names are torchft's.
 *
 * @param minReplicas members that a quorum has at least; at least 1
 * @param joinTimeoutNanos how long a quorum waits for healthy replicas that have not asked
 * @param heartbeatTimeoutNanos after which a silent replica is not healthy
 */
public record LighthouseSettings(int minReplicas, long joinTimeoutNanos, long heartbeatTimeoutNanos) {
    /** Longest time. */
    public static final long NANOS_MAX = 24L * 3_600 * 1_000_000_000;

    public LighthouseSettings {
        if (minReplicas < 1) {
            throw new IllegalArgumentException("a quorum has at least 1 replica, got " + minReplicas);
        }
        if (joinTimeoutNanos < 0 || joinTimeoutNanos > NANOS_MAX) {
            throw new IllegalArgumentException("the join time-out is 0 to 24 hours");
        }
        if (heartbeatTimeoutNanos < 1 || heartbeatTimeoutNanos > NANOS_MAX) {
            throw new IllegalArgumentException("the heartbeat time-out is more than 0 and at most 24 hours");
        }
    }

    /** In words: {@code min-replicas=2 join-timeout=60000ms heartbeat-timeout=5000ms}. */
    public String text() {
        return "min-replicas=" + minReplicas + " join-timeout=" + joinTimeoutNanos / 1_000_000 + "ms heartbeat-timeout="
                + heartbeatTimeoutNanos / 1_000_000 + "ms";
    }
}
