package io.hearth.accel.gpu;

import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;

/**
 * The Metal engine of this process. Its one GPU is opened by the first use, compared with the portable engine before its first real call,
 * and kept until the process ends.
 */
public final class ProvenMetal {
    private ProvenMetal() {}

    private static final class Holder {
        static final MetalEngine ENGINE = proven(MetalEngine.open(MetalLimits.DEFAULTS));
    }

    public static MetalEngine here() {
        return Holder.ENGINE;
    }

    /**
     * Returns the same engine. It is disabled if a kernel gives other bits than the portable engine, or if two rounds do not show all
     * kernels at work; a passing fault may spoil the first round.
     */
    static MetalEngine proven(MetalEngine engine) {
        if (engine.status().usable()) {
            MetalProof first = MetalProof.of(engine);
            MetalProof proof = first.difference().isEmpty() && first.gap().isPresent() ? MetalProof.of(engine) : first;
            if (proof.difference().isPresent()) {
                engine.distrust(proof.difference().get());
            } else {
                proof.gap().ifPresent(engine::unproven);
            }
        }
        return engine;
    }
}
