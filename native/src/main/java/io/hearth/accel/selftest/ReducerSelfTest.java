package io.hearth.accel.selftest;

import io.hearth.accel.Reducer;
import io.hearth.accel.gpu.MetalProof;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.portable.PortableReducer;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Compares every kernel with {@link PortableReducer} bit for bit (all NaN are equal), on a few thousand awkward values: a proof for a
 * machine on which Hearth never ran. Takes some milliseconds.
 */
public final class ReducerSelfTest {
    private static final List<DataType> METAL_TYPES =
            List.of(DataType.FLOAT32, DataType.FLOAT16, DataType.BFLOAT16, DataType.INT32);
    private static final List<ReduceOp> OPS = List.of(ReduceOp.SUM, ReduceOp.MIN, ReduceOp.MAX, ReduceOp.PROD);
    private static final int[] DIVISORS = {2, 3, 7, 1000, Integer.MAX_VALUE};
    private static final int COUNT = 12_289;
    private static final long SEED = 25;

    /** Bits of float32; their upper halves are awkward bfloat16 values. Half of the values are random. */
    private static final int[] AWKWARD = {
        0,
        1,
        0x0000_ffff,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x00ff_ffff,
        0x0d7f_ffff,
        0x0d80_0000,
        0x2000_0000,
        0x3f00_0000,
        0x3f80_0000,
        0x3f80_8000,
        0x3f81_8000,
        0x4b7f_ffff,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000
    };

    private final List<DataType> types;
    private final Subject subject;
    private final Optional<Reducer> dividing; // empty for a GPU, which does not divide
    private final Reducer portable = new PortableReducer();
    private int checks;

    /** The engine under test. */
    private interface Subject {
        /** Returns how many elements are done, from the first one on. */
        int combine(
                DataType type, ReduceOp op, MemorySegment target, MemorySegment left, MemorySegment right, int count);
    }

    private ReducerSelfTest(List<DataType> types, Subject subject, Optional<Reducer> dividing) {
        this.types = types;
        this.subject = subject;
        this.dividing = dividing;
    }

    /** Tests what the GPU does itself, without another engine; {@code engine} is borrowed. */
    public static ReducerSelfTest of(MetalEngine engine) {
        return new ReducerSelfTest(
                METAL_TYPES,
                (type, op, target, left, right, count) -> engine.combine(type, op, target, 0, left, 0, right, 0, count),
                Optional.empty());
    }

    /** Tests all operations of a reducer, which is borrowed. */
    public static ReducerSelfTest of(Reducer reducer) {
        return new ReducerSelfTest(
                List.of(DataType.values()),
                (type, op, target, left, right, count) -> {
                    reducer.combine(type, op, target, 0, left, 0, right, 0, count);
                    return count;
                },
                Optional.of(reducer));
    }

    /** Number of calls that were compared. */
    public int checks() {
        return checks;
    }

    /**
     * Runs the test; returns the first difference, empty if there is none. Only elements that a GPU did itself are compared:
     * {@link MetalProof} asks the engine whether it did all.
     */
    public Optional<String> firstDifference() {
        try (var arena = Arena.ofConfined()) {
            long bytes = (long) COUNT * Long.BYTES;
            var random = new SplittableRandom(SEED);
            MemorySegment left = awkward(arena.allocate(bytes), random, 1);
            MemorySegment right = awkward(arena.allocate(bytes), random, AWKWARD.length);
            MemorySegment actual = arena.allocate(bytes);
            MemorySegment expected = arena.allocate(bytes);
            for (DataType type : types) {
                for (ReduceOp op : OPS) {
                    int done = subject.combine(type, op, actual, left, right, COUNT);
                    portable.combine(type, op, expected, 0, left, 0, right, 0, done);
                    Optional<String> difference = difference(op.name(), type, actual, expected, done);
                    if (difference.isPresent()) {
                        return difference;
                    }
                }
                for (int divisor : dividing.isPresent() ? DIVISORS : new int[0]) {
                    actual.copyFrom(left);
                    expected.copyFrom(left);
                    dividing.orElseThrow().divide(type, actual, 0, COUNT, divisor);
                    portable.divide(type, expected, 0, COUNT, divisor);
                    Optional<String> difference = difference("division by " + divisor, type, actual, expected, COUNT);
                    if (difference.isPresent()) {
                        return difference;
                    }
                }
            }
            return Optional.empty();
        }
    }

    private static MemorySegment awkward(MemorySegment memory, SplittableRandom random, int stride) {
        int words = (int) (memory.byteSize() / Integer.BYTES);
        for (int i = 0; i < words; i++) {
            int value = AWKWARD[i / stride % AWKWARD.length] | (random.nextBoolean() ? Integer.MIN_VALUE : 0);
            int bits = i % COUNT < COUNT / 2 ? value : random.nextInt();
            memory.setAtIndex(ValueLayout.JAVA_INT, i, bits);
        }
        return memory;
    }

    private Optional<String> difference(
            String what, DataType type, MemorySegment actual, MemorySegment expected, long count) {
        checks++;
        for (long i = 0; i < count; i++) {
            long one = bits(type, actual, i);
            long other = bits(type, expected, i);
            if (one != other && !(isNan(type, one) && isNan(type, other))) {
                return Optional.of(type + " " + what + " at " + i + " gives bits " + Long.toHexString(one)
                        + " instead of " + Long.toHexString(other));
            }
        }
        return Optional.empty();
    }

    private static long bits(DataType type, MemorySegment memory, long index) {
        return switch (type.bytes()) {
            case Byte.BYTES -> memory.get(ValueLayout.JAVA_BYTE, index);
            case Short.BYTES -> memory.getAtIndex(ValueLayout.JAVA_SHORT, index);
            case Integer.BYTES -> memory.getAtIndex(ValueLayout.JAVA_INT, index);
            default -> memory.getAtIndex(ValueLayout.JAVA_LONG, index);
        };
    }

    private static boolean isNan(DataType type, long bits) {
        return switch (type) {
            case FLOAT32 -> Float.isNaN(Float.intBitsToFloat((int) bits));
            case FLOAT64 -> Double.isNaN(Double.longBitsToDouble(bits));
            case FLOAT16 -> Float.isNaN(Float.float16ToFloat((short) bits));
            case BFLOAT16 -> Float.isNaN(Float.intBitsToFloat((int) bits << Short.SIZE));
            case INT32, INT64, INT8, UINT8 -> false;
        };
    }
}
