package io.hearth.compression.block;

import static io.hearth.compression.TestKernels.KERNELS;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

final class Int8StochasticTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new LevelCodec(8, 64, true, KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return LevelOracle.stochastic(values, 127, 64, 0);
    }
}
