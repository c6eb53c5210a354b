package io.hearth.compression.sparse;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

final class TopKSparseTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new TopKCodec(0.01);
    }

    @Override
    protected float[] oracle(float[] values) {
        return HalfOracle.kept(TopKCodecTest.oracle(values, 0.01));
    }
}
