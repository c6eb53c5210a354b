package io.hearth.core;

/**
 * A protocol without I/O: its inputs are events, its outputs are effects.
 *
 * <p>A machine owns no thread, socket, clock or random source. The same inputs give the same outputs. So a simulator can run thousands of
 * machines in virtual time, and replay any failure from its seed.
 *
 * @param <S> the state, an immutable value
 * @param <E> the events: a sealed interface of records
 * @param <F> the effects, which the shell must carry out: a sealed interface of records
 */
public interface Machine<S, E, F> {
    /**
     * Makes one transition.
     *
     * @param nowNanos monotonic time in nanoseconds; only differences have a meaning
     */
    Step<S, F> step(S state, E event, long nowNanos);

    /**
     * The time in nanoseconds that the shell may sleep before it sends the next tick; {@link Long#MAX_VALUE} if only another event can
     * change the state. A span and not an instant, so that it cannot overflow.
     */
    long sleepNanos(S state, long nowNanos);
}
