package io.hearth.compression;

/** IEEE 754 binary16: 11 significant bits, finite up to 65,504. For gradients that are scaled to that range. */
public final class Fp16Codec implements SixteenBits {
    private static final float LARGEST = 65_504;

    @Override
    public String name() {
        return "fp16";
    }

    @Override
    public byte id() {
        return Header.FP16;
    }

    @Override
    public float largest() {
        return LARGEST;
    }

    @Override
    public void narrow(float[] values, short[] bits, int n) {
        for (int i = 0; i < n; i++) {
            bits[i] = Float.floatToFloat16(values[i]);
        }
    }

    @Override
    public void widen(short[] bits, float[] values, int n) {
        for (int i = 0; i < n; i++) {
            values[i] = Float.float16ToFloat(bits[i]);
        }
    }
}
