package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.HalfFloat;
import io.hearth.accel.select.Engines;

/** IEEE 754 binary16: 11 significant bits, finite up to 65,504. For gradients that are scaled to that range. */
public final class Fp16Codec implements SixteenBits {
    private final CodecKernels kernels;

    /** Uses the fastest engine of this JVM, the GPU excepted. */
    public Fp16Codec() {
        this(Engines.best().codecKernels());
    }

    Fp16Codec(CodecKernels kernels) {
        this.kernels = kernels;
    }

    @Override
    public CodecKernels kernels() {
        return kernels;
    }

    @Override
    public String name() {
        return "fp16";
    }

    @Override
    public byte id() {
        return Header.FP16;
    }

    @Override
    public HalfFloat format() {
        return HalfFloat.BINARY16;
    }
}
