package io.hearth.agent.pairing;

import io.hearth.core.Clock;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Steps a machine on the caller's thread until it ends; other threads only offer events. */
final class Turns<S, E, F> {
    /** Most waiting events; with the longest messages they take 8 MiB. */
    private static final int INBOX_MAX = 256;

    private final Machine<S, E, F> machine;
    private final Clock clock;
    private final BlockingQueue<E> inbox = new ArrayBlockingQueue<>(INBOX_MAX);
    private final Deque<E> answers = new ArrayDeque<>(); // caller's thread only; one per effect at most

    Turns(Machine<S, E, F> machine, Clock clock) {
        this.machine = machine;
        this.clock = clock;
    }

    /**
     * Adds an event, from any thread, without blocking. An event is dropped if there is no room; the machine's time limits make up for it.
     */
    void offer(E event) {
        var _ = inbox.offer(event);
    }

    /** Adds the outcome of an effect, while the effect is carried out. */
    void answer(E event) {
        answers.add(event);
    }

    /** @param carryOut called for each effect, in order */
    void run(S start, E tick, Consumer<F> carryOut, BooleanSupplier isOver) throws InterruptedException {
        S state = start;
        while (!isOver.getAsBoolean()) {
            @Nullable E event = answers.poll();
            if (event == null) {
                long sleepNanos = machine.sleepNanos(state, clock.nanoTime());
                event = sleepNanos <= 0
                        ? tick
                        : inbox.poll(sleepNanos, TimeUnit.NANOSECONDS); // so that a flood delays no tick
            }
            Step<S, F> step = machine.step(state, event == null ? tick : event, clock.nanoTime());
            state = step.state();
            step.effects().forEach(carryOut);
        }
    }
}
