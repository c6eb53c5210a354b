package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every engine must do, judged by {@link ScalarOracle} bit for bit; all NaNs count as one. */
abstract class ReducerContractTest {
    private static final ReduceOp[] OPS = {ReduceOp.SUM, ReduceOp.MIN, ReduceOp.MAX, ReduceOp.PROD};
    private static final int[] LENGTHS = {0, 1, 2, 7, 31, 64, 127, 1021, 2048, 4099, 12_289};
    private static final int[] OFFSETS = {0, 1, 3, 24};
    private static final int LARGE = 1_048_573;
    private static final int GUARD = 64;

    abstract Reducer newReducer();

    @ParameterizedTest
    @EnumSource
    void accumulatesAsTheScalarOracleDoes(DataType type) {
        var random = new SplittableRandom(17);
        Reducer reducer = newReducer();
        for (ReduceOp op : OPS) {
            for (int length : LENGTHS) {
                for (int offset : OFFSETS) {
                    accumulateAndJudge(reducer, random, type, op, length, offset);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void accumulatesAMillionElements(DataType type) {
        var random = new SplittableRandom(18);
        Reducer reducer = newReducer();
        for (ReduceOp op : OPS) {
            accumulateAndJudge(reducer, random, type, op, LARGE, 5);
        }
    }

    @ParameterizedTest
    @EnumSource
    void dividesAsTheScalarOracleDoes(DataType type) {
        var random = new SplittableRandom(19);
        Reducer reducer = newReducer();
        for (int divisor : new int[] {1, 2, 3, 7, 16, 129, 1000, Integer.MAX_VALUE}) {
            for (int length : LENGTHS) {
                divideAndJudge(reducer, random, type, length, divisor);
            }
        }
        divideAndJudge(reducer, random, type, LARGE, 3);
    }

    /** Every pair of 16-bit operands from a grid that holds all exponents: rounding has nowhere to hide. */
    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void roundsEverySixteenBitPatternCorrectly(DataType type) {
        Reducer reducer = newReducer();
        int all = 1 << 16;
        byte[] input = new byte[all * 2];
        try (var arena = Arena.ofConfined()) {
            MemorySegment accumulator = arena.allocate(input.length);
            for (int step = 1; step < all; step += 4999) {
                for (ReduceOp op : OPS) {
                    for (int i = 0; i < all; i++) {
                        Elements.set(accumulator, type, 2L * i, i);
                        Elements.set(MemorySegment.ofArray(input), type, 2L * i, (long) i * step);
                    }
                    reducer.accumulate(type, op, accumulator, input, 0, all);
                    for (int i = 0; i < all; i++) {
                        long expected = ScalarOracle.combine(type, op, (short) i, (short) (i * step));
                        judge(type, op + " of " + i + " and step " + step, expected, accumulator, 2L * i);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void allocatesNothingPerCall(DataType type) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Reducer reducer = newReducer();
        byte[] input = new byte[16 * 1024 + 3];
        int count = 16 * 1024 / type.bytes() - 1;
        try (var arena = Arena.ofConfined()) {
            MemorySegment accumulator = arena.allocate(16 * 1024);
            long least = Long.MAX_VALUE;
            // The interpreter boxes vectors; compiled code must not. How soon a busy machine compiles is not ours to
            // say.
            for (int round = 0; round < 20_000 && least > 0; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int call = 0; call < 20; call++) {
                    for (ReduceOp op : OPS) {
                        reducer.accumulate(type, op, accumulator, input, 3, count);
                    }
                    reducer.divide(type, accumulator, 3);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertEquals(0, least, "bytes allocated by 100 calls after warm-up");
        }
    }

    @Test
    void refusesWhatDoesNotFit() {
        Reducer reducer = newReducer();
        try (var arena = Arena.ofConfined()) {
            MemorySegment eight = arena.allocate(8);
            refused(() -> accumulate(reducer, eight, new byte[8], 0, 3));
            refused(() -> accumulate(reducer, eight, new byte[8], 1, 2));
            refused(() -> accumulate(reducer, eight, new byte[12], 0, 3));
            refused(() -> accumulate(reducer, eight, new byte[8], -1, 1));
            refused(() -> accumulate(reducer, eight, new byte[8], 9, 0));
            refused(() -> accumulate(reducer, eight, new byte[8], 0, -1));
            refused(() -> accumulate(reducer, eight, new byte[8], Integer.MAX_VALUE, 1));
            refused(() -> accumulate(reducer, eight, new byte[8], 0, Integer.MAX_VALUE));
            refused(() -> accumulate(reducer, eight.asReadOnly(), new byte[8], 0, 2));
            refused(() -> accumulate(reducer, MemorySegment.ofArray(new byte[8]), new byte[8], 0, 2));
            refused(() -> reducer.accumulate(DataType.INT8, ReduceOp.AVG, eight, new byte[8], 0, 8));
            refused(() -> reducer.divide(DataType.FLOAT64, eight.asSlice(0, 7), 2));
            refused(() -> reducer.divide(DataType.FLOAT64, eight, 0));
            refused(() -> reducer.divide(DataType.FLOAT64, MemorySegment.ofArray(new byte[8]), 2));
            assertArrayEquals(new byte[8], eight.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private static void accumulate(Reducer reducer, MemorySegment accumulator, byte[] input, int offset, int count) {
        reducer.accumulate(DataType.FLOAT32, ReduceOp.SUM, accumulator, input, offset, count);
    }

    private static void refused(Runnable call) {
        assertThrows(IllegalArgumentException.class, call::run);
    }

    private static void accumulateAndJudge(
            Reducer reducer, SplittableRandom random, DataType type, ReduceOp op, int count, int offset) {
        byte[] input = new byte[offset + count * type.bytes()];
        MemorySegment inputs = MemorySegment.ofArray(input);
        try (var arena = Arena.ofConfined()) {
            MemorySegment memory = guarded(arena, (long) count * type.bytes() + offset);
            MemorySegment accumulator = memory.asSlice(GUARD + offset, (long) count * type.bytes());
            long[] expected = new long[count];
            for (int i = 0; i < count; i++) {
                long left = Elements.random(random, type);
                long right = Elements.random(random, type);
                Elements.set(accumulator, type, (long) i * type.bytes(), left);
                Elements.set(inputs, type, offset + (long) i * type.bytes(), right);
                expected[i] = ScalarOracle.combine(type, op, left, right);
            }
            byte[] before = input.clone();
            reducer.accumulate(type, op, accumulator, input, offset, count);
            assertArrayEquals(before, input, "the input is only borrowed");
            assertGuardsIntact(memory);
            for (int i = 0; i < count; i++) {
                judge(type, op + " at " + i + " of " + count, expected[i], accumulator, (long) i * type.bytes());
            }
        }
    }

    private static void divideAndJudge(
            Reducer reducer, SplittableRandom random, DataType type, int count, int divisor) {
        try (var arena = Arena.ofConfined()) {
            MemorySegment memory = guarded(arena, (long) count * type.bytes() + 1);
            MemorySegment values = memory.asSlice(GUARD + 1, (long) count * type.bytes());
            long[] expected = new long[count];
            for (int i = 0; i < count; i++) {
                long value = Elements.random(random, type);
                Elements.set(values, type, (long) i * type.bytes(), value);
                expected[i] = ScalarOracle.divide(type, value, divisor);
            }
            reducer.divide(type, values, divisor);
            assertGuardsIntact(memory);
            for (int i = 0; i < count; i++) {
                judge(type, "/ " + divisor + " at " + i, expected[i], values, (long) i * type.bytes());
            }
        }
    }

    private static MemorySegment guarded(Arena arena, long bytes) {
        MemorySegment memory = arena.allocate(bytes + 2 * GUARD);
        memory.fill((byte) 0x5a);
        return memory;
    }

    private static void assertGuardsIntact(MemorySegment memory) {
        for (int i = 0; i < GUARD; i++) {
            assertEquals(0x5a, memory.get(ValueLayout.JAVA_BYTE, i), "guard before");
            assertEquals(0x5a, memory.get(ValueLayout.JAVA_BYTE, memory.byteSize() - 1 - i), "guard after");
        }
    }

    private static void judge(DataType type, String what, long expected, MemorySegment memory, long offset) {
        long actual = Elements.get(memory, type, offset);
        boolean nans = ScalarOracle.isNan(type, expected) && ScalarOracle.isNan(type, actual);
        if (actual != expected && !nans) {
            fail(type + " " + what + ": expected bits " + Long.toHexString(expected) + ", got "
                    + Long.toHexString(actual));
        }
    }
}
