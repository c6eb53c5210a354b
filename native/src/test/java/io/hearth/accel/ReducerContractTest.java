package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of every engine, judged by {@link ScalarOracle}. */
public abstract class ReducerContractTest {
    public static final List<ReduceOp> OPS = List.of(ReduceOp.SUM, ReduceOp.MIN, ReduceOp.MAX, ReduceOp.PROD);
    private static final int[] LENGTHS = {0, 1, 2, 7, 31, 64, 127, 1021, 2048, 4099, 12_289};
    private static final int[] SHIFTS = {0, 1, 3, 24};
    private static final int LARGE = 1_048_573;

    protected abstract Reducer newReducer();

    @ParameterizedTest
    @EnumSource
    void combinesAsTheScalarOracleDoes(DataType type) {
        var trial = new Trial(newReducer(), new SplittableRandom(17), type);
        for (int length : LENGTHS) {
            for (int shift : SHIFTS) {
                combine(trial, length, shift);
            }
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOAT32")
    void combinesAMillionElementsOfOtherTypes(DataType type) {
        combinesAMillionElements(type);
    }

    @ParameterizedTest
    @EnumSource(names = "FLOAT32")
    void combinesAMillionElements(DataType type) {
        var trial = new Trial(newReducer(), new SplittableRandom(18), type);
        Trial.Left[] lefts = Trial.Left.values();
        Trial.Right[] rights = Trial.Right.values();
        // Each operation starts at other places; not every one at all places, because the oracle is slow.
        int next = type.bytes();
        for (ReduceOp op : OPS) {
            trial.combine(op, lefts[next % lefts.length], rights[next / lefts.length % rights.length], LARGE, 5);
            next++;
        }
    }

    private static void combine(Trial trial, int count, int shift) {
        for (ReduceOp op : OPS) {
            for (Trial.Left left : Trial.Left.values()) {
                for (Trial.Right right : Trial.Right.values()) {
                    trial.combine(op, left, right, count, shift);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void dividesAsTheScalarOracleDoes(DataType type) {
        var trial = new Trial(newReducer(), new SplittableRandom(19), type);
        for (int divisor : new int[] {1, 2, 3, 7, 16, 129, 1000, Integer.MAX_VALUE}) {
            for (int length : LENGTHS) {
                trial.divide(length, divisor, 1);
            }
        }
        trial.divide(LARGE, 3, 5);
    }

    /** Every pair of 16-bit operands from a grid with all exponents, so that every case of rounding occurs. */
    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void roundsEverySixteenBitPatternCorrectly(DataType type) {
        Reducer reducer = newReducer();
        var trial = new Trial(reducer, new SplittableRandom(20), type);
        int all = 1 << 16;
        try (var arena = Arena.ofConfined()) {
            MemorySegment left = arena.allocate(2L * all);
            MemorySegment right = arena.allocate(2L * all);
            MemorySegment target = arena.allocate(2L * all);
            for (int step = 1; step < all; step += 4999) {
                for (int i = 0; i < all; i++) {
                    Elements.set(left, type, 2L * i, i);
                    Elements.set(right, type, 2L * i, (long) i * step);
                }
                for (ReduceOp op : OPS) {
                    reducer.combine(type, op, target, 0, left, 0, right, 0, all);
                    for (int i = 0; i < all; i++) {
                        long expected = ScalarOracle.combine(type, op, (short) i, (short) (i * step));
                        trial.judge(op + " step " + step, i, all, expected, target, 2L * i);
                    }
                }
            }
        }
    }

    @Test
    void refusesAnArrayThatDoesNotFit() {
        Reducer reducer = newReducer();
        try (var arena = Arena.ofConfined()) {
            MemorySegment eight = arena.allocate(8);
            refused("right", () -> sum(reducer, eight, 0, eight, 0, array(4), 0, 2));
            refused("right", () -> sum(reducer, eight, 0, eight, 0, array(8), 1, 2));
            refused("right", () -> sum(reducer, eight, 0, eight, 0, array(8), -1, 1));
            refused("right", () -> sum(reducer, eight, 0, eight, 0, array(8), 9, 0));
            refused("right", () -> sum(reducer, eight, 0, eight, 0, array(8), Integer.MAX_VALUE, 1));
            refused("target", () -> sum(reducer, eight, 0, eight, 0, array(8), 0, -1));
            refused("target", () -> sum(reducer, eight, 0, eight, 0, array(8), 0, Integer.MAX_VALUE));
            refused("AVG", () -> reducer.combine(DataType.INT8, ReduceOp.AVG, eight, 0, eight, 0, array(8), 0, 8));
            assertArrayEquals(new byte[8], eight.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    void refusesNativeMemoryThatDoesNotFit() {
        Reducer reducer = newReducer();
        try (var arena = Arena.ofConfined()) {
            MemorySegment a = arena.allocate(8).fill((byte) 1);
            MemorySegment b = arena.allocate(8).fill((byte) 1);
            MemorySegment heap = MemorySegment.ofArray(new byte[8]);
            refused("target", () -> sum(reducer, a, 0, b, 0, b, 0, 3));
            refused("target", () -> sum(reducer, a, 1, b, 0, b, 0, 2));
            refused("target", () -> sum(reducer, a, -1, b, 0, b, 0, 1));
            refused("target", () -> sum(reducer, a, 9, b, 0, b, 0, 0));
            refused("target", () -> sum(reducer, a, Long.MAX_VALUE, b, 0, b, 0, 1));
            refused("left", () -> sum(reducer, a, 0, b, 1, b, 0, 2));
            refused("left", () -> sum(reducer, a, 0, b, -1, b, 0, 1));
            refused("right", () -> sum(reducer, a, 0, b, 0, b, 1, 2));
            refused("right", () -> sum(reducer, a, 0, b, 0, b, Long.MIN_VALUE, 2));
            refused("writable target", () -> sum(reducer, a.asReadOnly(), 0, b, 0, b, 0, 2));
            refused("target in native", () -> sum(reducer, heap, 0, a, 0, b, 0, 2));
            refused("left in native", () -> sum(reducer, a, 0, heap, 0, b, 0, 2));
            refused("byte[]", () -> sum(reducer, a, 0, b, 0, MemorySegment.ofArray(new int[2]), 0, 2));
            refused("AVG", () -> reducer.combine(DataType.INT8, ReduceOp.AVG, a, 0, b, 0, b, 0, 8));
            assertEquals(-1, a.mismatch(b), "nothing was written");
            sum(reducer, a, 0, b.asReadOnly(), 0, b.asReadOnly(), 0, 2);
        }
    }

    @Test
    void refusesOperandsThatOverlapTheTarget() {
        Reducer reducer = newReducer();
        try (var arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(64);
            MemorySegment apart = arena.allocate(16);
            for (int shift = -15; shift < 16; shift++) {
                long at = 16L + shift;
                refused("right apart", () -> sum(reducer, memory, 16, apart, 0, memory, at, 4));
                refused("right apart", () -> sum(reducer, memory, 16, apart, 0, memory.asSlice(at), 0, 4));
                if (shift != 0) {
                    refused("left", () -> sum(reducer, memory, 16, memory, at, apart, 0, 4));
                    refused("left", () -> sum(reducer, memory, 16, memory, at, array(16), 0, 4));
                }
            }
            sum(reducer, memory, 16, memory, 0, memory, 0, 4);
            sum(reducer, memory, 16, memory, 32, memory, 0, 4);
            sum(reducer, memory, 16, memory.asSlice(16), 0, apart, 0, 4);
        }
    }

    @Test
    void refusesADivisionThatDoesNotFit() {
        Reducer reducer = newReducer();
        try (var arena = Arena.ofConfined()) {
            MemorySegment eight = arena.allocate(8).fill((byte) 1);
            MemorySegment before = arena.allocate(8).copyFrom(eight);
            refused("values", () -> reducer.divide(DataType.INT64, eight.asSlice(0, 7), 0, 1, 2));
            refused("values", () -> reducer.divide(DataType.INT64, eight, 1, 1, 2));
            refused("values", () -> reducer.divide(DataType.INT64, eight, -1, 1, 2));
            refused("values", () -> reducer.divide(DataType.INT64, eight, 0, -1, 2));
            refused("values", () -> reducer.divide(DataType.INT64, eight, 0, Long.MAX_VALUE, 2));
            refused("values", () -> reducer.divide(DataType.INT64, MemorySegment.ofArray(new byte[8]), 0, 1, 2));
            refused("values", () -> reducer.divide(DataType.INT64, eight.asReadOnly(), 0, 1, 2));
            refused("divisor", () -> reducer.divide(DataType.INT64, eight, 0, 1, 0));
            assertEquals(-1, eight.mismatch(before), "nothing was written");
        }
    }

    private static MemorySegment array(int bytes) {
        return MemorySegment.ofArray(new byte[bytes]);
    }

    private static void sum(
            Reducer reducer,
            MemorySegment target,
            long t,
            MemorySegment left,
            long l,
            MemorySegment right,
            long r,
            int n) {
        reducer.combine(DataType.FLOAT32, ReduceOp.SUM, target, t, left, l, right, r, n);
    }

    private static void refused(String about, Runnable call) {
        String message = assertThrows(IllegalArgumentException.class, call::run).toString();
        assertTrue(message.contains(about), message);
    }
}
