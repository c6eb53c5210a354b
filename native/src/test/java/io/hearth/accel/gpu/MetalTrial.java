package io.hearth.accel.gpu;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.ReducerContractTest;
import io.hearth.accel.Trial;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLibraries;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.select.Engines;
import io.hearth.accel.selftest.CodecSelfTest;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Compares all kernels of a Metal engine with the oracle and the portable engine. As a function it opens the engine on the library of
 * that name and returns the problem or an empty text; a class loader with a mistake in the engine's code calls it so.
 */
public final class MetalTrial implements Function<String, String> {
    static final int COUNT = 1021;

    /** No buffer has spare bytes, so that a write after the last element is one beyond the buffer. */
    static final MetalLimits LIMITS = new MetalLimits(1, 4 * COUNT, Duration.ofSeconds(60), Duration.ofSeconds(60));

    /** For another class loader. */
    public MetalTrial() {}

    @Override
    public String apply(String library) {
        var limits = new MetalLimits(1, LIMITS.pieceBytesMax(), Duration.ofSeconds(20), LIMITS.opening());
        try (MetalEngine engine = MetalEngine.open(new MetalLibraries(library, library, List.of()), limits)) {
            return problem(engine).orElse("");
        }
    }

    /** The problem of an engine that does not open, gives other bits, or fails; empty if it has none. */
    static Optional<String> problem(MetalEngine engine) {
        if (!engine.status().usable()) {
            return Optional.of(engine.status().why());
        }
        var reducer =
                new MetalReducer(engine, Engines.newReducer(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0));
        try {
            for (DataType type :
                    new DataType[] {DataType.FLOAT32, DataType.FLOAT16, DataType.BFLOAT16, DataType.INT32}) {
                var trial = new Trial(reducer, new SplittableRandom(2), type);
                for (ReduceOp op : ReducerContractTest.OPS) {
                    for (int round = 0; round < 4; round++) {
                        trial.combine(op, Trial.Left.IN_PLACE, Trial.Right.ARRAY, 5 * COUNT, 1);
                    }
                    trial.combine(op, Trial.Left.APART, Trial.Right.NATIVE, COUNT, 2);
                }
            }
            var codecs = new MetalCodecKernels(
                    engine, Engines.codecKernels(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0));
            Optional<String> difference = new CodecSelfTest(codecs).firstDifference();
            if (difference.isPresent()) {
                return difference;
            }
        } catch (AssertionError difference) {
            return Optional.of(String.valueOf(difference.getMessage()));
        }
        // If the CPU did the GPU's work, the bits are right all the same.
        return engine.status().faults().isEmpty()
                ? Optional.empty()
                : Optional.of(engine.status().why());
    }
}
