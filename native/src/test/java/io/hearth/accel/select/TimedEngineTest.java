package io.hearth.accel.select;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.accel.Engine;
import io.hearth.accel.KernelKind;
import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;
import java.util.function.LongSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class TimedEngineTest {
    /** Metal gets the call also below the size of a forced Metal; a call that it did not do is not counted. */
    @ParameterizedTest
    @EnumSource
    void aSmallCallIsTheGpusAndCountedWhereItDidIt(KernelKind kind) {
        FakeMetal fake = FakeMetal.get();
        try (MetalEngine metal = MetalEngine.open(fake.libraries(), MetalLimits.DEFAULTS);
                var run = new KernelRun(kind, 4096)) {
            TimedEngine timed = TimedEngine.on(metal, Engine.PORTABLE);
            LongSupplier done = timed.callsDone().orElseThrow();
            run.call(timed.reducer(), timed.codecs());
            assertEquals(1, done.getAsLong());
            fake.set("command_fails", 1);
            run.call(timed.reducer(), timed.codecs());
            run.call(timed.reducer(), timed.codecs());
            assertEquals(1, done.getAsLong());
        }
        fake.assertObeyed();
    }
}
