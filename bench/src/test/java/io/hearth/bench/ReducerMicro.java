package io.hearth.bench;

import io.hearth.accel.EngineName;
import io.hearth.accel.Reducer;
import io.hearth.accel.select.CalibrationStore;
import io.hearth.accel.select.Engines;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.core.SetupException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * SUM in place: what came from an array (as TCP gives it) or from native memory (as shared memory does), GB/s of what came.
 *
 * <p>It guards the portable engine, whose sum of FLOAT32 the compiler turns into vector code only as it is written: in a cache {@code
 * heap} and {@code natives} belong above 1.4 times those of INT32, whose operands are copied. A small change of that loop may cost all
 * of it, and no test can tell.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH sets the fields up
public class ReducerMicro {
    /** As {@link EngineName#parse} takes it. */
    @Param({"portable", "vector"})
    public String engine;

    /** Of the elements. */
    @Param({"FLOAT32", "BFLOAT16", "INT32"})
    public DataType type;

    /** Of each operand: a segment as it comes from the wire, and more than the caches hold. */
    @Param({"131072", "67108864"})
    public int bytes;

    private Reducer reducer;
    private Arena arena;
    private MemorySegment target;
    private MemorySegment nativeBytes;
    private byte[] heapBytes;
    private float[] left;
    private float[] right;

    /** Fills operands with values near 1, so that sums neither vanish nor become subnormal. */
    @Setup(Level.Trial)
    public void allocate() throws SetupException {
        reducer =
                Engines.chosen(EngineName.parse(engine), CalibrationStore.NONE).newReducer();
        arena = Arena.ofConfined();
        target = arena.allocate(bytes, 64);
        nativeBytes = arena.allocate(bytes, 64);
        heapBytes = new byte[bytes];
        left = new float[bytes / Float.BYTES];
        right = new float[left.length];
        var random = new SplittableRandom(17);
        for (int offset = 0; offset < bytes; offset += type.bytes()) {
            int bits = Float.floatToRawIntBits(1 + random.nextFloat());
            for (int i = 0; i < type.bytes(); i++) {
                heapBytes[offset + i] =
                        (byte) (bits >>> (8 * (Float.BYTES - type.bytes() + i))); // bfloat16: the upper half
            }
        }
        MemorySegment.copy(MemorySegment.ofArray(heapBytes), 0, nativeBytes, 0, bytes);
    }

    /** Gives the memory back. */
    @TearDown(Level.Trial)
    public void free() {
        arena.close();
    }

    /** From an array. */
    @Benchmark
    public void heap(GigabyteCount count) {
        reducer.combine(type, ReduceOp.SUM, target, 0, target, 0, heapBytes, 0, bytes / type.bytes());
        count.add(bytes);
    }

    /** From native memory. */
    @Benchmark
    public void natives(GigabyteCount count) {
        reducer.combine(type, ReduceOp.SUM, target, 0, target, 0, nativeBytes, 0, bytes / type.bytes());
        count.add(bytes);
    }

    /** The plain loop that the portable engine has inside, without copies from native memory and back; FLOAT32 whatever the type. */
    @Benchmark
    public float arrays(GigabyteCount count) {
        for (int i = 0; i < left.length; i++) {
            left[i] += right[i];
        }
        count.add(bytes);
        return left[0];
    }
}
