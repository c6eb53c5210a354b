package io.hearth.compression.block;

import static io.hearth.compression.TestKernels.KERNELS;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

final class Int4StochasticTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new LevelCodec(4, 32, true, KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return LevelOracle.stochastic(values, 7, 32, 0);
    }
}
