package io.hearth.compression.sparse;

import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.Pattern;
import io.hearth.compression.codecs.Codecs;
import io.hearth.compression.codecs.GradientCompressor;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TopKCodecTest extends CodecContractTest {
    private static final double FRACTION = 0.1;

    @Override
    protected Codec codec() {
        return new TopKCodec(FRACTION, false, KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return HalfOracle.kept(oracle(values, FRACTION));
    }

    /** The expected values, by sorting; a stable sort leaves ties in index order. */
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

    @ParameterizedTest
    @CsvSource({"topk:0.01,100", "topk:0.001,1000", "'topk:0.01,bits=32',65"})
    void aRealModelIsSoManyTimesSmallerHeadersIncluded(String strategy, int ratio) throws Exception {
        int count = 101_770;
        var compressor = new GradientCompressor(CompressionStrategy.parse(strategy));
        for (Pattern pattern : Pattern.values()) {
            int bytes = compressor.compress(pattern.values(count)).length;
            assertTrue(bytes * (long) ratio <= count * 4L, pattern + ": " + count * 4.0 / bytes + "x");
        }
        Codec codec = Codecs.of((CompressionStrategy.Coded) CompressionStrategy.parse(strategy));
        assertTrue(codec.encodedBytesMax(count) * ratio <= count * 4L, "and can be no larger");
    }

    @Test
    void bothKindsOfValuesAreRead() throws Exception {
        float[] values = Pattern.NORMAL.values(500);
        float[] exact = decoded(encoded(new TopKCodec(FRACTION, true, KERNELS), 0, values), 500);
        assertBitsEqual(oracle(values, FRACTION), exact, "full");
        assertBitsEqual(HalfOracle.kept(exact), decoded(encoded(values), 500), "half");
    }
}
