package io.hearth.compression;

/** How the codecs of this build store one value. */
public enum QuantizationType {
    /** As float32, exactly. */
    NONE(Float.SIZE),
    /** As IEEE 754 binary16. */
    FP16(Short.SIZE),
    /** As the upper half of a float32. */
    BF16(Short.SIZE),
    /** As a signed byte that multiplies its block's scale. */
    INT8(Byte.SIZE),
    /** As half a signed byte that multiplies its block's scale. */
    INT4(Byte.SIZE / 2);

    private final int bits;

    QuantizationType(int bits) {
        this.bits = bits;
    }

    /** Bits per stored value, scales and indices apart. */
    public int bits() {
        return bits;
    }
}
