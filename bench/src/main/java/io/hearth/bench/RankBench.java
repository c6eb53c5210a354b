package io.hearth.bench;

import com.sun.management.OperatingSystemMXBean;
import io.hearth.accel.select.CompilerWatch;
import io.hearth.agent.ChromeTrace;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.ring.RingBackend;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * One rank of a measurement, as {@code lab/peers} requires it. It sums {@link BenchVectors}, times each call and checks every element of every result outside the timed part. A check reads the result once, right before the next contribution overwrites it, so each timed call finds the caches as that write left them.
 *
 * <p>The rank first times some calls of a size without a warm-up: the first size shows the speed that users get from their second call on. Then it warms the code up with 20,000 calls, 1 GiB or 5 s, and longer while the compiler of any rank is busy, for at most 30 s (a quarter more if calls are long). Code that runs once per call needs more calls than large vectors get, so if the first size is not small, a warm-up with small vectors comes first. A few untimed calls follow the timed ones; the rank records the algorithm and the spans of the last one.
 */
public final class RankBench {
    private static final int SPANS_MAX = 1_000_000; // ten calls of 2 GiB

    private final RingBackend backend;
    private final BenchVectors vectors;
    private final CollectiveOptions options;
    private final WarmUp warmUp;
    private final OperatingSystemMXBean system;
    private final ChromeTrace trace;

    /**
     * @param backend borrowed
     * @param way algorithm of the sums, the same on all ranks
     * @param compression of the vectors, the same on all ranks
     */
    public RankBench(RingBackend backend, AllReduceStrategy way, CompressionStrategy compression) {
        this(backend, way, compression, WarmUp.USUAL);
    }

    RankBench(RingBackend backend, AllReduceStrategy way, CompressionStrategy compression, WarmUp warmUp) {
        this(backend, way, compression, warmUp, vectors -> vectors);
    }

    /** @param eyes observes the vectors, for tests */
    RankBench(
            RingBackend backend,
            AllReduceStrategy way,
            CompressionStrategy compression,
            WarmUp warmUp,
            UnaryOperator<BenchVectors> eyes) {
        this.backend = backend;
        this.options = CollectiveOptions.DEFAULTS.by(way).as(compression);
        this.vectors = eyes.apply(
                compression.equals(CompressionStrategy.NONE)
                        ? new BenchVectors.WholeNumbers(backend)
                        : new BenchVectors.Gradients(backend));
        this.warmUp = warmUp;
        this.system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        this.trace = new ChromeTrace(backend.rank(), SPANS_MAX);
    }

