package io.hearth.accel;

import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;

/**
 * The Metal engine of this process: there is one GPU, opened when it is first asked for, compared with the portable engine before
 * its first real call, and kept until the process ends.
 */
final class ProvenMetal {
    private ProvenMetal() {}

    private static final class Holder {
        static final MetalEngine ENGINE = proven(MetalEngine.open(MetalLimits.DEFAULTS));
    }

    static MetalEngine here() {
        return Holder.ENGINE;
    }

    /** The same engine, distrusted if any kernel gives other bits than the portable engine. */
    static MetalEngine proven(MetalEngine engine) {
        if (engine.status().usable()) {
            var codecs = new MetalCodecKernels(
                    engine, Engine.PORTABLE.codecKernels(), EngineChoice.from(Engine.PORTABLE, 0));
            ReducerSelfTest.of(engine)
                    .firstDifference()
                    .or(() -> new CodecSelfTest(codecs).firstDifference())
                    .ifPresent(engine::distrust);
        }
        return engine;
    }
}
