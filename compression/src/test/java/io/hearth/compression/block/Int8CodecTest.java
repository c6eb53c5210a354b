package io.hearth.compression.block;

import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.BlockFormat;
import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;
import io.hearth.compression.Pattern;
import io.hearth.compression.format.Header;
import io.hearth.core.MalformedMessageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class Int8CodecTest extends CodecContractTest {
    private static final float SCALE_MAX = new BlockFormat(Byte.SIZE, 256).scaleMax();

    @Override
    protected Codec codec() {
        return new LevelCodec(8, 256, false, KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return oracle(values, 256);
    }

    static float[] oracle(float[] values, int block) {
        float[] decoded = new float[values.length];
        for (int start = 0; start < values.length; start += block) {
            int end = Math.min(start + block, values.length);
            float largest = 0;
            for (int i = start; i < end; i++) {
                largest = Math.max(largest, Math.abs(values[i]));
            }
            float scale = largest / 127;
            scale = Math.min(127 * scale < largest ? Math.nextUp(scale) : scale, SCALE_MAX);
            for (int i = start; i < end && scale > 0; i++) {
                decoded[i] = (int) Math.rint((double) (values[i] / scale)) * scale;
            }
        }
        return decoded;
    }

    @Test
    void theErrorIsAtMostHalfAStep() throws Exception {
        for (Pattern pattern : Pattern.values()) {
            float[] values = pattern.values(1000);
            float[] decoded = decoded(encoded(values), values.length);
            for (int i = 0; i < values.length; i++) {
                double largest = 0;
                for (int j = i / 256 * 256; j < Math.min(1000, (i / 256 + 1) * 256); j++) {
                    largest = Math.max(largest, Math.abs((double) values[j]));
                }
                double scaleMax = Math.nextUp((float) (largest / 127));
                double error = Math.abs((double) decoded[i] - values[i]);
                assertTrue(error <= scaleMax * 0.500_01, pattern + " at " + i + ": " + error);
            }
        }
    }

    @Test
    void theLargestScaleTimesTheLargestLevelIsFinite() {
        assertTrue(Float.isFinite(SCALE_MAX * 127));
        assertTrue(Float.isInfinite(Math.nextUp(SCALE_MAX) * 127));
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, -1f, -Float.MIN_VALUE, 1e37f})
    void aScaleThatNoEncoderWritesIsRefused(float scale) throws Exception {
        byte[] encoded = encoded(Pattern.NORMAL.values(300));
        for (int block : new int[] {0, 1}) {
            byte[] bad = encoded.clone();
            ByteBuffer.wrap(bad).order(ByteOrder.LITTLE_ENDIAN).putFloat(Header.BYTES + 260 * block, scale);
            String message = assertThrows(MalformedMessageException.class, () -> decoded(bad, 300))
                    .toString();
            assertTrue(message.contains("scale " + scale), message);
        }
    }

    @Test
    void levelMinus128IsRefused() throws Exception {
        byte[] encoded = encoded(Pattern.NORMAL.values(300));
        encoded[encoded.length - 1] = Byte.MIN_VALUE;
        assertThrows(MalformedMessageException.class, () -> decoded(encoded, 300));
    }

    @ParameterizedTest
    @CsvSource({"256,65536,66576", "64,100,124", "256,0,16"})
    void sizeIsOneBytePerValueAndAScalePerBlock(int block, int count, long bytes) {
        assertEquals(bytes, new LevelCodec(8, block, false, KERNELS).encodedBytesMax(count));
    }

    /**
     * The other ranks quantise once; the owner adds its own share exactly and quantises the sum once more. The relative L2 error of 65,536
     * normal values stays flat. If every hop quantised again, it would grow with the number of ranks.
     */
    @ParameterizedTest
    @CsvSource({"2,0.0087", "4,0.0093", "8,0.0096", "16,0.0097"})
    void theErrorOfASumDoesNotGrowWithContributors(int contributors, double errorMax) throws Exception {
        var random = new SplittableRandom(contributors);
        int count = 65_536;
        double[] exact = new double[count];
        float[] sum = new float[count];
        for (int rank = 0; rank < contributors; rank++) {
            float[] values = new float[count];
            for (int i = 0; i < count; i++) {
                values[i] = (float) random.nextGaussian();
                exact[i] += values[i];
            }
            float[] received = rank == 0 ? values : decoded(encoded(values), count);
            for (int i = 0; i < count; i++) {
                sum[i] += received[i];
            }
        }
        float[] result = decoded(encoded(sum), count);
        double error = 0;
        double norm = 0;
        for (int i = 0; i < count; i++) {
            error += (result[i] - exact[i]) * (result[i] - exact[i]);
            norm += exact[i] * exact[i];
        }
        double relative = Math.sqrt(error / norm);
        assertTrue(relative <= errorMax, contributors + " contributors: relative error " + relative);
    }
}
