package io.hearth.accel.gpu;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalStatus;
import io.hearth.accel.portable.PortableCodecKernels;
import io.hearth.accel.selftest.CodecSelfTest;
import io.hearth.accel.selftest.ReducerSelfTest;
import java.util.Optional;

/**
 * The comparison of each kernel of a GPU with the portable engine. A call that the CPU did for the GPU proves nothing, so a proof has a
 * gap if the GPU failed, was not asked, or did fewer calls than the test made.
 *
 * @param checks number of compared calls
 * @param difference the first wrong result; empty if there was none
 * @param gap why a kernel was not seen at work; empty if all were
 */
public record MetalProof(int checks, Optional<String> difference, Optional<String> gap) {
    /** Runs one round over all kernels. No other thread may use the engine meanwhile; it is borrowed. */
    public static MetalProof of(MetalEngine engine) {
        engine.askAgain();
        MetalStatus before = engine.status();
        var reducing = ReducerSelfTest.of(engine);
        var packing = new CodecSelfTest(
                new MetalCodecKernels(engine, new PortableCodecKernels(), EngineChoice.from(Engine.PORTABLE, 0)));
        Optional<String> difference = reducing.firstDifference().or(packing::firstDifference);
        MetalStatus after = engine.status();
        long expected = (long) reducing.checks() + packing.gpuCalls();
        long done = after.callsOnGpu() - before.callsOnGpu();
        boolean whole = done == expected
                && after.callsOnCpu() == before.callsOnCpu()
                && after.faults().equals(before.faults());
        Optional<String> gap = whole
                ? Optional.empty()
                : Optional.of("the GPU did " + done + " of " + expected + " calls (" + after.why() + ")");
        return new MetalProof(reducing.checks() + packing.checks(), difference, gap);
    }

    /** The reason against the GPU, a wrong result first; empty if there is none. */
    public Optional<String> doubt() {
        return difference.or(() -> gap);
    }
}
