package io.hearth.compression;

final class Int4OddBlockTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new Int4Codec(11);
    }

    @Override
    float[] oracle(float[] values) {
        return LevelOracle.nearest(values, 7, 11);
    }
}
