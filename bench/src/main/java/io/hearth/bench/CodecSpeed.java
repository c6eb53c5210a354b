package io.hearth.bench;

import io.hearth.core.HearthException;
import java.util.function.LongSupplier;

/**
 * Times work of one thread on memory. It takes the fastest of many runs, because other load of the machine can only slow a run down.
 *
 * @param nanos a monotonic clock
 * @param warmUpNanos shortest time of the warm-up
 * @param timedNanos shortest time of the measurement
 */
record CodecSpeed(LongSupplier nanos, long warmUpNanos, long timedNanos) {
    /** Long enough for the JIT compiler, short enough for many codecs. */
    static final CodecSpeed USUAL = new CodecSpeed(System::nanoTime, 400_000_000L, 400_000_000L);

    /** The work to time. */
    @FunctionalInterface
    interface Work {
        /** Does all the work once. */
        void run() throws HearthException;
    }

    /** GB per second of a work that processes {@code bytes} bytes. It runs the work at least twice. */
    double gbPerSecond(long bytes, Work work) throws HearthException {
        best(warmUpNanos, work);
        return bytes / (double) Math.max(1, best(timedNanos, work));
    }

    /** The shortest run in nanoseconds, of all runs within {@code spanNanos}. */
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
