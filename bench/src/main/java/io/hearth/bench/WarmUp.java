package io.hearth.bench;

/**
 * How long a rank works before it is timed: the JIT compiler is done after some 20,000 small calls or some hundred large records, if
 * it has a core; several ranks that share one have to wait for it.
 *
 * @param calls as many are enough, 1 or more
 * @param bytes so many in all vectors together are enough too, but {@link #CALLS_MIN} calls at least
 * @param nanos so long is enough too, unless the compiler is still busy; positive. Reached by a quarter too late at most
 * @param nanosMax so long is enough in any case
 */
record WarmUp(int calls, long bytes, long nanos, long nanosMax) {
    static final int CALLS_MIN = 3;
    static final WarmUp USUAL = new WarmUp(20_000, 1L << 30, 5_000_000_000L, 30_000_000_000L);

    /** Of vectors so small that a call is all that they cost. */
    static final int CALL_BYTES = 4096;

    private static final int RECORDED_CALLS_MAX = 16;
    private static final int COLD_CALLS_MAX = 21;

    /** Most calls for vectors of a size. */
    int callsMax(long vectorBytes) {
        return (int) Math.min(calls, Math.max(bytes / vectorBytes, CALLS_MIN));
    }

    /** Recorded calls to throw away before the one that is kept: the first takes twice as long as later ones. */
    int recordedCalls(long vectorBytes) {
        return (int) Math.min(Math.min(calls, RECORDED_CALLS_MAX), bytes / vectorBytes);
    }

    /** Calls of a size that are timed before any warm-up of it: the first, and those that a user makes next. Few where they are long. */
    int coldCalls(long vectorBytes) {
        return (int) Math.min(Math.min(calls, COLD_CALLS_MAX), Math.max(2 * bytes / vectorBytes, 2));
    }

    /**
     * How many calls come before the ranks look at their clocks again; 0 when it is enough. The same on all ranks that were given the
     * same.
     *
     * @param done calls so far
     * @param spentNanos so far, on the slowest rank
     * @param compiles whether the compiler of any rank is busy
     */
    int next(long vectorBytes, int done, long spentNanos, boolean compiles) {
        int most = callsMax(vectorBytes);
        if (done < CALLS_MIN) {
            return Math.min(most, CALLS_MIN) - done;
        }
        boolean isEnough = done >= most || spentNanos >= nanos;
        if (spentNanos >= nanosMax || (isEnough && !compiles)) {
            return 0;
        }
        int more = Math.max(1, done / 4);
        return isEnough ? Math.min(more, Math.max(1, most / 8)) : Math.min(most - done, more);
    }
}
