package io.hearth.accel.vector;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.CodecKernelsContractTest;
import io.hearth.accel.Engine;
import io.hearth.accel.select.Engines;

final class VectorCodecKernelsTest extends CodecKernelsContractTest {
    @Override
    protected CodecKernels kernels() {
        return Engines.codecKernels(Engine.VECTOR);
    }
}
