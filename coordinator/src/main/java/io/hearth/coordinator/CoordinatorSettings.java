package io.hearth.coordinator;

/**
 * Settings of a coordinator.
 *
 * @param heartbeatTimeoutNanos after which a silent worker is taken off the list; 1 ms to 24 hours
 */
public record CoordinatorSettings(long heartbeatTimeoutNanos) {
    /** Shortest time. */
    public static final long NANOS_MIN = 1_000_000L;

    /** Longest time. */
    public static final long NANOS_MAX = 24L * 3_600 * 1_000_000_000;

    public CoordinatorSettings {
        if (heartbeatTimeoutNanos < NANOS_MIN || heartbeatTimeoutNanos > NANOS_MAX) {
            throw new IllegalArgumentException("the heartbeat time-out is 1 ms to 24 hours");
        }
    }

    /** In words: {@code worker-timeout=30000ms}. */
    public String text() {
        return "worker-timeout=" + heartbeatTimeoutNanos / NANOS_MIN + "ms";
    }
}
