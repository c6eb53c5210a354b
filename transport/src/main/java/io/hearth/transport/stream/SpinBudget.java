package io.hearth.transport.stream;

/**
 * How long who waits spins before it sleeps. Spinning pays where the other process has a core of its own; where it does not, it
 * only keeps it from running. So a spin in vain lets twice as many of the next waits go to sleep soon as the one before, and one
 * that paid none. One thread at a time.
 */
final class SpinBudget {
    private static final int SKIPPED_MAX = 64;

    private final long longNanos;
    private final long shortNanos;
    private int toSkip; // after the next spin in vain
    private int skips; // waits that are still to be short

    /**
     * @param longNanos of a spin that may pay
     * @param shortNanos of the others
     */
    SpinBudget(long longNanos, long shortNanos) {
        this.longNanos = longNanos;
        this.shortNanos = shortNanos;
    }

    /** For the wait that begins. */
    long nanos() {
        if (skips > 0) {
            skips--;
            return shortNanos;
        }
        return longNanos;
    }

    /** What was waited for came while it spun. */
    void paid() {
        toSkip = 0;
        skips = 0;
    }

    /** A spin of that many nanoseconds was in vain. */
    void inVain(long nanos) {
        if (nanos == longNanos) {
            toSkip = Math.clamp(2L * toSkip, 1, SKIPPED_MAX);
            skips = toSkip;
        }
    }
}
