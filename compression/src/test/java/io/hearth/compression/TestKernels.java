package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.select.Engines;

/** The kernels of the tests; the bits do not depend on the engine. */
public final class TestKernels {
    public static final CodecKernels KERNELS = Engines.best().codecKernels();

    private TestKernels() {}
}
