package io.hearth.collective.sum;

import io.hearth.compression.NonFiniteException;
import io.hearth.core.MalformedMessageException;
import java.util.function.LongSupplier;

/** Runs code again and again until Java has compiled it, as far as the number of rounds and their times tell. */
final class UntilSteady {
    /** Java compiles a method fully after 5,000 calls, or 15,000 calls and turns of its loops, if there are 600 calls among them. */
    static final int ROUNDS_MIN = 2_000;

    /** Code is compiled when it was no faster for so long than before. */
    private static final long STEADY_NANOS = 200_000_000;

    static final long NANOS_MAX = 5_000_000_000L;
    private static final double FASTER = 0.95;

    private UntilSteady() {}

    /** One round, the shorter the better: the compiler counts rounds. */
    @FunctionalInterface
    interface Round {
        void run() throws NonFiniteException, MalformedMessageException;
    }

    /**
     * Runs it.
     *
     * @param nanoTime of a monotonic clock
     * @return how many rounds it took, 1 or more
     */
    static int run(LongSupplier nanoTime, Round round) throws NonFiniteException, MalformedMessageException {
        long started = nanoTime.getAsLong();
        long best = Long.MAX_VALUE;
        long since = started; // when it was best
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
