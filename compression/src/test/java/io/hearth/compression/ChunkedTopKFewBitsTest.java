package io.hearth.compression;

final class ChunkedTopKFewBitsTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new ChunkedTopKCodec(0.02, 4096, 4);
    }

    @Override
    float[] oracle(float[] values) {
        return ChunkedTopKCodecTest.oracle(values, 0.02, 4096, 4);
    }
}
