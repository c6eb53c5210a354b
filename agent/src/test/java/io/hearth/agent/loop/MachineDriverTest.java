package io.hearth.agent.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.core.Clock;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MachineDriverTest {
    /** Counts its events; its tick is due as long as the count is below the current time. */
    private static final Machine<Integer, String, String> COUNTER = new Machine<>() {
        @Override
        public Step<Integer, String> step(Integer state, String event, long nowNanos) {
            if (event.equals("bug")) {
                throw new IllegalStateException("planted");
            }
            return new Step<>(state + 1, List.of(event + " one", event + " two"));
        }

        @Override
        public long sleepNanos(Integer state, long nowNanos) {
            return state - nowNanos;
        }
    };

    private final List<String> done = new ArrayList<>();
    private long now;

    private MachineDriver<Integer, String, String> driver() {
        var drivers = new ArrayList<MachineDriver<Integer, String, String>>();
        drivers.add(new MachineDriver<>(COUNTER, 0, "tick", new HandClock(), effect -> {
            done.add(effect);
            if (effect.equals("freeze one")) {
                drivers.getFirst().step("frozen");
                assertEquals(1, drivers.getFirst().state(), "not before the effects of this step are done");
            }
        }));
        return drivers.getFirst();
    }

    private final class HandClock implements Clock {
        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public long epochMillis() {
            return now;
        }
    }

    @Test
    void effectsOfTwoStepsNeverMix() {
        MachineDriver<Integer, String, String> driver = driver();
        driver.step("freeze");
        assertEquals(List.of("freeze one", "freeze two", "frozen one", "frozen two"), done);
        assertEquals(2, driver.state());
    }

    @Test
    void aTickIsGivenWhenItIsDueAndNotBefore() {
        MachineDriver<Integer, String, String> driver = driver();
        driver.step("event");
        driver.tickIfDue();
        assertEquals(1, driver.state());
        now = 1;
        driver.tickIfDue();
        driver.tickIfDue();
        assertEquals(2, driver.state());
        assertEquals(1, driver.sleepNanos());
    }

    @Test
    void aMachineThatFailsKeepsItsStateAndCanBeSteppedAgain() {
        MachineDriver<Integer, String, String> driver = driver();
        var rejected = assertThrows(RejectedEventException.class, () -> driver.step("bug"));
        assertEquals("java.lang.IllegalStateException: planted", String.valueOf(rejected.getCause()));
        assertEquals(List.of(), done);
        driver.step("event");
        assertEquals(1, driver.state());
    }

    /** Part of such a step is done, so it is no fault of the event. */
    @Test
    void whatAnEffectThrowsIsThrownOn() {
        var driver = new MachineDriver<>(COUNTER, 0, "tick", new HandClock(), _ -> {
            throw new UncheckedIOException("disk full", new IOException());
        });
        assertThrows(UncheckedIOException.class, () -> driver.step("event"));
        assertEquals(1, driver.state());
    }
}
