package io.hearth.compression;

final class RandomKFullTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new RandomKCodec(0.25, true);
    }

    @Override
    float[] oracle(float[] values) {
        return RandomKCodecTest.oracle(values, codec(), 0.25);
    }
}
