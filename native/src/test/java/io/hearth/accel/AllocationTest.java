package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A reduced chunk makes no garbage once its code is compiled: a collector must not stop a ring. */
final class AllocationTest {
    /** A chunk with a tail behind the last whole vector. */
    private static final int BYTES = 4096 + 8;

    private static final int CALLS = 200;

    /** Until the compiler is done, which takes as long as the machine's other work lets it. */
    private static final int BATCHES_MAX = 5000;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The least that a batch of calls allocated. */
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

    private static long allocated() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    @ParameterizedTest
    @CsvSource({"PORTABLE", "VECTOR"})
    void aCombinedChunkMakesNoGarbage(Engine engine) {
        Reducer reducer = engine.newReducer();
        byte[] array = new byte[BYTES];
        try (var arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(BYTES);
            MemorySegment right = arena.allocate(BYTES);
            for (DataType type : DataType.values()) {
                int count = BYTES / type.bytes();
                Runnable natives = () -> reducer.combine(type, ReduceOp.SUM, target, 0, target, 0, right, 0, count);
                Runnable arrays = () -> reducer.combine(type, ReduceOp.SUM, target, 0, target, 0, array, 0, count);
                Runnable divisions = () -> reducer.divide(type, target, 0, count, 3);
                assertEquals(0, leastAllocated(natives, 0), () -> engine + " " + type + " from native memory");
                assertEquals(0, leastAllocated(arrays, 0), () -> engine + " " + type + " from an array");
                assertEquals(0, leastAllocated(divisions, 0), () -> engine + " " + type + " division");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            names = {"SUM4_FLOAT32", "SUM4_BFLOAT16", "ADD_INT8", "QUANTISE_INT8", "SELECT_FLOAT32", "HISTOGRAM_FLOAT32"
            })
    void theVectorEnginesOtherKernelsMakeNone(KernelKind kind) {
        Reducer reducer = Engine.VECTOR.newReducer();
        CodecKernels codecs = Engine.VECTOR.codecKernels();
        try (var run = new KernelRun(kind, BYTES)) {
            assertEquals(0, leastAllocated(() -> run.call(reducer, codecs), 0), kind::text);
        }
    }

    /** A submission makes some small objects, whatever the size of its chunk: some tens of bytes for each message to Metal. */
    @ParameterizedTest
    @ValueSource(ints = {4096, 65_536})
    void aSubmissionToTheGpuMakesLittleAndNotMoreForALargerChunk(int bytes) {
        FakeMetal fake = FakeMetal.get();
        var limits = new MetalLimits(1, 1 << 20, Duration.ofSeconds(60), Duration.ofSeconds(60));
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), limits);
                var run = new KernelRun(KernelKind.SUM_FLOAT32, bytes)) {
            Reducer reducer =
                    new MetalReducer(engine, Engine.PORTABLE.newReducer(), EngineChoice.from(Engine.PORTABLE, 0));
            CodecKernels codecs = Engine.PORTABLE.codecKernels();
            int calls = 300;
            long gpuThread = gpuThread();
            long least = Long.MAX_VALUE;
            for (int batch = 0; batch < 20; batch++) {
                long before = allocated() + THREADS.getThreadAllocatedBytes(gpuThread);
                for (int i = 0; i < calls; i++) {
                    run.call(reducer, codecs);
                }
                least = Math.min(least, allocated() + THREADS.getThreadAllocatedBytes(gpuThread) - before);
            }
            long perCall = least / calls;
            assertTrue(perCall < 6000, () -> perCall + " bytes for each submission");
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
