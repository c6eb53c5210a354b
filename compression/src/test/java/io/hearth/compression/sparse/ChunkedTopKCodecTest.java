package io.hearth.compression.sparse;

import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;
import io.hearth.compression.Pattern;
import io.hearth.compression.Workers;
import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ChunkedTopKCodecTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new ChunkedTopKCodec(0.1, 256, 16, KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return oracle(values, 0.1, 256, 16);
    }

    /** The expected values, chunk by chunk, by sorting. */
    static float[] oracle(float[] values, double fraction, int chunk, int bits) {
        float[] decoded = new float[values.length];
        int whole = (int) Math.max(1, Math.round(chunk * fraction));
        for (int first = 0; first < values.length; first += chunk) {
            int end = Math.min(values.length, first + chunk);
            int room = (int) Math.ceil(whole * (double) (end - first) / chunk);
            List<Integer> kept = IntStream.range(first, end)
                    .boxed()
                    .sorted(Comparator.comparingDouble(i -> -Math.abs((double) values[i])))
                    .limit(room)
                    .filter(i -> values[i] != 0)
                    .toList();
            if (!kept.isEmpty()) {
                quantise(values, kept, bits, decoded);
            }
        }
        return decoded;
    }

    private static void quantise(float[] values, List<Integer> kept, int bits, float[] decoded) {
        double octaves = bits == 16 ? 300 : bits == 4 ? 8 : 3;
        int most = number(values[kept.getFirst()]);
        List<Integer> near = kept.stream()
                .filter(i -> number(values[i]) >= most - octaves * (1 << 23))
                .toList();
        double low = Math.floor(number(values[near.getLast()]) / 65_536.0) * 65_536;
        double high = Math.floor(most / 65_536.0) * 65_536 + 65_536;
        double step = (high - low) / (1 << (bits - 1));
        for (int i : near) {
            double level = Math.floor((number(values[i]) - low) / step);
            float magnitude = Float.intBitsToFloat((int) Math.floor(low + (level + 0.5) * step));
            decoded[i] = values[i] < 0 ? -magnitude : magnitude;
        }
    }

    /** The bits of a magnitude as a whole number. */
    private static int number(float value) {
        return Float.floatToIntBits(Math.abs(value));
    }

    @ParameterizedTest
    @CsvSource({"0.01, 4096, 16, 0.0002", "0.01, 4096, 4, 0.07", "0.05, 64, 4, 0.07", "0.01, 4096, 2, 0.3"})
    void valuesArriveToAFractionOfThemselves(double fraction, int chunk, int bits, double error) throws Exception {
        float[] values = Pattern.NORMAL.values(50_000);
        float[] decoded = roundTrip(new ChunkedTopKCodec(fraction, chunk, bits, KERNELS), values);
        for (int i = 0; i < values.length; i++) {
            assertTrue(
                    decoded[i] == 0 || Math.abs(decoded[i] - values[i]) <= error * Math.abs(values[i]),
                    values[i] + " became " + decoded[i]);
        }
        assertBitsEqual(oracle(values, fraction, chunk, bits), decoded, "bits " + bits);
    }

    @ParameterizedTest
    @CsvSource({"16, 110", "4, 187", "2, 210"})
    void aRealModelIsSoManyTimesSmaller(int bits, int ratio) {
        long count = 1 << 20;
        long bytes = new ChunkedTopKCodec(0.01, 4096, bits, KERNELS).encodedBytesMax(count);
        assertTrue(bytes * ratio <= count * Float.BYTES, count * (double) Float.BYTES / bytes + "x");
    }

    /** The search takes the bound of one chunk as a guess for the next, which may have values of quite another size. */
    @Test
    void chunksOfQuiteOtherSizesFindTheirLargestToo() throws Exception {
        var codec = new ChunkedTopKCodec(0.05, 64, 16, KERNELS);
        float[] values = new float[64 * 40];
        for (int chunk = 0; chunk < 40; chunk++) {
            float scale = chunk % 7 == 0 ? 0 : (float) Math.scalb(1.0, (chunk * 37 % 200) - 120);
            for (int i = 0; i < 64; i++) {
                values[chunk * 64 + i] = scale * ((i * 29 % 64) - 31.5f);
            }
        }
        assertBitsEqual(oracle(values, 0.05, 64, 16), roundTrip(codec, values), "growing and shrinking");
    }

    /** Chunks with fewer values than there is room for. */
    @Test
    void fewValuesAreFewInTheEncodingToo() throws Exception {
        var codec = new ChunkedTopKCodec(0.25, 64, 4, KERNELS);
        float[] values = new float[64 * 3];
        values[64 + 5] = -3;
        values[64 + 63] = 2;
        values[128] = 1e-40f;
        float[] decoded = roundTrip(codec, values);
        assertEquals(
                3,
                IntStream.range(0, values.length).filter(i -> decoded[i] != 0).count());
        assertEquals(-3, decoded[69], 0.2);
        assertEquals(2, decoded[127], 0.2);
        assertArrayEquals(new float[64], Arrays.copyOf(decoded, 64));
    }

    /** Levels cover some octaves. With error feedback, a value far below them waits until its sum is large enough. */
    @Test
    void whatIsFarBelowTheLargestWaitsWhereLevelsAreFew() throws Exception {
        float[] values = new float[64];
        values[3] = 1;
        values[4] = 1 / 7f;
        values[5] = 1 / 300f;
        assertArrayEquals(new int[] {3, 4}, kept(roundTrip(new ChunkedTopKCodec(0.1, 64, 2, KERNELS), values)));
        assertArrayEquals(new int[] {3, 4}, kept(roundTrip(new ChunkedTopKCodec(0.1, 64, 4, KERNELS), values)));
        assertArrayEquals(new int[] {3, 4, 5}, kept(roundTrip(new ChunkedTopKCodec(0.1, 64, 16, KERNELS), values)));
    }

    /** The bytes are the same, and bytes already made do not change. */
    @ParameterizedTest
    @ValueSource(longs = {1, 7, 15, 16, 100, 5000})
    void anEncodingMayBeMadeFromItsBeginningOn(long stride) throws Exception {
        float[] values = Pattern.NORMAL.values(64 * 20 + 13);
        var codec = new ChunkedTopKCodec(0.05, 64, 4, KERNELS);
        byte[] whole = encoded(codec, 0, values);
        try (var arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(Float32.FLOAT, values);
            MemorySegment made = arena.allocate(whole.length);
            GradualEncoding encoding = codec.begin(Workers.NONE, memory, values.length, made);
            long seen = encoding.make(0);
            for (long bytes = 0; bytes < whole.length; ) {
                bytes = Math.min(whole.length, bytes + stride);
                seen += encoding.make(bytes);
                assertTrue(seen <= values.length && (seen < values.length || bytes > whole.length - 30));
                byte[] begun = made.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
                assertArrayEquals(Arrays.copyOf(whole, (int) bytes), begun, "after " + bytes);
            }
            assertEquals(values.length, seen, "no chunk is searched twice");
            assertThrows(IndexOutOfBoundsException.class, () -> encoding.make(whole.length + 1));
        }
    }

    private static float[] roundTrip(Codec codec, float[] values) throws Exception {
        try (var arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Float32.FLOAT, values.length);
            codec.decode(MemorySegment.ofArray(encoded(codec, 0, values)), memory, values.length);
            return memory.toArray(Float32.FLOAT);
        }
    }

    private static int[] kept(float[] decoded) {
        return IntStream.range(0, decoded.length).filter(i -> decoded[i] != 0).toArray();
    }
}
