package io.hearth.compression;

final class Int4CodecTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new LevelCodec(4, 64, false);
    }

    @Override
    float[] oracle(float[] values) {
        return LevelOracle.nearest(values, 7, 64);
    }
}
