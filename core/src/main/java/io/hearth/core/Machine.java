package io.hearth.core;

/**
 * A protocol without I/O: everything it knows comes in, everything it wants goes out.
 *
 * <p>A machine owns no thread, socket, clock or random source. The same inputs give the same outputs, so a simulator can
 * run thousands of them in virtual time and any failure replays from its seed.
 *
 * @param <S> the state, an immutable value
 * @param <E> what may happen: a sealed interface of records
 * @param <F> what the shell must carry out: a sealed interface of records
 */
public interface Machine<S, E, F> {
    /**
     * One transition.
     *
     * @param nowNanos monotonic time in nanoseconds; only differences mean something
     */
    Step<S, F> step(S state, E event, long nowNanos);

    /**
     * How long, in nanoseconds, the shell may sleep before the machine wants its tick; {@link Long#MAX_VALUE} when only an
     * event can change anything. A span and not an instant, so that it cannot overflow.
     */
    long sleepNanos(S state, long nowNanos);
}
