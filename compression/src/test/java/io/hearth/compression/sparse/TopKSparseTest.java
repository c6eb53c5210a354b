package io.hearth.compression.sparse;

import static io.hearth.compression.TestKernels.KERNELS;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

final class TopKSparseTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new TopKCodec(0.01, false, KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return HalfOracle.kept(TopKCodecTest.oracle(values, 0.01));
    }
}
