package io.hearth.compression;

final class NoneCodecTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new NoneCodec();
    }

    @Override
    float[] oracle(float[] values) {
        return values.clone();
    }
}
