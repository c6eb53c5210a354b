package io.hearth.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TopKCodecTest extends CodecContractTest {
    private static final double FRACTION = 0.1;

    @Override
    Codec codec() {
        return new TopKCodec(FRACTION);
    }

    @Override
    float[] oracle(float[] values) {
        return oracle(values, FRACTION);
    }

    /** By sorting; a stable sort leaves ties in index order. */
    static float[] oracle(float[] values, double fraction) {
        float[] decoded = new float[values.length];
        IntStream.range(0, values.length)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> -Math.abs(values[i])))
                .limit(Math.max(1, Math.round(values.length * fraction)))
                .forEach(i -> decoded[i] = values[i] + 0f);
        return decoded;
    }

    @ParameterizedTest
    @CsvSource({"0.01,1000,10", "0.01,1,1", "0.01,149,1", "0.01,150,2", "1.0,77,77", "1e-9,5000,1", "0.5,3,2"})
    void theFractionSaysHowManyAreKept(double fraction, int count, int kept) throws Exception {
        float[] values = Pattern.NORMAL.values(count);
        var compressor = new GradientCompressor(new CompressionStrategy.TopK(fraction));
        float[] decoded = compressor.decompress(compressor.compress(values), count);
        long nonZero = IntStream.range(0, count).filter(i -> decoded[i] != 0).count();
        assertEquals(kept, nonZero);
    }

    @Test
    void ofEqualMagnitudesTheLowerIndexIsKept() throws Exception {
        float[] values = {1, -2, 2, 3, -2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        float[] decoded = decoded(encoded(values), values.length);
        assertArrayEquals(new float[] {0, -2, 2, 3, 0, 0}, java.util.Arrays.copyOf(decoded, 6));
    }

    @Test
    void indicesBeyondTheEndAreRefused() throws Exception {
        float[] values = new float[10];
        values[9] = 1;
        byte[] encoded = encoded(values);
        assertEquals(9, encoded[encoded.length - 1]);
        encoded[encoded.length - 1] = 10;
        assertThrows(MalformedMessageException.class, () -> decoded(encoded, 10));
    }

    @Test
    void gapsThatOverflowNeverEndOrAreLongerThanNeededAreRefused() {
        int count = 1 << 20;
        byte[] encoded = new byte[(int) codec().encodedBytesMax(count)];
        int gaps = Header.BYTES + Long.BYTES + Math.toIntExact(Math.round(count * FRACTION)) * Float.BYTES;
        ByteBuffer.wrap(encoded)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(Header.SPARSE)
                .put((byte) 1)
                .putLong(8, count)
                .putLong(Header.BYTES, Math.round(count * FRACTION));
        for (byte[] gap : new byte[][] {
            {-1, -1, -1, -1, -1, -1, -1, -1, 127}, {-1, -1, -1, -1, -1, -1, -1, -1, -1, 1}, {-128, 0}, {-128, -128, 64}
        }) {
            byte[] bad = encoded.clone();
            System.arraycopy(gap, 0, bad, gaps, gap.length);
            String message = assertThrows(MalformedMessageException.class, () -> decoded(bad, count))
                    .toString();
            assertTrue(message.contains("gap 0 of"), message);
        }
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.NEGATIVE_INFINITY})
    void keptValuesThatAreNotFiniteAreRefused(float value) throws Exception {
        byte[] encoded = encoded(Pattern.NORMAL.values(50));
        ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN).putFloat(Header.BYTES + Long.BYTES + 4, value);
        assertThrows(MalformedMessageException.class, () -> decoded(encoded, 50));
    }

    @Test
    void onePercentOfManyCostsFiveToSixBytesEach() throws Exception {
        var compressor = new GradientCompressor(CompressionStrategy.parse("topk"));
        int bytes = compressor.compress(Pattern.NORMAL.values(100_000)).length;
        assertTrue(bytes > 5_000 && bytes < 6_000, bytes + " bytes for 1,000 kept values");
    }
}
