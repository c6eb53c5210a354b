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
 * SUM in place of an operand from an array (as with TCP) or from native memory (as with shared memory). GB/s counts that operand.
 *
 * <p>It guards the portable engine: the compiler makes vector code of its FLOAT32 sum only in its present form. In a cache, {@code heap} and {@code natives} must be above 1.4 times those of INT32, whose operands are copied. A small change of that loop may lose all of this speed, and no test notices.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH sets the fields up
public class ReducerMicro {
    /** An engine, as {@link EngineName#parse} reads it. */
    @Param({"portable", "vector"})
    public String engine;

    /** Type of the elements. */
    @Param({"FLOAT32", "BFLOAT16", "INT32"})
    public DataType type;

    /** Bytes of each operand: a segment as it arrives from the network, and more than the caches hold. */
    @Param({"131072", "67108864"})
    public int bytes;

    private Reducer reducer;
    private Arena arena;
    private MemorySegment target;
    private MemorySegment nativeBytes;
    private MemorySegment heapBytes;
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
        byte[] array = new byte[bytes];
        heapBytes = MemorySegment.ofArray(array);
        left = new float[bytes / Float.BYTES];
        right = new float[left.length];
        var random = new SplittableRandom(17);
        for (int offset = 0; offset < bytes; offset += type.bytes()) {
            int bits = Float.floatToRawIntBits(1 + random.nextFloat());
            for (int i = 0; i < type.bytes(); i++) {
                array[offset + i] =
                        (byte) (bits >>> (8 * (Float.BYTES - type.bytes() + i))); // bfloat16: the upper half
            }
        }
        MemorySegment.copy(heapBytes, 0, nativeBytes, 0, bytes);
    }

    /** Frees the memory. */
    @TearDown(Level.Trial)
    public void free() {
        arena.close();
    }

    /** Adds from an array. */
    @Benchmark
    public void heap(GigabyteCount count) {
        reducer.combine(type, ReduceOp.SUM, target, 0, target, 0, heapBytes, 0, bytes / type.bytes());
        count.add(bytes);
    }

    /** Adds from native memory. */
    @Benchmark
    public void natives(GigabyteCount count) {
        reducer.combine(type, ReduceOp.SUM, target, 0, target, 0, nativeBytes, 0, bytes / type.bytes());
        count.add(bytes);
    }

    /** The inner loop of the portable engine, without copies from and to native memory; always FLOAT32. */
    @Benchmark
    public float arrays(GigabyteCount count) {
        for (int i = 0; i < left.length; i++) {
            left[i] += right[i];
        }
        count.add(bytes);
        return left[0];
    }
}
