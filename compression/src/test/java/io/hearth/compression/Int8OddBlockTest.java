package io.hearth.compression;

final class Int8OddBlockTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new Int8Codec(11);
    }

    @Override
    float[] oracle(float[] values) {
        return Int8CodecTest.oracle(values, 11);
    }
}
