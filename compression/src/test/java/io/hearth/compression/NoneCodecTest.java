package io.hearth.compression;

final class NoneCodecTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new NoneCodec();
    }

    @Override
    protected float[] oracle(float[] values) {
        return values.clone();
    }
}
