package io.hearth.compression;

import io.hearth.accel.CodecKernels;

/** What a lossy codec does with a tensor that it cannot carry. */
public enum OnNonFinite {
    /** Refuse it by name, and with it the collective on all ranks. */
    ERROR,
    /** Send the plain values this time. */
    DENSE;

    Codec around(Codec codec, CodecKernels kernels) {
        return switch (this) {
            case ERROR -> codec;
            case DENSE -> new PassDenseCodec(codec, kernels);
        };
    }
}
