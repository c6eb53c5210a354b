package io.hearth.compression.block;

import io.hearth.accel.select.Engines;
import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

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
