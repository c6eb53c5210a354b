package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.HalfFloat;
import io.hearth.accel.select.Engines;

/** Keeps the upper half of each float32: 8 significant bits, and its full range except the last half step below infinity. */
public final class Bf16Codec implements SixteenBits {
    private final CodecKernels kernels;

    /** Uses the fastest engine of this JVM, the GPU excepted. */
    public Bf16Codec() {
        this(Engines.best().codecKernels());
    }

    Bf16Codec(CodecKernels kernels) {
        this.kernels = kernels;
    }

    @Override
    public CodecKernels kernels() {
        return kernels;
    }

    @Override
    public String name() {
        return "bf16";
    }

    @Override
    public byte id() {
        return Header.BF16;
    }

    @Override
    public HalfFloat format() {
        return HalfFloat.BFLOAT16;
    }
}
