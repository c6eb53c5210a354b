package io.hearth.agent.votes;

import java.util.OptionalLong;

/**
 * Durations of disk tasks: the longest of this minute and of the one before, so that one slow task is shown for 1 to 2 minutes.
 *
 * <p>Just after the start, a task takes long because its classes are loaded and other parts start too: then a task is slow only if
 * it takes a second.
 *
 * <p>Pure: all times are monotonic nanoseconds that the caller read.
 *
 * @param startNanos time of the start
 * @param busySince start of the running task
 * @param minuteSince start of this minute
 * @param slowest longest task of this minute
 * @param slowestBefore longest task of the minute before
 */
record DiskTimes(long startNanos, OptionalLong busySince, long minuteSince, long slowest, long slowestBefore) {
    /** A disk that takes longer than this for a task is reported to people. */
    static final long SLOW_NANOS = 100_000_000L;

    static final long MINUTE_NANOS = 60_000_000_000L;

    private static final long COLD_NANOS = 10_000_000_000L;
    private static final long SLOW_WHILE_COLD_NANOS = 1_000_000_000L;

    /** The times before the first task. */
    static DiskTimes from(long now) {
        return new DiskTimes(now, OptionalLong.empty(), now, 0, 0);
    }

    DiskTimes began(long now) {
        DiskTimes turned = turned(now);
        return new DiskTimes(
                startNanos, OptionalLong.of(now), turned.minuteSince, turned.slowest, turned.slowestBefore);
    }

    DiskTimes ended(long now) {
        DiskTimes turned = turned(now);
        return new DiskTimes(
                startNanos,
                OptionalLong.empty(),
                turned.minuteSince,
                Math.max(turned.slowest, running(now)),
                turned.slowestBefore);
    }

    /** The longest task of the last 1 to 2 minutes, including the running one. */
    long slowestNanos(long now) {
        DiskTimes turned = turned(now);
        return Math.max(running(now), Math.max(turned.slowest, turned.slowestBefore));
    }

    private long running(long now) {
        long nanos = busySince.isPresent() ? now - busySince.getAsLong() : 0;
        return now - startNanos < COLD_NANOS && nanos < SLOW_WHILE_COLD_NANOS ? Math.min(nanos, SLOW_NANOS) : nanos;
    }

    private DiskTimes turned(long now) {
        long minutes = (now - minuteSince) / MINUTE_NANOS;
        if (minutes <= 0) {
            return this;
        }
        return new DiskTimes(
                startNanos, busySince, minuteSince + minutes * MINUTE_NANOS, 0, minutes == 1 ? slowest : 0);
    }
}
