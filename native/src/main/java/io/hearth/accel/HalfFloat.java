package io.hearth.accel;

/** Floating-point numbers of 16 bits; float32 is rounded to nearest, ties to even. NaN stays NaN; its bits are not specified. */
public enum HalfFloat {
    /** IEEE 754 binary16: 11 significant bits, finite up to 65,504. */
    BINARY16(65_504f, 0x477f_f000),
    /** The upper half of a float32: 8 significant bits. */
    BFLOAT16(Float.intBitsToFloat(0x7f7f_0000), 0x7f7f_8000);

    private final float largest;
    private final int overflowBits;

    HalfFloat(float largest, int overflowBits) {
        this.largest = largest;
        this.overflowBits = overflowBits;
    }

    /** The largest finite number. */
    public float largest() {
        return largest;
    }

    /** The magnitude, as bits of a float32, from which on finite values would round to infinity. */
    public int overflowBits() {
        return overflowBits;
    }
}
