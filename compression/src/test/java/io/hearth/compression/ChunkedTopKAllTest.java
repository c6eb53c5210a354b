package io.hearth.compression;

final class ChunkedTopKAllTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new ChunkedTopKCodec(1, 64, 2);
    }

    @Override
    float[] oracle(float[] values) {
        return ChunkedTopKCodecTest.oracle(values, 1, 64, 2);
    }
}
