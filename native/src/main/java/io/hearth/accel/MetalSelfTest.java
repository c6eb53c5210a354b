package io.hearth.accel;

import io.hearth.accel.metal.MetalEngine;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Every kernel on a few thousand awkward values, compared with {@link PortableReducer} bit for bit (NaN as one): what can be proved
 * on a GPU that nobody saw before. Takes some milliseconds.
 */
final class MetalSelfTest {
    private static final List<DataType> TYPES =
            List.of(DataType.FLOAT32, DataType.FLOAT16, DataType.BFLOAT16, DataType.INT32);
    private static final List<ReduceOp> OPS = List.of(ReduceOp.SUM, ReduceOp.MIN, ReduceOp.MAX, ReduceOp.PROD);
    private static final int[] DIVISORS = {2, 3, 7, 1000, Integer.MAX_VALUE};
    private static final int COUNT = 4099;
    private static final long SEED = 25;

    /** Of float32; their upper halves are awkward bfloat16 values, and random ones are among the others. */
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
        0x3f80_0000,
        0x3f80_8000,
        0x3f81_8000,
        0x4b7f_ffff,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000
    };

    private final MetalEngine engine;
    private final Reducer portable = Engine.PORTABLE.newReducer();

    /** The engine is only borrowed. */
    MetalSelfTest(MetalEngine engine) {
        this.engine = engine;
    }

    /** What is wrong; empty if nothing, or if Metal did not answer, which the engine knows itself. */
    Optional<String> firstDifference() {
        try (var arena = Arena.ofConfined()) {
            long bytes = (long) COUNT * Integer.BYTES;
            var random = new SplittableRandom(SEED);
            MemorySegment[] inputs = {
                awkward(arena.allocate(bytes), random, 1),
                awkward(arena.allocate(bytes), random, AWKWARD.length),
                awkward(arena.allocate(bytes), random, 7),
                awkward(arena.allocate(bytes), random, 3),
                awkward(arena.allocate(bytes), random, 5)
            };
            MemorySegment actual = arena.allocate(bytes);
            MemorySegment expected = arena.allocate(bytes);
            for (DataType type : TYPES) {
                for (ReduceOp op : OPS) {
                    for (int k : new int[] {2, 3, inputs.length}) {
                        MemorySegment[] some = Arrays.copyOf(inputs, k);
                        int done = engine.combine(type, op, actual, 0, some, COUNT);
                        portable.combineAll(type, op, expected, 0, some, done);
                        Optional<String> difference = difference(op + " of " + k, type, actual, expected, done);
                        if (difference.isPresent()) {
                            return difference;
                        }
                    }
                }
                for (int divisor : DIVISORS) {
                    actual.copyFrom(inputs[0]);
                    expected.copyFrom(inputs[0]);
                    long done = engine.divide(type, actual, 0, COUNT, divisor);
                    portable.divide(type, expected, 0, done, divisor);
                    Optional<String> difference = difference("division by " + divisor, type, actual, expected, done);
                    if (difference.isPresent()) {
                        return difference;
                    }
                }
            }
            return Optional.empty();
        }
    }

    private static MemorySegment awkward(MemorySegment memory, SplittableRandom random, int stride) {
        for (int i = 0; i < COUNT; i++) {
            int value = AWKWARD[i / stride % AWKWARD.length] | (random.nextBoolean() ? Integer.MIN_VALUE : 0);
            int bits = i < COUNT / 2 ? value : random.nextInt();
            memory.setAtIndex(ValueLayout.JAVA_INT, i, bits);
        }
        return memory;
    }

    private static Optional<String> difference(
            String what, DataType type, MemorySegment actual, MemorySegment expected, long count) {
        for (long i = 0; i < count; i++) {
            int one = bits(type, actual, i);
            int other = bits(type, expected, i);
            if (one != other && !(isNan(type, one) && isNan(type, other))) {
                return Optional.of(type + " " + what + " at " + i + " gives bits " + Integer.toHexString(one)
                        + " instead of " + Integer.toHexString(other));
            }
        }
        return Optional.empty();
    }

    private static int bits(DataType type, MemorySegment memory, long index) {
        return type.bytes() == Short.BYTES
                ? memory.getAtIndex(ValueLayout.JAVA_SHORT, index)
                : memory.getAtIndex(ValueLayout.JAVA_INT, index);
    }

    private static boolean isNan(DataType type, int bits) {
        return switch (type) {
            case FLOAT32 -> Float.isNaN(Float.intBitsToFloat(bits));
            case FLOAT16 -> Float.isNaN(Float.float16ToFloat((short) bits));
            case BFLOAT16 -> Float.isNaN(Float.intBitsToFloat(bits << Short.SIZE));
            default -> false;
        };
    }
}
