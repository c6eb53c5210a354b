package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.KernelKind;
import io.hearth.accel.Reducer;
import io.hearth.accel.select.Engines;
import io.hearth.accel.select.TimedEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

final class KernelBenchTest {
    private static final Reducer CPU = Engines.newReducer(Engine.PORTABLE);

    /** A Metal engine that reports how many of its calls it did itself. */
    private static TimedEngine metal(LongSupplier callsDone) {
        return new TimedEngine(Engine.METAL, counted(), CPU.codecKernels(), Optional.of(callsDone));
    }

    private static final AtomicLong CALLS = new AtomicLong();

    private static Reducer counted() {
        return (Reducer) java.lang.reflect.Proxy.newProxyInstance(
                Reducer.class.getClassLoader(), new Class<?>[] {Reducer.class}, (_, method, arguments) -> {
                    CALLS.incrementAndGet();
                    return method.invoke(CPU, arguments);
                });
    }

    private static List<Engine> timed(TimedEngine metal, List<String> leftOut) {
        var cpu = new TimedEngine(Engine.PORTABLE, CPU, CPU.codecKernels(), Optional.empty());
        var engines = new ArrayList<Engine>();
        new KernelBench(List.of(metal, cpu), Optional.empty(), EngineChoice.never(Engine.PORTABLE))
                .run(List.of(KernelKind.SUM_FLOAT32), List.of(4096), line -> engines.add(line.engine()), leftOut::add);
        return engines;
    }

    /** If the CPU did calls in place of the GPU, the GPU has no result. */
    @Test
    void anEngineThatHandsItsCallsOnHasNoFigure() {
        var leftOut = new ArrayList<String>();
        assertEquals(List.of(Engine.PORTABLE), timed(metal(() -> 7), leftOut));
        assertEquals(1, leftOut.size());
        assertTrue(leftOut.getFirst().startsWith("metal handed calls of sum-float32 with 4096"), leftOut::toString);
        leftOut.clear();
        assertEquals(List.of(Engine.METAL, Engine.PORTABLE), timed(metal(CALLS::get), leftOut));
        assertEquals(List.of(), leftOut);
    }
}
