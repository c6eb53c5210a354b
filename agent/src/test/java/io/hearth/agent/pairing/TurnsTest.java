package io.hearth.agent.pairing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class TurnsTest {
    private static final String TICK = "tick";

    /** Counts ticks, and is due for one at once. */
    private static final class Due implements Machine<Integer, String, String> {
        @Override
        public Step<Integer, String> step(Integer ticks, String event, long nowNanos) {
            return event.equals(TICK) ? Step.quiet(ticks + 1) : new Step<>(ticks, List.of(event));
        }

        @Override
        public long sleepNanos(Integer ticks, long nowNanos) {
            return ticks == 0 ? 0 : Long.MAX_VALUE;
        }
    }

    /** A flood must not keep a sponsor's code alive. */
    @Test
    void aFullInboxDoesNotDelayATickThatIsDue() throws InterruptedException {
        var turns = new Turns<>(new Due(), Clock.system());
        for (int i = 0; i < 1_000; i++) {
            turns.offer("noise");
        }
        var handled = new AtomicInteger();
        var first = new AtomicInteger(-1);
        turns.run(
                0,
                TICK,
                noise -> {
                    turns.offer(noise); // it never ends
                    first.compareAndSet(-1, handled.get());
                },
                () -> handled.incrementAndGet() > 10);
        assertEquals(2, first.get(), "the tick came first");
    }

    @Test
    void whatAnEffectAnswersComesBeforeWhatOthersOffer() throws InterruptedException {
        var turns = new Turns<>(new Due(), Clock.system());
        turns.offer("ask");
        turns.offer("noise");
        var heard = new StringBuilder();
        turns.run(
                0,
                TICK,
                effect -> {
                    heard.append(effect).append(' ');
                    if (effect.equals("ask")) {
                        turns.answer("answer");
                    }
                },
                () -> heard.indexOf("noise") >= 0);
        assertTrue(heard.toString().startsWith("ask answer noise"), heard.toString());
    }
}
