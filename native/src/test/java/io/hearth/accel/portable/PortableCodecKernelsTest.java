package io.hearth.accel.portable;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.CodecKernelsContractTest;
import io.hearth.accel.Engine;
import io.hearth.accel.select.Engines;

final class PortableCodecKernelsTest extends CodecKernelsContractTest {
    @Override
    protected CodecKernels kernels() {
        return Engines.codecKernels(Engine.PORTABLE);
    }
}
