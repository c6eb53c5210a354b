package io.hearth.compression;

final class Int4CodecTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new Int4Codec(64);
    }

    @Override
    float[] oracle(float[] values) {
        return LevelOracle.nearest(values, 7, 64);
    }
}
