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
 * Whether each kernel of a GPU gave the portable engine's bits. What the CPU did in its place proves nothing, so a proof has a gap
 * if the GPU failed, was not asked, or did fewer calls than there are.
 *
 * @param checks how many calls were compared
 * @param difference what was wrong; empty if nothing was
 * @param gap what was not seen at work; empty if all was
 */
public record MetalProof(int checks, Optional<String> difference, Optional<String> gap) {
    /** One round over all kernels; nobody else may use the engine meanwhile. It is only borrowed. */
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

    /** What speaks against the GPU, the worse first; empty if nothing does. */
    public Optional<String> doubt() {
        return difference.or(() -> gap);
    }
}
