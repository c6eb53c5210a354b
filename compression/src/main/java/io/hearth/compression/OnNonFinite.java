package io.hearth.compression;

import io.hearth.accel.CodecKernels;

/** What a lossy codec does with a tensor that it cannot carry. */
public enum OnNonFinite {
    /** Refuse it by name, and with it the collective on all ranks. */
    ERROR(""),
    /** Send the plain values this time. */
    PASS_DENSE(":dense");

    private final String text;

    OnNonFinite(String text) {
        this.text = text;
    }

    /** As it stands in {@link CompressionStrategy#text}. */
    String text() {
        return text;
    }

    Codec around(Codec codec, CodecKernels kernels) {
        return switch (this) {
            case ERROR -> codec;
            case PASS_DENSE -> new PassDenseCodec(codec, kernels);
        };
    }
}
