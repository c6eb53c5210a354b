package io.hearth.accel.select;

import io.hearth.accel.Engine;
import io.hearth.accel.gpu.MetalProof;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalFault;
import io.hearth.accel.metal.MetalLibraries;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.metal.MetalStatus;
import io.hearth.accel.selftest.CodecSelfTest;
import io.hearth.accel.selftest.ReducerSelfTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Compares all engines of this machine with the portable one, bit for bit. */
public final class EngineSelfTest {
    private EngineSelfTest() {}

    /**
     * The result for one engine.
     *
     * @param engine name, with the device of a GPU
     * @param exists whether it could be tested
     * @param right whether all bits were equal to the portable engine's; false if it does not exist
     * @param text one clause
     */
    public record Verdict(String engine, boolean exists, boolean right, String text) {
        private static Verdict absent(String engine, String why) {
            return new Verdict(engine, false, false, "not here: " + why);
        }

        private static Verdict of(String engine, int checks, Optional<String> difference) {
            return difference
                    .map(wrong -> new Verdict(engine, true, false, "WRONG: " + wrong))
                    .orElseGet(() -> new Verdict(engine, true, true, checks + " comparisons, all bits equal"));
        }

        /** Whether the result is a fault to report. */
        public boolean isFault() {
            return exists && !right;
        }
    }

    /** Tests every engine of this build on this machine; takes some seconds. */
    public static List<Verdict> here() {
        var verdicts = new ArrayList<Verdict>();
        verdicts.add(cpu(Engine.PORTABLE));
        verdicts.add(
                Engines.vectorPresent()
                        ? cpu(Engine.VECTOR)
                        : Verdict.absent(Engine.VECTOR.label(), "start java with --add-modules jdk.incubator.vector"));
        if (MetalLibraries.here().isPresent()) {
            try (MetalEngine metal = MetalEngine.open(MetalLimits.DEFAULTS)) {
                verdicts.add(metal(Engine.METAL.label(), metal));
            }
        } else {
            verdicts.add(Verdict.absent(
                    Engine.METAL.label(), MetalLibraries.absence().orElseThrow()));
        }
        return verdicts;
    }

    private static Verdict cpu(Engine engine) {
        var reducing = ReducerSelfTest.of(Engines.newReducer(engine));
        var packing = new CodecSelfTest(Engines.codecKernels(engine));
        Optional<String> difference = reducing.firstDifference().or(packing::firstDifference);
        return Verdict.of(engine.label(), reducing.checks() + packing.checks(), difference);
    }

    /**
     * Tests the Metal engine on one GPU.
     *
     * @param name of the engine in the report
     * @param metal borrowed
     */
    public static Verdict metal(String name, MetalEngine metal) {
        MetalStatus opened = metal.status();
        if (!opened.usable()) {
            // macOS shows no GPU to a process of ssh, for instance: that is no fault.
            return opened.faults().keySet().stream().allMatch(MetalFault::absence)
                    ? Verdict.absent(name, opened.why())
                    : new Verdict(name, true, false, "WRONG: it does not open: " + opened.why());
        }
        MetalProof proof = MetalProof.of(metal);
        return Verdict.of(name + " (" + opened.device() + ")", proof.checks(), proof.doubt());
    }
}
