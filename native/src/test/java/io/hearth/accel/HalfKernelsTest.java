package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.portable.PortableCodecKernels;
import io.hearth.accel.vector.VectorCodecKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** All 65,536 halves and all borders between them, by the definition, for each engine and kind of memory. */
@EnabledIf("io.hearth.accel.VectorWidth#isPresent")
final class HalfKernelsTest {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int[] LENGTHS = {0, 1, 15, 16, 17, 31, 33, 255, 2047, 2048, 2049, 5000};

    /** Bytes before and after the written ones; odd, so that nothing is aligned. */
    private static final int GUARD = 33;

    private static final byte GUARD_BYTE = 0x5a;

    static Stream<Arguments> all() {
        return Stream.of(new PortableCodecKernels(), new VectorCodecKernels())
                .flatMap(kernels -> Stream.of(HalfFloat.values())
                        .flatMap(format -> Stream.of(false, true).map(heap -> Arguments.of(kernels, format, heap))));
    }

    private record Fixture(CodecKernels kernels, HalfFloat format, boolean heap, Arena arena) implements AutoCloseable {
        Fixture(CodecKernels kernels, HalfFloat format, boolean heap) {
            this(kernels, format, heap, Arena.ofConfined());
        }

        MemorySegment values(float... values) {
            MemorySegment memory =
                    arena.allocate(values.length * 4L + 2 * GUARD).fill(GUARD_BYTE);
            MemorySegment.copy(values, 0, memory, PortableCodecKernels.FLOAT, GUARD, values.length);
            return memory;
        }

        MemorySegment halves(int n) {
            int size = n * 2 + 2 * GUARD;
            MemorySegment memory = heap ? MemorySegment.ofArray(new byte[size]) : arena.allocate(size);
            return memory.fill(GUARD_BYTE);
        }

        @Override
        public void close() {
            arena.close();
        }
    }

    private static void assertGuards(MemorySegment memory) {
        for (long i = 0; i < GUARD; i++) {
            assertEquals(GUARD_BYTE, memory.get(ValueLayout.JAVA_BYTE, i));
            assertEquals(GUARD_BYTE, memory.get(ValueLayout.JAVA_BYTE, memory.byteSize() - 1 - i));
        }
    }

    private static float widened(HalfFloat format, int half) {
        return format == HalfFloat.BINARY16
                ? Float.float16ToFloat((short) half)
                : Float.intBitsToFloat(half << Short.SIZE);
    }

    private static float value(MemorySegment values, int i) {
        return values.get(PortableCodecKernels.FLOAT, GUARD + i * 4L);
    }

    private static int half(MemorySegment halves, int i) {
        return halves.get(SHORT, GUARD + i * 2L) & 0xffff;
    }

    @ParameterizedTest(name = "{0} {1} heap {2}")
    @MethodSource("all")
    void everyHalfIsWidenedAndNarrowedToItself(CodecKernels kernels, HalfFloat format, boolean heap) {
        int n = 1 << Short.SIZE;
        try (var place = new Fixture(kernels, format, heap)) {
            MemorySegment halves = place.halves(n);
            IntStream.range(0, n).forEach(i -> halves.set(SHORT, GUARD + i * 2L, (short) i));
            MemorySegment values = place.values(new float[n]);
            kernels.widen(format, halves, GUARD, values, GUARD, n);
            MemorySegment sums = place.values(new float[n]);
            kernels.widenAndAdd(format, halves, GUARD, sums, GUARD, n);
            MemorySegment back = place.halves(n);
            assertEquals(CodecKernels.NONE, kernels.narrow(format, values, GUARD, n, back, GUARD));
            for (int i = 0; i < n; i++) {
                float expected = widened(format, i);
                assertEquals(expected, value(values, i), "half " + i);
                assertEquals(expected + 0f, value(sums, i), "half " + i);
                assertTrue(half(back, i) == i || Float.isNaN(widened(format, half(back, i))), "half " + i);
                assertEquals(Float.isNaN(expected), Float.isNaN(widened(format, half(back, i))), "half " + i);
            }
            assertGuards(values);
            assertGuards(sums);
            assertGuards(back);
        }
    }

    /** For all neighbours: the middle becomes the even one, all else the nearer one, and the error is exact. */
    @ParameterizedTest(name = "{0} {1} heap {2}")
    @MethodSource("all")
    void betweenTwoHalvesTheNearerIsTaken(CodecKernels kernels, HalfFloat format, boolean heap) {
        int finite = format == HalfFloat.BINARY16 ? 0x7bff : 0x7f7f;
        float[] values = new float[6 * finite];
        int[] expected = new int[values.length];
        for (int i = 0; i < finite; i++) {
            float middle = (float) (((double) widened(format, i) + widened(format, i + 1)) / 2);
            float[] three = {Math.nextDown(middle), middle, Math.nextUp(middle)};
            int[] halves = {i, i + (i & 1), i + 1};
            for (int j = 0; j < 3; j++) {
                values[6 * i + 2 * j] = three[j];
                expected[6 * i + 2 * j] = halves[j];
                values[6 * i + 2 * j + 1] = -three[j];
                expected[6 * i + 2 * j + 1] = halves[j] | 0x8000;
            }
        }
        try (var place = new Fixture(kernels, format, heap)) {
            MemorySegment halves = place.halves(values.length);
            assertEquals(
                    CodecKernels.NONE,
                    kernels.narrow(format, place.values(values), GUARD, values.length, halves, GUARD));
            MemorySegment left = place.values(values);
            MemorySegment same = place.halves(values.length);
            kernels.narrowLeavingError(format, left, GUARD, values.length, same, GUARD);
            assertEquals(-1, halves.mismatch(same));
            for (int i = 0; i < values.length; i++) {
                assertEquals(expected[i], half(halves, i), values[i] + " in " + format);
                assertEquals(values[i] - widened(format, expected[i]), value(left, i), "left of " + values[i]);
            }
            assertGuards(halves);
            assertGuards(left);
        }
    }

