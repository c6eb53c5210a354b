package io.hearth.bench;

import com.sun.management.OperatingSystemMXBean;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedBackend;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One rank of a measurement, as {@code lab/peers} asks for it: sums vectors whose sums are known, times each call, and checks
 * every element of the first and the last result.
 */
public final class RankBench {
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int PERIOD = 97; // of the input, in elements: prime, so that segments do not look alike
    private static final long WARM_UP_BYTES = 1L << 30; // C2 needs some hundred large records before it is done
    private static final int WARM_UP_MAX = 3_000;
    private static final int WARM_UP_MIN = 3;

    private final DistributedBackend backend;
    private final OperatingSystemMXBean system;

    /** @param backend borrowed */
    public RankBench(DistributedBackend backend) {
        this.backend = backend;
        this.system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    }

    /**
     * Measures all sizes in order.
     *
     * @param each takes the figures of a size as soon as they are there
     */
    public void run(List<SizeSpec> sizes, Consumer<RankTimes> each) throws CollectiveException {
        for (SizeSpec size : sizes) {
            try (Arena arena = Arena.ofShared()) {
                each.accept(measure(size, arena.allocate(size.bytes(), Long.BYTES)));
            }
        }
    }

    private RankTimes measure(SizeSpec size, MemorySegment values) throws CollectiveException {
        int warmUp = Math.clamp(WARM_UP_BYTES / size.bytes(), WARM_UP_MIN, WARM_UP_MAX);
        for (int i = 0; i < warmUp; i++) {
            fill(values);
            reduce(values);
        }
        boolean ok = isSum(values);
        var seconds = new ArrayList<Double>();
        long cpuNanos = 0;
        for (int i = 0; i < size.iterations(); i++) {
            fill(values);
            backend.barrier(CollectiveOptions.DEFAULTS);
            long cpuStart = system.getProcessCpuTime();
            long start = System.nanoTime();
            reduce(values);
            seconds.add((System.nanoTime() - start) / 1e9);
            cpuNanos += system.getProcessCpuTime() - cpuStart;
        }
        return new RankTimes(backend.rank(), size.bytes(), ok && isSum(values), cpuNanos / 1e9, seconds);
    }

    private void reduce(MemorySegment values) throws CollectiveException {
        backend.allReduce(values, DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
    }

    /** Small whole numbers, so that every order of adding gives the same sum. */
    private void fill(MemorySegment values) {
        long elements = values.byteSize() / Float.BYTES;
        int rank = backend.rank();
        for (long i = 0; i < elements; i++) {
            values.set(FLOAT, i * Float.BYTES, (rank + 1) * (float) (i % PERIOD));
        }
    }

    private boolean isSum(MemorySegment values) {
        long elements = values.byteSize() / Float.BYTES;
        int world = backend.worldSize();
        int ranks = world * (world + 1) / 2;
        for (long i = 0; i < elements; i++) {
            if (values.get(FLOAT, i * Float.BYTES) != ranks * (float) (i % PERIOD)) {
                return false;
            }
        }
        return true;
    }
}
