package io.hearth.transport.memory;

/**
 * Decides how long a waiting thread spins before it sleeps. Spinning helps if the other process has its own core; otherwise it only keeps
 * that process from running. So each spin in vain doubles the number of next waits with a short spin, and a useful spin resets it to none.
 * One thread at a time.
 */
final class SpinBudget {
    private static final int SKIPPED_MAX = 64;

    private final long longNanos;
    private final long shortNanos;
    private int toSkip; // number of short waits after the next spin in vain
    private int skips; // short waits that are left

    /**
     * @param longNanos length of a long spin
     * @param shortNanos length of a short spin
     */
    SpinBudget(long longNanos, long shortNanos) {
        this.longNanos = longNanos;
        this.shortNanos = shortNanos;
    }

    /** Length of the spin for the next wait. */
    long nanos() {
        if (skips > 0) {
            skips--;
            return shortNanos;
        }
        return longNanos;
    }

    /** Records a spin during which the awaited condition came true. */
    void paid() {
        toSkip = 0;
        skips = 0;
    }

    /** Records a spin of {@code nanos} nanoseconds in vain. */
    void inVain(long nanos) {
        if (nanos == longNanos) {
            toSkip = Math.clamp(2L * toSkip, 1, SKIPPED_MAX);
            skips = toSkip;
        }
    }
}
