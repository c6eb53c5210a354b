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
 * Sums vectors of 16 MiB of which every element is known, so that each sum tells who is in it.
 *
 * <p>Host h contributes 2^h times a pattern of small whole numbers: floats hold every sum exactly, and a sum divided by the pattern
 * is the set of its contributors, the same for all elements.
 */
final class ChaosSums {
    private static final int ELEMENTS = 4 << 20;
    private static final int PERIOD = 97; // of the pattern: prime, so that segments do not look alike
    private static final int SUMS_OF_A_STEP = 8; // a worker that was started again enters between two steps
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final DistributedContext cluster;
    private final int host;
    private final Consumer<ChaosEvent> tell;
    private int most; // ranks of any step so far
    private final float[] values = new float[ELEMENTS];

    /** @param host 0 to 15 */
    ChaosSums(DistributedContext cluster, int host, Consumer<ChaosEvent> tell) {
        this.cluster = cluster;
        this.host = host;
        this.tell = tell;
    }

    /** Sums until told to stop; enters again after it was removed. */
    void run(BooleanSupplier isToldToStop) throws CollectiveException {
        while (!isToldToStop.getAsBoolean()) {
            try {
                step();
            } catch (RemovedFromClusterException removed) {
                tell.accept(new ChaosEvent.Removed(System.nanoTime(), String.valueOf(removed.getMessage())));
            }
        }
    }

    private void step() throws CollectiveException {
        long step = cluster.beginStep().step();
        tell.accept(new ChaosEvent.Begun(System.nanoTime(), step, cluster.rank(), cluster.worldSize(), false, "sums"));
        most = Math.max(most, cluster.worldSize());
        boolean isSmaller = cluster.worldSize() < most; // somebody starts anew: the processors are for it
        if (isSmaller) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        for (int i = 0; i < (isSmaller ? 1 : SUMS_OF_A_STEP); i++) {
            fill();
            CollectiveResult result = cluster.allReduce(values, ReduceOp.SUM);
            long at = System.nanoTime();
            tell.accept(new ChaosEvent.Summed(
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
