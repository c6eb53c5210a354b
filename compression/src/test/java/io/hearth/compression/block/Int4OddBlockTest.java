package io.hearth.compression.block;

import static io.hearth.compression.TestKernels.KERNELS;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

final class Int4OddBlockTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new LevelCodec(4, 11, false, KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return LevelOracle.nearest(values, 7, 11);
    }
}
