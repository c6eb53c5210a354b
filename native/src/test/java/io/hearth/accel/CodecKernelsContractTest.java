package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hearth.accel.portable.PortableCodecKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of the codec kernels of every engine, bit for bit. */
public abstract class CodecKernelsContractTest {
    private static final int[] LENGTHS = {0, 1, 2, 15, 16, 17, 31, 63, 64, 65, 127, 255, 257, 1021, 2500};
    private static final int[] BLOCKS = {8, 11, 31, 64, 67, 256, 1000};
    private static final int GUARD = 64;
    private static final byte GUARD_BYTE = 0x5a;
    private static final float[] NOT_FINITE = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};

    protected abstract CodecKernels kernels();

    @ParameterizedTest
    @ValueSource(ints = {8, 4})
    void levelsAreWhatTheOracleSays(int bits) {
        everywhere(bits, (format, rounding, values, heap) -> {
            long firstBlock = values.length % 5;
            var oracle = LevelOracle.of(format, rounding, firstBlock, values);
            for (boolean leaveError : new boolean[] {false, true}) {
                try (var arena = Arena.ofConfined()) {
                    MemorySegment memory = guarded(arena, values, 0);
                    MemorySegment body = room(arena, format.bytes(values.length), heap);
                    long bad = leaveError
                            ? kernels()
                                    .quantiseLeavingError(
                                            format, rounding, firstBlock, memory, GUARD, values.length, body, GUARD)
                            : kernels()
                                    .quantise(format, rounding, firstBlock, memory, GUARD, values.length, body, GUARD);
                    assertEquals(CodecKernels.NONE, bad);
                    assertGuards(body, format.bytes(values.length));
                    assertGuards(memory, (long) values.length * Float.BYTES);
                    assertBody(oracle, format, bytes(body), values.length);
                    float[] left = floats(memory, values.length);
                    for (int i = 0; i < left.length; i++) {
                        assertBits(leaveError ? values[i] - oracle.decoded(i) : values[i], left[i], "left at " + i);
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 4})
    void unpackingMultipliesAndAdds(int bits) {
        var random = new SplittableRandom(bits);
        everywhere(bits, (format, rounding, values, heap) -> {
            var oracle = LevelOracle.of(format, rounding, 0, values);
            float[] held = values(values.length, random);
            try (var arena = Arena.ofConfined()) {
                MemorySegment body = room(arena, format.bytes(values.length), heap);
                kernels().quantise(format, rounding, 0, guarded(arena, values, 0), GUARD, values.length, body, GUARD);
                assertEquals(CodecKernels.NONE, kernels().badBlock(format, body, GUARD, values.length));
                MemorySegment decoded = guarded(arena, held, 3);
                kernels().dequantise(format, body, GUARD, decoded, GUARD + 3, values.length);
                MemorySegment sum = guarded(arena, held, 3);
                kernels().dequantiseAndAdd(format, body, GUARD, sum, GUARD + 3, values.length);
                assertGuards(decoded, (long) values.length * Float.BYTES + 3);
                assertGuards(sum, (long) values.length * Float.BYTES + 3);
                for (int i = 0; i < values.length; i++) {
                    long at = GUARD + 3 + (long) i * Float.BYTES;
                    assertBits(oracle.decoded(i), decoded.get(PortableCodecKernels.FLOAT, at), "decoded " + i);
                    assertBits(held[i] + oracle.decoded(i), sum.get(PortableCodecKernels.FLOAT, at), "sum " + i);
                }
            }
        });
    }

    /** No encoder writes such a block, and all engines must read it in the same way. */
    @ParameterizedTest
    @ValueSource(ints = {8, 4})
    void aNegativeLevelOfAScaleOfZeroIsANegativeZero(int bits) {
        var format = new BlockFormat(bits, 64);
        int count = 131;
        try (var arena = Arena.ofConfined()) {
            MemorySegment body = arena.allocate(format.bytes(count));
            for (long at = 0; at < body.byteSize(); at++) {
                body.set(ValueLayout.JAVA_BYTE, at, (byte) (bits == 8 ? -3 : 0xdd));
            }
            for (int block = 0; block * 64 < count; block++) {
                body.set(PortableCodecKernels.FLOAT, format.bytes(block * 64L), 0);
            }
            MemorySegment decoded = guarded(arena, new float[count], 0);
            kernels().dequantise(format, body, 0, decoded, GUARD, count);
            for (float value : floats(decoded, count)) {
                assertBits(-0f, value, "decoded");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 4})
    void theFirstValueThatIsNotFiniteIsNamed(int bits) {
        var format = new BlockFormat(bits, 64);
        for (float bad : NOT_FINITE) {
            for (int index : new int[] {0, 15, 63, 64, 100, 149}) {
                float[] values = new float[150];
                Arrays.fill(values, 2);
                values[149] = Float.NaN;
                values[index] = bad;
                try (var arena = Arena.ofConfined()) {
                    MemorySegment body = arena.allocate(format.bytes(150));
                    MemorySegment memory = guarded(arena, values, 0);
                    assertEquals(index, kernels().quantise(format, Rounding.NEAREST, 0, memory, GUARD, 150, body, 0));
                    assertEquals(
                            index, kernels().quantise(format, Rounding.stochastic(7), 0, memory, GUARD, 150, body, 0));
                    assertEquals(
                            index,
                            kernels().quantiseLeavingError(format, Rounding.NEAREST, 0, memory, GUARD, 150, body, 0));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 4})
    void everyBodyThatNoEncoderWritesIsFound(int bits) {
        float[] scales = {Float.NaN, Float.POSITIVE_INFINITY, -1, -Float.MIN_VALUE, Float.MAX_VALUE};
        for (int length : new int[] {1, 63, 150, 201, 300}) {
            var format = new BlockFormat(bits, 67);
            byte[] good = body(format, values(length, new SplittableRandom(length)));
            for (int start = 0; start < length; start += 67) {
                int at = (int) format.bytes(start);
                for (float scale : scales) {
                    byte[] bad = good.clone();
                    ByteBuffer.wrap(bad).order(ByteOrder.LITTLE_ENDIAN).putFloat(at, scale);
                    assertBad(format, bad, length, start);
                }
                int n = Math.min(67, length - start);
                for (int byteAt = at + 4; byteAt < at + format.blockBytes(n); byteAt++) {
                    byte[] bad = good.clone();
                    bad[byteAt] = bits == 8 ? Byte.MIN_VALUE : (byte) ((bad[byteAt] & 0x70) | 8);
                    assertBad(format, bad, length, start);
                    bad[byteAt] = bits == 8 ? Byte.MIN_VALUE : (byte) ((good[byteAt] & 7) | 0x80);
                    assertBad(format, bad, length, start);
                }
                if (bits == 4 && n % 2 == 1) {
                    byte[] bad = good.clone();
                    bad[at + format.blockBytes(n) - 1] |= 0x10;
                    assertBad(format, bad, length, start);
                }
            }
        }
    }

    private void assertBad(BlockFormat format, byte[] bad, int length, int start) {
        assertEquals(start, kernels().badBlock(format, MemorySegment.ofArray(bad), 0, length));
        try (var arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocateFrom(ValueLayout.JAVA_BYTE, bad);
            assertEquals(start, kernels().badBlock(format, copy, 0, length));
        }
    }

    @Test
    void selectFindsAllThatAreLargeEnoughInOrder() {
        var random = new SplittableRandom(5);
        for (int length : LENGTHS) {
            float[] values = values(length, random);
            if (length > 20) {
                values[3] = Float.NaN;
                values[length - 1] = Float.NEGATIVE_INFINITY;
            }
            int[] indices = new int[length + CodecKernels.SELECT_SLACK];
            try (var arena = Arena.ofConfined()) {
                MemorySegment memory = guarded(arena, values, 1);
                for (float least :
                        new float[] {0, Float.MIN_VALUE, 0.5f, 2, Float.MAX_VALUE, Float.POSITIVE_INFINITY}) {
                    int found = kernels().select(memory, GUARD + 1, length, Float.floatToRawIntBits(least), indices);
                    int[] expected = IntStream.range(0, length)
                            .filter(i -> !(Math.abs(values[i]) < least))
                            .toArray();
                    assertArrayEquals(expected, Arrays.copyOf(indices, found), length + " from " + least);
                }
            }
        }
    }

    /** Counts in several calls, in whole buckets that end at each bound. */
    @Test
    void theHistogramCountsEachMagnitudeOnceInItsBucket() {
        var random = new SplittableRandom(8);
        int one = Float.floatToRawIntBits(1);
        for (int length : LENGTHS) {
            float[] values = values(length, random);
            if (length > 20) {
                values[3] = Float.NaN;
                values[length - 1] = Float.NEGATIVE_INFINITY;
            }
            try (var arena = Arena.ofConfined()) {
                MemorySegment memory = guarded(arena, values, 1);
                assertCounted(values, memory, 0, 1L << 31, 18);
                assertCounted(values, memory, 1, 1 + (1L << 25), 12);
                assertCounted(values, memory, one, one + (1L << 18), 5);
                assertCounted(values, memory, one, one + 700, 0);
                assertCounted(values, memory, one, one, 0);
                assertCounted(values, memory, Float.floatToRawIntBits(Float.POSITIVE_INFINITY), 1L << 31, 18);
            }
        }
    }

    private void assertCounted(float[] values, MemorySegment memory, int low, long high, int shift) {
        var histogram = new MagnitudeHistogram();
        histogram.begin(low, high, shift);
        int half = values.length / 2;
        kernels().histogram(memory, GUARD + 1, half, histogram);
        kernels().histogram(memory, GUARD + 1 + half * 4L, values.length - half, histogram);
        long[] expected = new long[MagnitudeHistogram.BUCKETS + 1];
        int largest = 0;
        for (float value : values) {
            int magnitude = Float.floatToRawIntBits(value) & Integer.MAX_VALUE;
            if (magnitude >= low) {
                largest = Math.max(largest, magnitude);
                expected[magnitude >= high ? MagnitudeHistogram.BUCKETS : (magnitude - low) >> shift]++;
            }
        }
        String what = values.length + " from " + low + " by 2^" + shift;
        for (int bucket = 0; bucket < MagnitudeHistogram.BUCKETS; bucket++) {
            assertEquals(expected[bucket], histogram.count(bucket), what);
        }
        assertEquals(expected[MagnitudeHistogram.BUCKETS], histogram.beyond(), what);
        assertEquals(Arrays.stream(expected).sum(), histogram.counted(), what);
        assertEquals(largest, histogram.largest(), what);
    }

    @Test
    void rangesThatDoNotFitAreTheCallersMistake() {
        var histogram = new MagnitudeHistogram();
        refused("low", () -> histogram.begin(-1, 5, 0));
        refused("shift", () -> histogram.begin(0, 5, 19));
        refused("shift", () -> histogram.begin(0, 5, -1));
        refused("high", () -> histogram.begin(6, 5, 0));
        refused("high", () -> histogram.begin(6, 6 + MagnitudeHistogram.BUCKETS + 1, 0));
        refused("high", () -> histogram.begin(Integer.MAX_VALUE, MagnitudeHistogram.HIGH_MAX + 1, 18));
    }

    @Test
    void aRunIsWholeUnitsWithinItsBounds() {
        for (long count : new long[] {0, 1, 1000, 1024, 16_384, 1 << 20, (1 << 20) + 1, 1L << 40}) {
            for (int run : new int[] {
                kernels().run(KernelKind.SELECT_FLOAT32, count),
                kernels().run(KernelKind.HISTOGRAM_FLOAT32, count),
                kernels().run(new BlockFormat(8, 64), count),
                kernels().run(new BlockFormat(4, 64), count)
            }) {
                assertTrue(run >= 1024 && run % 1024 == 0 && run <= CodecKernels.RUN_MAX, run + " of " + count);
            }
        }
    }

    @Test
    void addAddsWhereverTheTargetIs() {
        var random = new SplittableRandom(6);
        for (int length : LENGTHS) {
            float[] left = values(length, random);
            float[] right = values(length, random);
            try (var arena = Arena.ofConfined()) {
                MemorySegment lefts = guarded(arena, left, 0);
                MemorySegment rights = guarded(arena, right, 1);
                MemorySegment target = guarded(arena, new float[length], 2);
                kernels().add(target, GUARD + 2, lefts, GUARD, rights, GUARD + 1, length);
                kernels().add(lefts, GUARD, lefts, GUARD, rights, GUARD + 1, length);
                assertGuards(target, length * 4L + 2);
                assertGuards(lefts, length * 4L);
                for (int i = 0; i < length; i++) {
                    assertBits(left[i] + right[i], target.get(PortableCodecKernels.FLOAT, GUARD + 2 + i * 4L), "sum");
                    assertBits(left[i] + right[i], lefts.get(PortableCodecKernels.FLOAT, GUARD + i * 4L), "in place");
                }
            }
        }
    }

    @Test
    void aPartIsQuantisedAsWithinTheWhole() {
        var format = new BlockFormat(8, 64);
        var rounding = Rounding.stochastic(99);
        float[] values = values(1000, new SplittableRandom(9));
        byte[] whole = body(format, rounding, 0, values);
        byte[] part = body(format, rounding, 5, Arrays.copyOfRange(values, 320, 1000));
        assertArrayEquals(Arrays.copyOfRange(whole, (int) format.bytes(320), whole.length), part);
    }

    /** The quotient of the largest value may be one rounding beyond the largest level; one draw in 65,536 shows it. */
    @Test
    void noDrawLeadsBeyondTheLevels() {
        float[] values = new float[400_000];
        for (int i = 0; i < values.length; i++) {
            values[i] = i % 2 == 0 ? Float.MAX_VALUE : -Float.MAX_VALUE;
        }
        for (int bits : new int[] {8, 4}) {
            var format = new BlockFormat(bits, 64);
            byte[] body = body(format, Rounding.stochastic(1), 0, values);
            assertEquals(CodecKernels.NONE, kernels().badBlock(format, MemorySegment.ofArray(body), 0, values.length));
        }
    }

    @Test
    void whatDoesNotFitIsTheCallersMistake() {
        var format = new BlockFormat(8, 64);
        CodecKernels kernels = kernels();
        try (var arena = Arena.ofConfined()) {
            MemorySegment ten = arena.allocate(40);
            MemorySegment body = arena.allocate(14);
            MemorySegment heap = MemorySegment.ofArray(new byte[64]);
            Rounding nearest = Rounding.NEAREST;
            refused("values", () -> kernels.quantise(format, nearest, 0, ten, 0, 11, body, 0));
            refused("values", () -> kernels.quantise(format, nearest, 0, ten, 4, 10, body, 0));
            refused("values", () -> kernels.quantise(format, nearest, 0, ten, 0, -1, body, 0));
            refused("values", () -> kernels.quantise(format, nearest, 0, ten, 0, Long.MAX_VALUE / 2, body, 0));
            refused("native", () -> kernels.quantise(format, nearest, 0, heap, 0, 10, body, 0));
            refused("body", () -> kernels.quantise(format, nearest, 0, ten, 0, 10, body, 1));
            refused("body", () -> kernels.quantise(format, nearest, 0, ten, 0, 10, body.asReadOnly(), 0));
            refused("values", () -> kernels.quantiseLeavingError(format, nearest, 0, ten.asReadOnly(), 0, 1, body, 0));
            refused("values", () -> kernels.dequantise(format, body, 0, ten.asReadOnly(), 0, 1));
            refused("body", () -> kernels.dequantise(format, body, 1, ten, 0, 10));
            refused("body", () -> kernels.dequantiseAndAdd(format, body, -1, ten, 0, 10));
            refused("body", () -> kernels.badBlock(format, body, 0, 11));
            refused("places", () -> kernels.select(ten, 0, 10, 0, new int[10]));
            var histogram = new MagnitudeHistogram();
            refused("values", () -> kernels.histogram(ten, 4, 10, histogram));
            refused("native", () -> kernels.histogram(heap, 0, 10, histogram));
            refused("target", () -> kernels.add(ten.asReadOnly(), 0, ten, 0, ten, 0, 10));
            refused("right", () -> kernels.add(ten, 0, ten, 0, ten, 1, 10));
        }
    }

    private interface Case {
        void run(BlockFormat format, Rounding rounding, float[] values, boolean heap);
    }

    private static void everywhere(int bits, Case test) {
        var random = new SplittableRandom(bits);
        for (int block : BLOCKS) {
            for (int length : LENGTHS) {
                float[] values = values(length, random);
                var format = new BlockFormat(bits, block);
                test.run(format, Rounding.NEAREST, values, false);
                test.run(format, Rounding.NEAREST, values, true);
                test.run(format, Rounding.stochastic(random.nextLong()), values, false);
            }
        }
    }

    /** A run of each kind of finite values on which kernels are often wrong. */
    private static float[] values(int length, SplittableRandom random) {
        float[] values = new float[length];
        int kind = random.nextInt(7);
        for (int i = 0; i < length; i++) {
            values[i] = switch (kind) {
                case 0 -> (float) random.nextGaussian();
                case 1 -> random.nextBoolean() ? 0f : -0f;
                case 2 -> Float.intBitsToFloat(random.nextInt(300) | (random.nextInt(2) << 31));
                case 3 -> random.nextInt(4) == 0 ? -Float.MAX_VALUE : Float.MAX_VALUE;
                case 4 -> random.nextInt(-2, 3) * 0.5f;
                case 5 -> -3.7f;
                default -> Float.intBitsToFloat(random.nextInt() & 0xbfff_ffff);
            };
        }
        return values;
    }

    private byte[] body(BlockFormat format, float[] values) {
        return body(format, Rounding.NEAREST, 0, values);
    }

    private byte[] body(BlockFormat format, Rounding rounding, long firstBlock, float[] values) {
        try (var arena = Arena.ofConfined()) {
            MemorySegment body = arena.allocate(format.bytes(values.length));
            kernels().quantise(format, rounding, firstBlock, guarded(arena, values, 0), GUARD, values.length, body, 0);
            return body.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static void assertBody(LevelOracle oracle, BlockFormat format, byte[] body, int length) {
        for (int i = 0; i < length; i++) {
            if (i % format.block() == 0) {
                float scale =
                        ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).getFloat((int) format.bytes(i));
                assertBits(oracle.scale(i), scale, "scale at " + i);
            }
            assertEquals(oracle.level(i), oracle.level(body, i), format + " level " + i + " of " + length);
        }
    }

    private static MemorySegment guarded(Arena arena, float[] values, int shift) {
        MemorySegment memory = arena.allocate(values.length * 4L + shift + 2 * GUARD, 64);
        memory.fill(GUARD_BYTE);
        MemorySegment.copy(values, 0, memory, PortableCodecKernels.FLOAT, GUARD + shift, values.length);
        return memory;
    }

    private static MemorySegment room(Arena arena, long bytes, boolean heap) {
        long size = bytes + 2 * GUARD;
        MemorySegment memory = heap ? MemorySegment.ofArray(new byte[(int) size]) : arena.allocate(size, 64);
        return memory.fill(GUARD_BYTE);
    }

    private static void assertGuards(MemorySegment memory, long bytes) {
        for (long i = 0; i < GUARD; i++) {
            assertEquals(GUARD_BYTE, memory.get(ValueLayout.JAVA_BYTE, i), "before");
            assertEquals(GUARD_BYTE, memory.get(ValueLayout.JAVA_BYTE, GUARD + bytes + i), "behind");
        }
    }

    private static byte[] bytes(MemorySegment body) {
        byte[] all = body.toArray(ValueLayout.JAVA_BYTE);
        return Arrays.copyOfRange(all, GUARD, all.length - GUARD);
    }

    private static float[] floats(MemorySegment memory, int length) {
        return memory.asSlice(GUARD, length * 4L).toArray(PortableCodecKernels.FLOAT);
    }

    private static void assertBits(float expected, float actual, String what) {
        if (Float.floatToRawIntBits(expected) != Float.floatToRawIntBits(actual)) {
            fail(what + ": expected " + expected + ", got " + actual);
        }
    }

    private static void refused(String about, Runnable call) {
        String message = assertThrows(IllegalArgumentException.class, call::run).toString();
        assertTrue(message.contains(about), message);
    }
}
