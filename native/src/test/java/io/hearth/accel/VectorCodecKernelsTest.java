package io.hearth.accel;

final class VectorCodecKernelsTest extends CodecKernelsContractTest {
    @Override
    CodecKernels kernels() {
        return Engine.VECTOR.codecKernels();
    }
}
