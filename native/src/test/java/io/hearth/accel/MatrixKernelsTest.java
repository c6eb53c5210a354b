package io.hearth.accel;

import static io.hearth.accel.portable.PortableCodecKernels.FLOAT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.portable.PortableMatrixKernels;
import io.hearth.accel.vector.VectorMatrixKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the products of both CPU engines with the definition, in double where the order is free. */
@EnabledIf("io.hearth.accel.VectorWidth#isPresent")
final class MatrixKernelsTest {
    /** Numbers near the ends of vectors of each width, of four vectors, and of a tile. */
    private static final int[] COLUMNS = {1, 2, 3, 7, 8, 9, 15, 31, 33, 63, 64, 65, 127, 511, 512, 513, 1031};

    private static final int[] ROWS = {1, 2, 3, 4, 5, 8, 9};
    private static final int[] WIDTHS = {1, 2, 3, 4};

    /** Bytes before and after the written ones; odd, so that nothing is aligned. */
    private static final int GUARD = 33;

    private static final byte GUARD_BYTE = 0x5a;

    private record Guarded(MemorySegment all) {
        MemorySegment values() {
            return all.asSlice(GUARD, all.byteSize() - 2 * GUARD);
        }

        Guarded with(MemorySegment values) {
            var _ = values().copyFrom(values);
            return this;
        }

        void assertGuards(Object where) {
            for (long i = 0; i < GUARD; i++) {
                assertEquals(GUARD_BYTE, all.get(ValueLayout.JAVA_BYTE, i), () -> where + ", before");
                assertEquals(
                        GUARD_BYTE, all.get(ValueLayout.JAVA_BYTE, all.byteSize() - 1 - i), () -> where + ", behind");
            }
        }
    }

    /** A matrix of {@code rows}, of which the last is cut, as the sum of two memories, and factors. */
    private static final class Case {
        final int columns;
        final int width;
        final int count;
        final int rows;
        final MemorySegment one;
        final MemorySegment other;
        final float[] left;
        final float[] right;
        private final Arena arena;

        Case(Arena arena, SplittableRandom random, int rows, int columns, int width) {
            this.arena = arena;
            this.columns = columns;
            this.width = width;
            this.rows = rows;
            count = rows * columns - random.nextInt(columns);
            one = memory().values();
            other = memory().values();
            for (int i = 0; i < count; i++) {
                one.set(FLOAT, i * 4L, value(random));
                other.set(FLOAT, i * 4L, value(random));
            }
            left = new float[rows * width];
            right = new float[width * columns];
            for (int i = 0; i < left.length; i++) {
                left[i] = value(random);
            }
            for (int i = 0; i < right.length; i++) {
                right[i] = value(random);
            }
        }

        private static float value(SplittableRandom random) {
            return (float) (random.nextInt(8) == 0 ? 0 : random.nextGaussian() * Math.pow(10, random.nextInt(-3, 4)));
        }

        Guarded memory() {
            return new Guarded(arena.allocate(count * 4L + 2 * GUARD).fill(GUARD_BYTE));
        }

        int inRow(int row) {
            return Math.min(columns, count - row * columns);
        }

        float at(int row, int column) {
            long place = (row * (long) columns + column) * Float.BYTES;
            return one.get(FLOAT, place) + other.get(FLOAT, place);
        }

        float product(int row, int column) {
            float sum = left[row * width] * right[column];
            for (int k = 1; k < width; k++) {
                sum += left[row * width + k] * right[k * columns + column];
            }
            return sum;
        }

        @Override
        public String toString() {
            return rows + " x " + columns + " (" + count + "), width " + width;
        }
    }

    static Stream<MatrixKernels> engines() {
        return Stream.of(new PortableMatrixKernels(), new VectorMatrixKernels());
    }

    private static void forAll(Consumer<Case> check) {
        var random = new SplittableRandom(1);
        for (int columns : COLUMNS) {
            for (int rows : ROWS) {
                for (int width : WIDTHS) {
                    try (var arena = Arena.ofConfined()) {
                        check.accept(new Case(arena, random, rows, columns, width));
                    }
                }
            }
        }
    }

