package io.hearth.compression;

final class TopKSparseTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new TopKCodec(0.01);
    }

    @Override
    float[] oracle(float[] values) {
        return HalfOracle.kept(TopKCodecTest.oracle(values, 0.01));
    }
}
