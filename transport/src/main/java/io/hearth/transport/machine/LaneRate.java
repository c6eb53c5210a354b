package io.hearth.transport.machine;

/**
 * The rate of one lane by its acknowledgements: what arrived while a record was under way, over the longer of the times in which that was
 * written and was acknowledged. The highest of some hundred milliseconds counts, because an acknowledgement that waits makes a sample too
 * low. Source: the delivery rate of BBR (Cardwell and others, ACM Queue 14(5), 2016).
 */
final class LaneRate {
    private static final long SPAN_NANOS = 250_000_000L;
    private static final double SECOND = 1e9; // in nanoseconds

    private long arrivedBytes; // since the lane joined
    private long arrivedNanos; // when the last of them were acknowledged
    private long writtenNanos; // when the last of them were written
    private double presentRate; // highest of this span and of the one before
    private double formerRate;
    private long spanNanos; // beginning of the present span
    private double bytesPerSecond;

    /**
     * The lane's state when a record leaves.
     *
     * @param arrivedBytes that had arrived
     * @param arrivedNanos when the last of them had; when the record leaves, if nothing is under way
     * @param writtenNanos when the last of them had left, likewise
     */
    record Mark(long arrivedBytes, long arrivedNanos, long writtenNanos) {}

    /** A new connection; what the former one gave is still the best guess. */
    void join(long nowNanos) {
        arrivedBytes = 0;
        arrivedNanos = nowNanos;
        writtenNanos = nowNanos;
    }

    /** To be kept with a record that leaves now. */
    Mark mark(boolean isIdle, long nowNanos) {
        if (isIdle) { // the time before says nothing
            arrivedNanos = nowNanos;
            writtenNanos = nowNanos;
        }
        return new Mark(arrivedBytes, arrivedNanos, writtenNanos);
    }

    /**
     * A record arrived.
     *
     * @param leftNanos when it left
     * @param isLoaded whether so much was under way then that its time shows the rate of the lane, not that of the sender
     */
    void arrived(Mark mark, int bytes, long leftNanos, boolean isLoaded, long nowNanos) {
        arrivedBytes += bytes;
        arrivedNanos = nowNanos;
        writtenNanos = leftNanos;
        long nanos = Math.max(nowNanos - mark.arrivedNanos, leftNanos - mark.writtenNanos);
        if (nanos <= 0) {
            return;
        }
        double rate = (arrivedBytes - mark.arrivedBytes) * SECOND / nanos;
        if (isLoaded || (bytesPerSecond > 0 && rate > bytesPerSecond)) {
            take(rate, nowNanos);
        }
    }

    private void take(double rate, long nowNanos) {
        if (nowNanos - spanNanos >= SPAN_NANOS) {
            formerRate = presentRate;
            presentRate = 0;
            spanNanos = nowNanos;
        }
        presentRate = Math.max(presentRate, rate);
        bytesPerSecond = Math.max(formerRate, presentRate);
    }

    /** 0 before the first measurement. */
    double bytesPerSecond() {
        return bytesPerSecond;
    }
}
