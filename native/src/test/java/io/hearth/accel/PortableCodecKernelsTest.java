package io.hearth.accel;

final class PortableCodecKernelsTest extends CodecKernelsContractTest {
    @Override
    CodecKernels kernels() {
        return Engines.codecKernels(Engine.PORTABLE);
    }
}
