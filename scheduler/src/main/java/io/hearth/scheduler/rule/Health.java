package io.hearth.scheduler.rule;

import io.hearth.scheduler.NodeStatus;

/** Judges a node. */
public final class Health {
    private static final double BUSY_LOAD = 7;
    private static final double OVERLOADED_LOAD = 10;

    private Health() {}

    /**
     * The status of a node that is here.
     *
     * @param ageNanos since its last heartbeat
     * @param isAccused whether it, or another node, says that it is not well
     */
    public static NodeStatus of(long ageNanos, long timeoutNanos, double load, boolean isAccused) {
        if (ageNanos >= timeoutNanos) {
            return NodeStatus.OFFLINE;
        }
        if (isAccused || ageNanos >= timeoutNanos / 2) {
            return NodeStatus.UNHEALTHY;
        }
        if (load >= OVERLOADED_LOAD) {
            return NodeStatus.OVERLOADED;
        }
        return load >= BUSY_LOAD ? NodeStatus.BUSY : NodeStatus.HEALTHY;
    }
}
