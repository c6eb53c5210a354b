package io.hearth.cli;

import io.hearth.collective.CollectiveResult;
import io.hearth.collective.DistributedContext;
import io.hearth.core.CollectiveException;
import io.hearth.core.ReduceOp;
import io.hearth.core.RemovedFromClusterException;
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

    private final DistributedContext cluster;
    private final int host;
    private final Consumer<ChaosEvent> tell;
    private final float[] values = new float[ELEMENTS];

    /** @param host 0 to 15 */
    ChaosSums(DistributedContext cluster, int host, Consumer<ChaosEvent> tell) {
        this.cluster = cluster;
        this.host = host;
        this.tell = tell;
    }

    /** Sums until told to stop, or until this host is removed. */
    void run(BooleanSupplier isToldToStop) throws CollectiveException {
        tell.accept(new ChaosEvent.Begun(System.nanoTime(), 0, cluster.rank(), cluster.worldSize(), false, "start"));
        for (long number = 0; !isToldToStop.getAsBoolean(); number++) {
            fill();
            try {
                CollectiveResult result = cluster.allReduce(values, ReduceOp.SUM);
                long at = System.nanoTime();
                tell.accept(new ChaosEvent.Summed(at, number, result.contributors(), check(result.contributors())));
            } catch (RemovedFromClusterException removed) {
                tell.accept(new ChaosEvent.Removed(System.nanoTime(), String.valueOf(removed.getMessage())));
                return;
            }
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
