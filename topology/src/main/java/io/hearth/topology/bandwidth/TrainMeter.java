package io.hearth.topology.bandwidth;

import java.util.OptionalLong;

/**
 * Counts the bytes of a train as they arrive, and computes their rate without the first quarter. In that, TCP still opens its window, and the
 * burst that an idle shaper or queue lets through hides the rate of the wire. If the receiver is held up just then, what waits in the socket
 * afterwards looks too fast; so the rate of the second half counts if it is lower. (Packet trains: Jain and Dovrolis, "End-to-end available
 * bandwidth", 2002.)
 *
 * <p>Confined to the receiving thread.
 */
public final class TrainMeter {
    private static final int SAMPLES_MAX = 1_024;
    private static final int SAMPLES_MIN = 3; // of a part that counts

    private final long[] atNanos = new long[SAMPLES_MAX];
    private final long[] total = new long[SAMPLES_MAX];
    private int samples;
    private long bytes;

    /** Counts a record; returns all bytes so far. Records beyond the {@value #SAMPLES_MAX}th have no sample of their own. */
    public long arrived(long nowNanos, int length) {
        bytes += length;
        if (samples < SAMPLES_MAX) {
            atNanos[samples] = nowNanos;
            total[samples] = bytes;
            samples++;
        }
        return bytes;
    }

    /** Bytes per second, see above; empty if the train was too short to tell. */
    public OptionalLong bytesPerSecond() {
        OptionalLong most = since(bytes / 4);
        OptionalLong half = since(bytes / 2);
        return most.isPresent() && half.isPresent()
                ? OptionalLong.of(Math.min(most.getAsLong(), half.getAsLong()))
                : OptionalLong.empty();
    }

    /** The rate after that many bytes. */
    private OptionalLong since(long begin) {
        int from = 0;
        while (from < samples && total[from] < begin) {
            from++;
        }
        int last = samples - 1;
        if (last - from < SAMPLES_MIN) {
            return OptionalLong.empty();
        }
        long nanos = atNanos[last] - atNanos[from];
        long counted = total[last] - total[from];
        if (nanos <= 0) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Math.max(1, (long) ((double) counted * 1e9 / (double) nanos)));
    }
}
