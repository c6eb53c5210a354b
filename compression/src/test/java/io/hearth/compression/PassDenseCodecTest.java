package io.hearth.compression;

import io.hearth.accel.select.Engines;

final class PassDenseCodecTest extends CodecContractTest {
    @Override
    Codec codec() {
        return OnNonFinite.DENSE.around(new Int8Codec(64), Engines.best().codecKernels());
    }

    @Override
    float[] oracle(float[] values) {
        return LevelOracle.nearest(values, 127, 64);
    }
}
