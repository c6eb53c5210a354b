package io.hearth.compression;

final class Int4OddBlockTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new LevelCodec(4, 11, false);
    }

    @Override
    float[] oracle(float[] values) {
        return LevelOracle.nearest(values, 7, 11);
    }
}
