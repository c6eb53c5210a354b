package io.hearth.accel.select;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.Reducer;
import io.hearth.accel.gpu.ProvenMetal;
import io.hearth.accel.metal.MetalEngine;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * An engine for a measurement; it gets every call that it has a kernel for, whatever the size.
 *
 * @param reducer for one thread at a time
 * @param codecs of the same engine
 * @param callsDone number of calls that it did alone so far, from the first element to the last; empty for an engine that passes no call
 *     on
 */
public record TimedEngine(Engine engine, Reducer reducer, CodecKernels codecs, Optional<LongSupplier> callsDone) {
    /** The engine of this machine, which must exist here. */
    public static TimedEngine of(Engine engine) {
        if (engine == Engine.METAL) {
            return on(ProvenMetal.here(), Engines.best().engine());
        }
        Reducer reducer = Engines.newReducer(engine);
        return new TimedEngine(engine, reducer, reducer.codecKernels(), Optional.empty());
    }

    static TimedEngine on(MetalEngine metal, Engine cpu) {
        Reducer reducer = Engines.reducerOn(metal, EngineChoice.from(cpu, 0));
        return new TimedEngine(
                Engine.METAL,
                reducer,
                reducer.codecKernels(),
                Optional.of(() -> metal.status().callsOnGpu()));
    }
}
