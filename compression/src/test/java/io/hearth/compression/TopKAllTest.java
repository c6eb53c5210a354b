package io.hearth.compression;

/** All values are kept: every gap is 0 and takes one bit. */
final class TopKAllTest extends CodecContractTest {
    @Override
    Codec codec() {
        return new TopKCodec(1);
    }

    @Override
    float[] oracle(float[] values) {
        return HalfOracle.kept(TopKCodecTest.oracle(values, 1));
    }
}
