package io.hearth.compression.block;

import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.HalfFloat;
import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;
import io.hearth.compression.NonFiniteException;
import org.junit.jupiter.api.Test;

final class Bf16CodecTest extends CodecContractTest {
    private static final float LARGEST = 0x1.fep127f;
    private static final float ROUNDS_TO_INFINITY = 0x1.ffp127f;

    @Override
    protected Codec codec() {
        return new HalfCodec(HalfFloat.BFLOAT16, KERNELS);
    }

    @Override
    protected boolean inRange(float value) {
        return Math.abs(value) < ROUNDS_TO_INFINITY;
    }

    @Override
    protected float[] oracle(float[] values) {
        float[] decoded = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            int exponent = Math.max(Math.getExponent(values[i]), Float.MIN_EXPONENT);
            double unit = Math.scalb(1.0, exponent - 7);
            decoded[i] = Math.copySign((float) (Math.rint(values[i] / unit) * unit), values[i]);
        }
        return decoded;
    }

    @Test
    void whatWouldBecomeInfiniteIsNamedAndJustBelowIsNot() throws Exception {
        assertEquals(-LARGEST, decoded(encoded(Math.nextUp(-ROUNDS_TO_INFINITY)), 1)[0]);
        var refusal = assertThrows(NonFiniteException.class, () -> encoded(1, ROUNDS_TO_INFINITY));
        assertEquals(1, refusal.index());
        assertTrue(refusal.toString().contains("beyond the range of 'bf16'"), refusal.toString());
    }

    @Test
    void noNanBecomesAnythingElse() throws Exception {
        for (int bits : new int[] {0x7f80_0001, 0xff80_0001, 0x7fff_ffff, 0xffff_ffff, 0x7fc0_0000, 0x7fbf_ffff}) {
            assertTrue(Float.isNaN(decoded(encoded(Float.intBitsToFloat(bits)), 1)[0]), Integer.toHexString(bits));
        }
    }
}
