package io.hearth.compression;

/** How the codecs of this build store one value. */
public enum QuantizationType {
    /** As float32, exactly. */
    NONE(Float.SIZE),
    /** As a signed byte that multiplies its block's scale. */
    INT8(Byte.SIZE);

    private final int bits;

    QuantizationType(int bits) {
        this.bits = bits;
    }

    /** Bits per stored value, scales and indices apart. */
    public int bits() {
        return bits;
    }
}
