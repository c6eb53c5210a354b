package io.hearth.compression;

import io.hearth.accel.HalfFloat;

/** IEEE 754 binary16: 11 significant bits, finite up to 65,504. For gradients that are scaled to that range. */
public final class Fp16Codec implements SixteenBits {
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
