package io.hearth.compression.sparse;

import static io.hearth.compression.TestKernels.KERNELS;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

final class ChunkedTopKAllTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new ChunkedTopKCodec(1, 64, 2, KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return ChunkedTopKCodecTest.oracle(values, 1, 64, 2);
    }
}
