package io.hearth.compression;

/** The upper half of a float32: 8 significant bits, its full range but for the last half step below infinity. */
public final class Bf16Codec implements SixteenBits {
    private static final float LARGEST = Float.intBitsToFloat(0x7f7f_0000);
    private static final int JUST_BELOW_HALF = 0x7fff;
    private static final int QUIET_NAN = 0x40;

    @Override
    public String name() {
        return "bf16";
    }

    @Override
    public byte id() {
        return Header.BF16;
    }

    @Override
    public float largest() {
        return LARGEST;
    }

    @Override
    public void narrow(float[] values, short[] bits, int n) {
        for (int i = 0; i < n; i++) {
            int whole = Float.floatToRawIntBits(values[i]);
            int upper = whole >>> Short.SIZE;
            int rounded = (whole + JUST_BELOW_HALF + (upper & 1)) >>> Short.SIZE;
            // A NaN's last bits could round to infinity, or to zero.
            boolean nan = (whole & Float32.MAGNITUDE_MASK) > Float32.INFINITY_BITS;
            bits[i] = (short) (nan ? upper | QUIET_NAN : rounded);
        }
    }

    @Override
    public void widen(short[] bits, float[] values, int n) {
        for (int i = 0; i < n; i++) {
            values[i] = Float.intBitsToFloat(bits[i] << Short.SIZE);
        }
    }
}
