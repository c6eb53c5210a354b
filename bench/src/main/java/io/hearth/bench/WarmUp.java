package io.hearth.bench;

/**
 * The length of the warm-up of a rank. The JIT compiler needs about 20,000 small calls or some hundred large records, if it has a core of its own. Ranks that share a core must wait longer for it.
 *
 * @param calls this number of calls is enough; 1 or more
 * @param bytes this number of bytes in all vectors together is enough too, with at least {@link #CALLS_MIN} calls
 * @param nanos this time is enough too, unless the compiler is still busy; positive. The warm-up exceeds it by a quarter at most
 * @param nanosMax this time is enough in any case
 */
record WarmUp(int calls, long bytes, long nanos, long nanosMax) {
    static final int CALLS_MIN = 3;
    static final WarmUp USUAL = new WarmUp(20_000, 1L << 30, 5_000_000_000L, 30_000_000_000L);

    /** Bytes of vectors that are so small that only the call costs time. */
    static final int CALL_BYTES = 4096;

    private static final int RECORDED_CALLS_MAX = 16;
    private static final int COLD_CALLS_MAX = 21;

    /** Largest number of calls for vectors of a size. */
    int callsMax(long vectorBytes) {
        return (int) Math.min(calls, Math.max(bytes / vectorBytes, CALLS_MIN));
    }

    /** Number of recorded calls to drop before the one that is kept: the first takes twice as long as later ones. */
    int recordedCalls(long vectorBytes) {
        return (int) Math.min(Math.min(calls, RECORDED_CALLS_MAX), bytes / vectorBytes);
    }

    /** Number of calls of a size that are timed before its warm-up: the first call of a user, and the next ones. Fewer if calls are long. */
    int coldCalls(long vectorBytes) {
        return (int) Math.min(Math.min(calls, COLD_CALLS_MAX), Math.max(2 * bytes / vectorBytes, 2));
    }

    /**
     * Number of calls before the ranks compare their clocks again; 0 if the warm-up is over. It is the same on all ranks that pass the same arguments.
     *
     * @param done number of calls so far
     * @param spentNanos time so far, on the slowest rank
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
