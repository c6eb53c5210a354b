package io.hearth.topology;

import io.hearth.topology.NodeLoad.Battery;
import java.util.Optional;

/**
 * Decides when a node sends its profile again because its load or its battery changed. Pure.
 *
 * <p>A change counts only if a person or a plan would act on it. The load average moves all the time, so small steps are noise; the larger
 * the load, the larger the step that counts.
 */
public final class LoadUpdates {
    /** Shortest time between two profiles of a node. */
    public static final long GAP_NANOS = 30_000_000_000L;

    /** Smallest step of the load that counts, in percent of a core; large loads need a quarter of their value. */
    private static final int LOAD_STEP = 20;

    /** Smallest step of the charge that counts, in percent. */
    private static final int CHARGE_STEP = 5;

    private LoadUpdates() {}

    /** Whether a node that sent {@code sent} at {@code sentNanos} sends the newest load now. */
    public static boolean isDue(NodeLoad sent, long sentNanos, NodeLoad newest, long nowNanos) {
        return nowNanos - sentNanos >= GAP_NANOS && isNotable(sent, newest);
    }

    /** Whether the change is worth a message. */
    static boolean isNotable(NodeLoad former, NodeLoad newest) {
        boolean appeared = (former.percent() == NodeLoad.UNKNOWN) != (newest.percent() == NodeLoad.UNKNOWN);
        int step = Math.abs(newest.percent() - former.percent());
        return appeared
                || step >= Math.max(LOAD_STEP, former.percent() / 4)
                || isNotable(former.battery(), newest.battery());
    }

    private static boolean isNotable(Optional<Battery> former, Optional<Battery> newest) {
        if (former.isEmpty() || newest.isEmpty()) {
            return former.isPresent() != newest.isPresent();
        }
        return former.get().isOnMains() != newest.get().isOnMains()
                || Math.abs(former.get().percent() - newest.get().percent()) >= CHARGE_STEP;
    }
}
