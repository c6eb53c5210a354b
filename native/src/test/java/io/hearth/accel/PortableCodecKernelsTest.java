package io.hearth.accel;

final class PortableCodecKernelsTest extends CodecKernelsContractTest {
    @Override
    CodecKernels kernels() {
        return Engine.PORTABLE.codecKernels();
    }
}
