package io.hearth.compression.block;

import io.hearth.compression.Codec;
import io.hearth.compression.CodecContractTest;

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
