package io.hearth.compression;

/** All values kept: every gap is 0, and there is one bit for each. */
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
