package io.hearth.compression.block;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

final class Int8OddBlockTest extends CodecContractTest {
    @Override
    protected Codec codec() {
        return new LevelCodec(8, 11, false);
    }

    @Override
    protected float[] oracle(float[] values) {
        return Int8CodecTest.oracle(values, 11);
    }
}
