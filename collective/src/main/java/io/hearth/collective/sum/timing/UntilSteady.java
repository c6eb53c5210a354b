package io.hearth.collective.sum.timing;

import io.hearth.compression.NonFiniteException;
import io.hearth.core.MalformedMessageException;
import java.util.function.LongSupplier;

/** Runs code repeatedly until Java has probably compiled it, judged by the number of rounds and their times. */
final class UntilSteady {
    /** Java compiles a method fully after 5,000 calls, or after 15,000 calls and loop iterations with at least 600 calls among them. */
    static final int ROUNDS_MIN = 2_000;

    /** Code counts as compiled when no round was faster for this time. */
    private static final long STEADY_NANOS = 200_000_000;

    static final long NANOS_MAX = 5_000_000_000L;
    private static final double FASTER = 0.95;

    private UntilSteady() {}

    /** One round. Short rounds are better, because the compiler counts them. */
    @FunctionalInterface
    interface Round {
        void run() throws NonFiniteException, MalformedMessageException;
    }

    /**
     * Runs the rounds.
     *
     * @param nanoTime of a monotonic clock
     * @return the number of rounds, 1 or more
     */
    static int run(LongSupplier nanoTime, Round round) throws NonFiniteException, MalformedMessageException {
        long started = nanoTime.getAsLong();
        long best = Long.MAX_VALUE;
        long since = started; // time of the fastest round
        long now = started;
        int rounds = 0;
        while ((rounds < ROUNDS_MIN || now - since < STEADY_NANOS) && now - started < NANOS_MAX) {
            long begun = now;
            round.run();
            rounds++;
            now = nanoTime.getAsLong();
            if (now - begun < best * FASTER) {
                best = now - begun;
                since = now;
            }
        }
        return rounds;
    }
}
