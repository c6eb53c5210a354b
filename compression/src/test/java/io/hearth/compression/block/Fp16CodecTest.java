package io.hearth.compression.block;

import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.HalfFloat;
import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.codecs.GradientCompressor;
import org.junit.jupiter.api.Test;

final class Fp16CodecTest extends CodecContractTest {
    private static final float LARGEST = 65_504;
    private static final float ROUNDS_TO_INFINITY = 65_520;

    @Override
    protected Codec codec() {
        return new HalfCodec(HalfFloat.BINARY16, KERNELS);
    }

    @Override
    protected boolean inRange(float value) {
        return Math.abs(value) < ROUNDS_TO_INFINITY;
    }

    /** The nearest of all 65,536 would be slow: rounds to a multiple of the unit in the last place, which doubles can do. */
    @Override
    protected float[] oracle(float[] values) {
        float[] decoded = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            int exponent = Math.max(Math.getExponent(values[i]), -14);
            double unit = Math.scalb(1.0, exponent - 10);
            decoded[i] = Math.copySign((float) (Math.rint(values[i] / unit) * unit), values[i]);
        }
        return decoded;
    }

    @Test
    void whatWouldBecomeInfiniteIsNamedAndJustBelowIsNot() throws Exception {
        assertEquals(LARGEST, decoded(encoded(LARGEST), 1)[0]);
        assertEquals(-LARGEST, decoded(encoded(Math.nextUp(-ROUNDS_TO_INFINITY)), 1)[0]);
        var refusal = assertThrows(NonFiniteException.class, () -> encoded(1, Float.NaN, -ROUNDS_TO_INFINITY));
        assertEquals(2, refusal.index());
        assertEquals(-ROUNDS_TO_INFINITY, refusal.value());
        assertTrue(refusal.toString().contains("value 2 is -65520.0, beyond the range of 'fp16'"), refusal.toString());
    }

    @Test
    void aTensorBeyondTheRangeCanPassDense() throws Exception {
        var compressor = new GradientCompressor(CompressionStrategy.parse("fp16,nonfinite=dense"));
        float[] values = {1, 1e30f};
        assertBitsEqual(values, compressor.decompress(compressor.compress(values), 2), "dense");
    }
}
