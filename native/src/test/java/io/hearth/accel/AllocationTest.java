package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.hearth.accel.gpu.MetalReducer;
import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.select.Engines;
import io.hearth.accel.select.KernelRun;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Reducing a chunk allocates nothing once its code is compiled: a garbage collection must not stop a ring. */
final class AllocationTest {
    /** A chunk with a tail after the last whole vector. */
    private static final int BYTES = 4096 + 8;

    private static final int CALLS = 200;

    /** Batches until the compiler is idle, which depends on the machine's other work. */
    private static final int BATCHES_MAX = 25_000;

    private static final int SUBMISSION_BATCHES_MAX = 500;

    /**
     * Bytes of a batch whose calls add two blocks each. The portable loop makes a buffer for each block, and the compiler allocates none,
     * unless the profile of earlier tests in this JVM keeps it from inlining.
     */
    private static final long BUFFERS_BYTES = 2 * 160 * CALLS;

    private static final List<KernelKind> OTHERS = List.of(
            KernelKind.ADD_INT8, KernelKind.QUANTISE_INT8, KernelKind.SELECT_FLOAT32, KernelKind.HISTOGRAM_FLOAT32);

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The fewest bytes that a batch of calls allocated. */
    private static long leastAllocated(Runnable call, long enough) {
        long least = Long.MAX_VALUE;
        for (int batch = 0; batch < BATCHES_MAX && least > enough; batch++) {
            long before = allocated();
            for (int i = 0; i < CALLS; i++) {
                call.run();
            }
            least = Math.min(least, allocated() - before);
        }
        return least;
    }

    private static void assertLittle(long most, Runnable call, String what) {
        long least = leastAllocated(call, most);
        assertTrue(least <= most, () -> what + " allocated " + least / CALLS + " bytes in each call");
    }

    private static long allocated() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    @ParameterizedTest
    @CsvSource({"PORTABLE", "VECTOR"})
    void aCombinedChunkMakesNoGarbage(Engine engine) {
        Reducer reducer = Engines.newReducer(engine);
        MemorySegment array = MemorySegment.ofArray(new byte[BYTES]);
        try (var arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(BYTES);
            MemorySegment right = arena.allocate(BYTES);
            for (DataType type : DataType.values()) {
                int count = BYTES / type.bytes();
                Runnable natives = () -> reducer.combine(type, ReduceOp.SUM, target, 0, target, 0, right, 0, count);
                Runnable arrays = () -> reducer.combine(type, ReduceOp.SUM, target, 0, target, 0, array, 0, count);
                Runnable divisions = () -> reducer.divide(type, target, 0, count, 3);
                long most = type == DataType.FLOAT32 ? BUFFERS_BYTES : 0;
                assertLittle(most, natives, engine + " " + type + " from native memory");
                assertLittle(most, arrays, engine + " " + type + " from an array");
                assertEquals(0, leastAllocated(divisions, 0), () -> engine + " " + type + " division");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"PORTABLE", "VECTOR"})
    void theOtherKernelsMakeNone(Engine engine) {
        Reducer reducer = Engines.newReducer(engine);
        CodecKernels codecs = reducer.codecKernels();
        for (KernelKind kind : OTHERS) {
            try (var run = new KernelRun(kind, BYTES)) {
                assertEquals(0, leastAllocated(() -> run.call(reducer, codecs), 0), () -> engine + " " + kind.text());
            }
        }
    }

    /** Every format, with a last block that is shorter than the others. */
    @Tag("full")
    @ParameterizedTest
    @CsvSource({"PORTABLE", "VECTOR"})
    void theCodecsKernelsMakeNone(Engine engine) {
        CodecKernels codecs = Engines.codecKernels(engine);
        int count = BYTES / Float.BYTES;
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(BYTES);
            MemorySegment packed = arena.allocate(2L * BYTES);
            var calls = new LinkedHashMap<String, Runnable>();
            calls.put("add", () -> codecs.add(values, 0, values, 0, values, 0, count));
            for (BlockFormat format : List.of(new BlockFormat(8, 64), new BlockFormat(4, 100))) {
                Rounding rounding = format.bits() == Byte.SIZE ? Rounding.NEAREST : Rounding.stochastic(7);
                String name = "int" + format.bits();
                calls.put(name, () -> codecs.quantise(format, rounding, 0, values, 0, count, packed, 0));
                calls.put(
                        name + " error",
                        () -> codecs.quantiseLeavingError(format, rounding, 0, values, 0, count, packed, 0));
                calls.put(name + " sum", () -> codecs.dequantiseAndAdd(format, packed, 0, values, 0, count));
                calls.put(name + " back", () -> codecs.dequantise(format, packed, 0, values, 0, count));
                calls.put(name + " check", () -> codecs.badBlock(format, packed, 0, count));
            }
            for (HalfFloat format : HalfFloat.values()) {
                calls.put(format + "", () -> codecs.narrow(format, values, 0, count, packed, 0));
                calls.put(format + " error", () -> codecs.narrowLeavingError(format, values, 0, count, packed, 0));
                calls.put(format + " sum", () -> codecs.widenAndAdd(format, packed, 0, values, 0, count));
                calls.put(format + " back", () -> codecs.widen(format, packed, 0, values, 0, count));
            }
            calls.forEach((name, call) -> assertEquals(0, leastAllocated(call, 0), () -> engine + " " + name));
        }
    }

    /** Neither the calling thread nor the thread of Metal allocates. */
    @ParameterizedTest
    @EnumSource(
            names = {"SUM_FLOAT32", "SUM_INT32", "ADD_INT8", "QUANTISE_INT8", "SELECT_FLOAT32", "HISTOGRAM_FLOAT32"})
    void aSubmissionToTheGpuMakesNoGarbage(KernelKind kind) {
        try (var run = new KernelRun(kind, 4096)) {
            CodecKernels codecs = Engines.codecKernels(Engine.PORTABLE);
            assertEquals(0, leastAllocatedBySubmission(reducer -> run.call(reducer, codecs)));
        }
    }

    @Test
    void norDoesOneWithAnOperandInAnArray() {
        int count = 1024;
        MemorySegment right = MemorySegment.ofArray(new byte[count * Float.BYTES]);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(right.byteSize());
            assertEquals(
                    0,
                    leastAllocatedBySubmission(reducer ->
                            reducer.combine(DataType.FLOAT32, ReduceOp.SUM, target, 0, target, 0, right, 0, count)));
        }
    }

    private static long leastAllocatedBySubmission(Consumer<Reducer> call) {
        var limits = new MetalLimits(1, 1 << 20, Duration.ofSeconds(60), Duration.ofSeconds(60));
        try (MetalEngine engine = MetalEngine.open(FakeMetal.get().libraries(), limits)) {
            var reducer = new MetalReducer(
                    engine, Engines.newReducer(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0));
            long gpuThread = gpuThread();
            long least = Long.MAX_VALUE;
            for (int batch = 0; batch < SUBMISSION_BATCHES_MAX && least > 0; batch++) {
                long before = allocated() + THREADS.getThreadAllocatedBytes(gpuThread);
                for (int i = 0; i < CALLS; i++) {
                    call.accept(reducer);
                }
                least = Math.min(least, allocated() + THREADS.getThreadAllocatedBytes(gpuThread) - before);
            }
            assertEquals(0, engine.status().callsOnCpu(), "all were submitted");
            return least;
        }
    }

    private static long gpuThread() {
        for (ThreadInfo info : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (info != null && info.getThreadName().equals("hearth-metal")) {
                return info.getThreadId();
            }
        }
        throw new AssertionError("no thread for Metal");
    }
}
