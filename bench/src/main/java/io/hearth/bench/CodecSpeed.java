package io.hearth.bench;

import io.hearth.core.HearthException;
import java.util.function.LongSupplier;

/**
 * Times one thread's work on memory: the fastest of many runs, because whatever else a machine does can only slow a run down.
 *
 * @param nanos a monotonic clock
 * @param warmUpNanos so long, at least, it runs before it is timed
 * @param timedNanos so long, at least, it is timed
 */
record CodecSpeed(LongSupplier nanos, long warmUpNanos, long timedNanos) {
    /** Long enough for the compiler, short enough for many codecs. */
    static final CodecSpeed USUAL = new CodecSpeed(System::nanoTime, 400_000_000L, 400_000_000L);

    /** What is timed. */
    @FunctionalInterface
    interface Work {
        /** Once over all of it. */
        void run() throws HearthException;
    }

    /** GB per second, where one run goes over so many bytes; at least two runs are made. */
    double gbPerSecond(long bytes, Work work) throws HearthException {
        best(warmUpNanos, work);
        return bytes / (double) Math.max(1, best(timedNanos, work));
    }

    /** The shortest run in nanoseconds, of as many as it takes. */
    private long best(long spanNanos, Work work) throws HearthException {
        long start = nanos.getAsLong();
        long best = Long.MAX_VALUE;
        long before = start;
        do {
            work.run();
            long now = nanos.getAsLong();
            best = Math.min(best, now - before);
            before = now;
        } while (before - start < spanNanos);
        return best;
    }
}
