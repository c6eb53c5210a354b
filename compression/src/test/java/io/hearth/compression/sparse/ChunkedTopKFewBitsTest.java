package io.hearth.compression.sparse;

import static io.hearth.compression.TestKernels.KERNELS;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

final class ChunkedTopKFewBitsTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new ChunkedTopKCodec(0.02, 4096, 4, KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return ChunkedTopKCodecTest.oracle(values, 0.02, 4096, 4);
    }
}
