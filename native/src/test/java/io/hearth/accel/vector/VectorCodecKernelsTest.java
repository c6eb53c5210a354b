package io.hearth.accel.vector;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.CodecKernelsContractTest;
import io.hearth.accel.Engine;
import io.hearth.accel.select.Engines;
import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf("io.hearth.accel.VectorWidth#isPresent")
final class VectorCodecKernelsTest extends CodecKernelsContractTest {
    @Override
    protected CodecKernels kernels() {
        return Engines.codecKernels(Engine.VECTOR);
    }
}
