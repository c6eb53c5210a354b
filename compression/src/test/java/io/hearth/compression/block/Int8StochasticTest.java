package io.hearth.compression.block;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

final class Int8StochasticTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new LevelCodec(8, 64, true);
    }

    @Override
    protected float[] oracle(float[] values) {
        return LevelOracle.stochastic(values, 127, 64, 0);
    }
}
