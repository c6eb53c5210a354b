package io.hearth.agent.loop;

import io.hearth.core.Clock;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Holds one machine's state for the owner thread and carries its effects out in order.
 *
 * <p>If a machine throws, its state stays as before the event, and no effect was carried out: {@link RejectedEventException}. An exception
 * of an effect goes to the caller unchanged, because part of the step is done then.
 *
 * <p>An effect may lead to a further event of the same machine (a freeze answers with a status); such an event waits until the effects of
 * the step before it are done, so effects of two steps never mix.
 */
public final class MachineDriver<S, E, F> {
    private final Machine<S, E, F> machine;
    private final E tick;
    private final Clock clock;
    private final Consumer<F> effects;
    private final Deque<E> waiting = new ArrayDeque<>();
    private S state;
    private boolean stepping;

    /**
     * A driver that has not run a step.
     *
     * @param tick the event for passing time
     * @param effects carries one effect out; called on the thread of the step
     */
    public MachineDriver(Machine<S, E, F> machine, S start, E tick, Clock clock, Consumer<F> effects) {
        this.machine = machine;
        this.state = start;
        this.tick = tick;
        this.clock = clock;
        this.effects = effects;
    }

    public S state() {
        return state;
    }

    /**
     * Steps the machine and carries out its effects.
     *
     * @throws RejectedEventException the machine threw
     */
    public void step(E event) {
        waiting.add(event);
        if (stepping) {
            return;
        }
        stepping = true;
        try {
            while (!waiting.isEmpty()) {
                Step<S, F> step = stepped(waiting.remove());
                state = step.state();
                step.effects().forEach(effects);
            }
        } finally {
            stepping = false;
        }
    }

    private Step<S, F> stepped(E event) {
        try {
            return machine.step(state, event, clock.nanoTime());
        } catch (RuntimeException | AssertionError bug) {
            throw new RejectedEventException(bug);
        }
    }

    /** Steps the machine with its tick if that is due. */
    public void tickIfDue() {
        if (sleepNanos() <= 0) {
            step(tick);
        }
    }

    public long sleepNanos() {
        return machine.sleepNanos(state, clock.nanoTime());
    }
}
