package io.hearth.compression;

final class TopKFullTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new TopKCodec(0.3, true);
    }

    @Override
    float[] oracle(float[] values) {
        return TopKCodecTest.oracle(values, 0.3);
    }
}