    /** Each addition of {@code terms} rounds once, whatever their order. */
    private static void assertNear(double exact, double magnitudes, int terms, float got, Object where) {
        double bound = magnitudes * (terms + 2) * Math.ulp(1f) + Float.MIN_NORMAL;
        assertTrue(Math.abs(got - exact) <= bound, () -> where + ": " + got + " instead of " + exact);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void leftIsTheMatrixTimesTheRightFactor(MatrixKernels kernels) {
        forAll(of -> {
            float[] got = new float[of.rows * of.width];
            kernels.left(of.one, of.other, of.count, of.columns, of.right, of.width, got);
            for (int row = 0; row < of.rows; row++) {
                for (int k = 0; k < of.width; k++) {
                    double exact = 0;
                    double magnitudes = 0;
                    for (int c = 0; c < of.inRow(row); c++) {
                        double term = (double) of.at(row, c) * of.right[k * of.columns + c];
                        exact += term;
                        magnitudes += Math.abs(term);
                    }
                    assertNear(exact, magnitudes, of.inRow(row), got[row * of.width + k], of);
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void rightIsTheTransposedMatrixTimesTheLeftFactor(MatrixKernels kernels) {
        forAll(of -> {
            float[] got = new float[of.width * of.columns];
            Arrays.fill(got, Float.NaN); // written, not added to
            kernels.right(of.one, of.other, of.count, of.columns, of.left, of.width, got);
            for (int k = 0; k < of.width; k++) {
                for (int c = 0; c < of.columns; c++) {
                    double exact = 0;
                    double magnitudes = 0;
                    for (int row = 0; row < of.rows && c < of.inRow(row); row++) {
                        double term = (double) of.at(row, c) * of.left[row * of.width + k];
                        exact += term;
                        magnitudes += Math.abs(term);
                    }
                    assertNear(exact, magnitudes, of.rows, got[k * of.columns + c], of);
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void productsHaveTheBitsOfTheDefinition(MatrixKernels kernels) {
        forAll(of -> {
            Guarded got = of.memory();
            kernels.product(of.left, of.right, of.width, got.values(), of.count, of.columns);
            for (int i = 0; i < of.count; i++) {
                int expected = Float.floatToRawIntBits(of.product(i / of.columns, i % of.columns));
                assertEquals(expected, Float.floatToRawIntBits(got.values().get(FLOAT, i * 4L)), of::toString);
            }
            got.assertGuards(of);
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void whatAProductLeavesOutHasTheBitsOfTheDefinitionInAnyMemory(MatrixKernels kernels) {
        forAll(of -> {
            float[] expected = new float[of.count];
            for (int i = 0; i < of.count; i++) {
                int row = i / of.columns;
                int column = i % of.columns;
                expected[i] = of.at(row, column) - of.product(row, column);
            }
            Guarded apart = of.memory();
            Guarded one = of.memory().with(of.one);
            Guarded other = of.memory().with(of.other);
            kernels.lessProduct(of.one, of.other, of.left, of.right, of.width, apart.values(), of.count, of.columns);
            kernels.lessProduct(
                    one.values(), of.other, of.left, of.right, of.width, one.values(), of.count, of.columns);
            kernels.lessProduct(
                    of.one, other.values(), of.left, of.right, of.width, other.values(), of.count, of.columns);
            for (Guarded got : List.of(apart, one, other)) {
                for (int i = 0; i < of.count; i++) {
                    assertEquals(
                            Float.floatToRawIntBits(expected[i]),
                            Float.floatToRawIntBits(got.values().get(FLOAT, i * 4L)),
                            of::toString);
                }
                got.assertGuards(of);
            }
        });
    }

    /** Includes the last row, whose tail goes one by one. */
    @ParameterizedTest
    @MethodSource("engines")
    void aRowThatIsNotFiniteMakesNoFiniteLeftFactor(MatrixKernels kernels) {
        var random = new SplittableRandom(2);
        for (float bad : new float[] {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}) {
            for (int at : new int[] {0, 31, 64, 130, 131 * 2 + 129}) {
                try (var arena = Arena.ofConfined()) {
                    var of = new Case(arena, random, 4, 131, 2);
                    of.one.set(FLOAT, at * 4L, bad);
                    float[] got = new float[of.rows * of.width];
                    kernels.left(of.one, of.other, of.count, of.columns, of.right, of.width, got);
                    for (int i = 0; i < got.length; i++) {
                        boolean isOfRow = i / of.width == at / of.columns;
                        assertFalse(isOfRow && Float.isFinite(got[i]), of + " at " + at + ": " + got[i]);
                        assertTrue(isOfRow || Float.isFinite(got[i]), of + " at " + at + ": " + got[i]);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("engines")
    void memoryThatIsTooShortOrReadOnlyIsRefused(MatrixKernels kernels) {
        try (var arena = Arena.ofConfined()) {
            var of = new Case(arena, new SplittableRandom(3), 3, 20, 2);
            MemorySegment shorter = of.memory().values().asSlice(0, of.count * 4L - 1);
            float[] left = new float[of.rows * of.width];
            float[] right = new float[of.width * of.columns];
            assertThrows(
                    IllegalArgumentException.class,
                    () -> kernels.left(shorter, of.other, of.count, of.columns, of.right, of.width, left));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> kernels.right(of.one, shorter, of.count, of.columns, of.left, of.width, right));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> kernels.product(of.left, of.right, of.width, shorter, of.count, of.columns));
            MemorySegment readOnly = of.memory().values().asReadOnly();
            assertThrows(
                    IllegalArgumentException.class,
                    () -> kernels.lessProduct(
                            of.one, of.other, of.left, of.right, of.width, readOnly, of.count, of.columns));
        }
    }
}
