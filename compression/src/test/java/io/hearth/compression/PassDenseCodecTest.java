package io.hearth.compression;

import io.hearth.accel.select.Engines;

final class PassDenseCodecTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new PassDenseCodec(new LevelCodec(8, 64, false), Engines.best().codecKernels());
    }

    @Override
    protected float[] oracle(float[] values) {
        return LevelOracle.nearest(values, 127, 64);
    }
}
