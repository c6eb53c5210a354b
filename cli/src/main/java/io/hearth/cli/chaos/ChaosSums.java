package io.hearth.cli.chaos;

import io.hearth.cli.chaos.plan.ChaosEvent;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.DistributedContext;
import io.hearth.core.CollectiveException;
import io.hearth.core.ReduceOp;
import io.hearth.core.RemovedFromClusterException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Sums vectors of 16 MiB with known elements, so that each sum shows its contributors.
 *
 * <p>Host h contributes 2^h times a pattern of small whole numbers. Floats hold every sum exactly. A sum divided by the pattern is the set of its contributors, the same for all elements.
 */
final class ChaosSums {
    private static final int ELEMENTS = 4 << 20;
    private static final int PERIOD = 97; // length of the pattern: prime, so that segments differ
    private static final int SUMS_OF_A_STEP = 8; // a restarted worker joins between two steps
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final DistributedContext cluster;
    private final int host;
    private final Consumer<ChaosEvent> events;
    private int most; // largest number of ranks in any step so far
    private final float[] values = new float[ELEMENTS];

    /** @param host 0 to 15 */
    ChaosSums(DistributedContext cluster, int host, Consumer<ChaosEvent> events) {
        this.cluster = cluster;
        this.host = host;
        this.events = events;
    }

    /** Sums until the driver stops it. After a removal it joins the group again. */
    void run(BooleanSupplier isToldToStop) throws CollectiveException {
        while (!isToldToStop.getAsBoolean()) {
            try {
                step();
            } catch (RemovedFromClusterException removed) {
                events.accept(new ChaosEvent.Removed(System.nanoTime(), String.valueOf(removed.getMessage())));
            }
        }
    }

    private void step() throws CollectiveException {
        long step = cluster.beginStep().step();
        events.accept(
                new ChaosEvent.Begun(System.nanoTime(), step, cluster.rank(), cluster.worldSize(), false, "sums"));
        most = Math.max(most, cluster.worldSize());
        boolean isSmaller = cluster.worldSize() < most; // a worker is starting: leave it the processors
        if (isSmaller) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        for (int i = 0; i < (isSmaller ? 1 : SUMS_OF_A_STEP); i++) {
            fill();
            CollectiveResult result = cluster.allReduce(values, ReduceOp.SUM);
            long at = System.nanoTime();
            events.accept(new ChaosEvent.Summed(
                    at, step * SUMS_OF_A_STEP + i, result.contributors(), check(result.contributors())));
        }
    }

    private void fill() {
        for (int i = 0; i < ELEMENTS; i++) {
            values[i] = (1 << host) * (float) (i % PERIOD);
        }
    }

    private String check(int contributors) {
        float set = values[1];
        for (int i = 0; i < ELEMENTS; i++) {
            if (values[i] != set * (i % PERIOD)) {
                return ChaosEvent.WRONG;
            }
        }
        return Integer.bitCount((int) set) == contributors
                ? "hosts-" + Integer.toBinaryString((int) set)
                : ChaosEvent.WRONG;
    }
}
