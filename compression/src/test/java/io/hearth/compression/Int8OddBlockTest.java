package io.hearth.compression;

final class Int8OddBlockTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new LevelCodec(8, 11, false);
    }

    @Override
    float[] oracle(float[] values) {
        return Int8CodecTest.oracle(values, 11);
    }
}
