package io.hearth.compression.block;

import static io.hearth.compression.TestKernels.KERNELS;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

final class PassDenseCodecTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new PassDenseCodec(new LevelCodec(8, 64, false, KERNELS), KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return LevelOracle.nearest(values, 127, 64);
    }
}
