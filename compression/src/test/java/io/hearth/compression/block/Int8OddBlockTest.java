package io.hearth.compression.block;

import static io.hearth.compression.TestKernels.KERNELS;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

final class Int8OddBlockTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new LevelCodec(8, 11, false, KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return Int8CodecTest.oracle(values, 11);
    }
}
