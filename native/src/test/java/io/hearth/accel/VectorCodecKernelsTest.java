package io.hearth.accel;

final class VectorCodecKernelsTest extends CodecKernelsContractTest {
    @Override
    CodecKernels kernels() {
        return Engines.codecKernels(Engine.VECTOR);
    }
}