    @ParameterizedTest(name = "{0} {1} heap {2}")
    @MethodSource("all")
    void anyLengthIsDoneWholly(CodecKernels kernels, HalfFloat format, boolean heap) {
        var random = new SplittableRandom(3);
        for (int n : LENGTHS) {
            float[] drawn = new float[n];
            float[] held = new float[n];
            for (int i = 0; i < n; i++) {
                drawn[i] = (float) random.nextGaussian();
                held[i] = (float) random.nextGaussian();
            }
            if (n > 40) {
                drawn[n / 2] = Float.NEGATIVE_INFINITY;
                drawn[n - 1] = Float.NaN;
            }
            try (var place = new Fixture(kernels, format, heap)) {
                MemorySegment halves = place.halves(n);
                MemorySegment left = place.values(drawn);
                assertEquals(CodecKernels.NONE, kernels.narrowLeavingError(format, left, GUARD, n, halves, GUARD));
                MemorySegment sum = place.values(held);
                kernels.widenAndAdd(format, halves, GUARD, sum, GUARD, n);
                for (int i = 0; i < n; i++) {
                    float widened = widened(format, half(halves, i));
                    boolean near = Math.abs(drawn[i] - widened) <= Math.abs(drawn[i]) * 0x1p-8f + 0x1p-25f;
                    assertTrue(near || Float.compare(drawn[i], widened) == 0, n + " at " + i);
                    assertEquals(Float.isFinite(drawn[i]) ? drawn[i] - widened : 0, value(left, i), n + " at " + i);
                    assertEquals(held[i] + widened, value(sum, i), n + " at " + i);
                }
                assertGuards(halves);
                assertGuards(left);
                assertGuards(sum);
            }
        }
    }

    @ParameterizedTest(name = "{0} {1} heap {2}")
    @MethodSource("all")
    void theFirstFiniteValueThatWouldBecomeInfiniteIsNamed(CodecKernels kernels, HalfFloat format, boolean heap) {
        float beyond = format == HalfFloat.BINARY16 ? 65_520f : Float.intBitsToFloat(0x7f7f_8000);
        for (int index : new int[] {0, 15, 16, 2047, 2048, 3000, 4999}) {
            float[] values = new float[5000];
            values[0] = Float.NEGATIVE_INFINITY;
            values[1] = Float.NaN;
            values[2] = Math.nextDown(beyond);
            values[4999] = beyond;
            values[index] = -beyond;
            try (var place = new Fixture(kernels, format, heap)) {
                MemorySegment halves = place.halves(5000);
                assertEquals(index, kernels.narrow(format, place.values(values), GUARD, 5000, halves, GUARD));
                MemorySegment left = place.values(values);
                assertEquals(index, kernels.narrowLeavingError(format, left, GUARD, 5000, halves, GUARD));
                assertEquals(
                        CodecKernels.NONE, kernels.narrow(format, place.values(values), GUARD, index, halves, GUARD));
            }
        }
    }

    @ParameterizedTest(name = "{0} {1} heap {2}")
    @MethodSource("all")
    void whatDoesNotFitIsTheCallersMistake(CodecKernels kernels, HalfFloat format, boolean heap) {
        try (var place = new Fixture(kernels, format, heap)) {
            MemorySegment halves = place.halves(10).asSlice(0, 20);
            MemorySegment values = place.values(new float[10]).asSlice(0, 40);
            for (long[] wrong : new long[][] {{0, 11, 0}, {1, 10, 0}, {0, 10, 1}, {0, -1, 0}, {-1, 1, 0}, {0, 1, -1}}) {
                assertThrows(
                        IllegalArgumentException.class,
                        () -> kernels.narrow(format, values, wrong[0], wrong[1], halves, wrong[2]));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> kernels.narrowLeavingError(format, values, wrong[0], wrong[1], halves, wrong[2]));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> kernels.widen(format, halves, wrong[2], values, wrong[0], wrong[1]));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> kernels.widenAndAdd(format, halves, wrong[2], values, wrong[0], wrong[1]));
            }
            assertThrows(
                    IllegalArgumentException.class,
                    () -> kernels.narrow(format, values, 0, 10, halves.asReadOnly(), 0));
            assertThrows(
                    IllegalArgumentException.class, () -> kernels.widen(format, halves, 0, values.asReadOnly(), 0, 10));
        }
    }
}