    /**
     * Measures all sizes in order.
     *
     * @param each receives the results of a size as soon as it was measured
     */
    public void run(List<SizeSpec> sizes, Consumer<RankTimes> each) throws CollectiveException {
        boolean knowsSmall = false;
        for (SizeSpec size : sizes) {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment values = arena.allocate(size.bytes(), Long.BYTES);
                List<Double> cold = cold(values);
                if (!knowsSmall && size.bytes() > WarmUp.CALL_BYTES) {
                    warmUp(arena.allocate(WarmUp.CALL_BYTES, Long.BYTES));
                }
                knowsSmall = true;
                each.accept(measure(size, values, cold));
            }
        }
    }

    /** Times calls before the warm-up. Those of the first size run before Java has compiled the code. */
    private List<Double> cold(MemorySegment values) throws CollectiveException {
        var seconds = new ArrayList<Double>();
        for (int calls = warmUp.coldCalls(values.byteSize()); calls > 0; calls--) {
            seconds.add(timed(values));
            vectors.check(values);
        }
        return seconds;
    }

    /** Times one sum of a new contribution. All ranks begin it at the same time. */
    private double timed(MemorySegment values) throws CollectiveException {
        vectors.fill(values);
        backend.barrier(CollectiveOptions.DEFAULTS);
        long start = System.nanoTime();
        reduce(values);
        return (System.nanoTime() - start) / 1e9;
    }

    /** Writes the spans of the last call of each size, in the format of {@link ChromeTrace}. */
    public void writeTrace(Path file) throws IOException {
        trace.write(file);
    }

    private RankTimes measure(SizeSpec size, MemorySegment values, List<Double> cold) throws CollectiveException {
        warmUp(values);
        var seconds = new ArrayList<Double>();
        long cpuNanos = 0;
        backend.takeWorkBytesPeak();
        RankMemory.resetHeap();
        for (int i = 0; i < size.iterations(); i++) {
            vectors.fill(values);
            backend.barrier(CollectiveOptions.DEFAULTS);
            long cpuStart = system.getProcessCpuTime();
            long start = System.nanoTime();
            reduce(values);
            seconds.add((System.nanoTime() - start) / 1e9);
            cpuNanos += system.getProcessCpuTime() - cpuStart;
            vectors.check(values);
        }
        var memory = RankMemory.withHeap(backend.takeWorkBytesPeak());
        String algorithm = record(values);
        var transports = new TreeMap<Integer, String>();
        backend.transports().forEach((other, ways) -> transports.put(other, PairWays.word(ways)));
        return new RankTimes(
                backend.rank(),
                size.bytes(),
                vectors.wereSums(),
                cpuNanos / 1e9,
                algorithm,
                Chosen.of(backend.metricsSnapshot().choices(), size.bytes()),
                transports,
                memory,
                cold,
                seconds);
    }

    /** Warms up. All ranks make the same number of calls: the time of the slowest rank counts, and the busiest compiler. */
    private void warmUp(MemorySegment values) throws CollectiveException {
        long start = System.nanoTime();
        var compiler = new CompilerWatch();
        long spent = 0;
        boolean compiles = false;
        int done = 0;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment slowest = arena.allocate(ValueLayout.JAVA_LONG, 2);
            for (int calls = warmUp.next(values.byteSize(), done, spent, compiles);
                    calls > 0;
                    calls = warmUp.next(values.byteSize(), done, spent, compiles)) {
                for (int i = 0; i < calls; i++) {
                    vectors.fill(values);
                    // each timed call follows a barrier, so the barrier is warmed up too
                    backend.barrier(CollectiveOptions.DEFAULTS);
                    reduce(values);
                    vectors.check(values);
                }
                done += calls;
                slowest.setAtIndex(ValueLayout.JAVA_LONG, 0, System.nanoTime() - start);
                slowest.setAtIndex(ValueLayout.JAVA_LONG, 1, compiler.isBusy(CompilerWatch.BUSY) ? 1 : 0);
                backend.allReduce(slowest, DataType.INT64, ReduceOp.MAX, CollectiveOptions.DEFAULTS);
                spent = slowest.getAtIndex(ValueLayout.JAVA_LONG, 0);
                compiles = slowest.getAtIndex(ValueLayout.JAVA_LONG, 1) > 0;
            }
        }
    }

    /** Makes some calls and records the last; the others warm the recording up. Returns the schedules of the last call. */
    private String record(MemorySegment values) throws CollectiveException {
        for (int cold = warmUp.recordedCalls(values.byteSize()); cold > 0; cold--) {
            record(values, new ChromeTrace(backend.rank(), SPANS_MAX));
        }
        record(values, trace);
        return trace.last().map(CollectiveTrace.Collective::algorithm).orElse("none");
    }

    private void record(MemorySegment values, CollectiveTrace to) throws CollectiveException {
        vectors.fill(values);
        backend.barrier(CollectiveOptions.DEFAULTS);
        backend.trace(to);
        try {
            reduce(values);
        } finally {
            backend.trace(CollectiveTrace.NONE);
        }
        vectors.check(values);
    }

    private void reduce(MemorySegment values) throws CollectiveException {
        backend.allReduce(values, DataType.FLOAT32, ReduceOp.SUM, options);
    }
}
