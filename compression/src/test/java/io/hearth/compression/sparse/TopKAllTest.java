package io.hearth.compression.sparse;

import static io.hearth.compression.TestKernels.KERNELS;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

/** All values are kept: every gap is 0 and takes one bit. */
final class TopKAllTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new TopKCodec(1, false, KERNELS);
    }

    @Override
    protected float[] oracle(float[] values) {
        return HalfOracle.kept(TopKCodecTest.oracle(values, 1));
    }
}
