package io.hearth.compression;

final class PassDenseCodecTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new PassDenseCodec(new Int8Codec(64));
    }

    @Override
    float[] oracle(float[] values) {
        return LevelOracle.nearest(values, 127, 64);
    }
}
