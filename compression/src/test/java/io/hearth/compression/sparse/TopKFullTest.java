package io.hearth.compression.sparse;

import static io.hearth.compression.TestKernels.KERNELS;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

final class TopKFullTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new TopKCodec(0.3, true, KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return TopKCodecTest.oracle(values, 0.3);
    }
}
