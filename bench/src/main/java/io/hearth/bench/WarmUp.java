package io.hearth.bench;

/**
 * How long a rank works before it is timed: the JIT compiler is done after some 20,000 small calls or some hundred large records.
 *
 * @param calls most of them, 1 or more
 * @param bytes at most so many in all vectors together, but {@link #CALLS_MIN} calls at least
 * @param nanos no further call begins after so long; positive. Reached by a quarter too late at most
 */
record WarmUp(int calls, long bytes, long nanos) {
    static final int CALLS_MIN = 3;
    static final WarmUp USUAL = new WarmUp(20_000, 1L << 30, 5_000_000_000L);

    /** Most calls for vectors of a size. */
    int callsMax(long vectorBytes) {
        return (int) Math.min(calls, Math.max(bytes / vectorBytes, CALLS_MIN));
    }

    /**
     * How many calls come before the ranks look at their clocks again; 0 when it is enough. The same on all ranks that were given the
     * same.
     *
     * @param done calls so far
     * @param spentNanos so far, on the slowest rank
     */
    int next(long vectorBytes, int done, long spentNanos) {
        int left = callsMax(vectorBytes) - done;
        if (done < CALLS_MIN) {
            return Math.min(left, CALLS_MIN - done);
        }
        return spentNanos >= nanos ? 0 : Math.min(left, Math.max(1, done / 4));
    }
}
