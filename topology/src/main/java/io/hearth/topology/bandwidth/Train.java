package io.hearth.topology.bandwidth;

/**
 * Paces the sender of a train of records: it ends the train by time, and bounds the bytes that are under way. The receiver acknowledges
 * each record. The bytes under way may grow by half with each round trip, so that a slow link is not flooded and a long one is filled.
 *
 * <p>Confined to the sending thread.
 */
public final class Train {
    /** Bytes of a record. */
    public static final int RECORD_BYTES = 32 * 1024;

    /** Bytes that may be under way before the first acknowledgement. */
    static final long WINDOW_BYTES = 128 * 1024;

    /** Most bytes under way. */
    static final long WINDOW_BYTES_MAX = 8L * 1024 * 1024;

    /** Least bytes of a short train: fewer are a burst. */
    static final long BYTES_MIN = 1024L * 1024;

    /** Least bytes of a train of {@link #NANOS_LONG}. */
    static final long BYTES_OF_LONG_MIN = 256L * 1024;

    /** A train of this time needs fewer bytes: a slow link would take most of a second for both directions. */
    static final long NANOS_LONG = 150_000_000;

    /** Most bytes of a train. */
    static final long BYTES_MAX = 32L * 1024 * 1024;

    /** Time of a train over a link with a short round trip. */
    static final long NANOS_MIN = 20_000_000;

    /** Longest time of a train. */
    static final long NANOS_MAX = 400_000_000;

    /** Round trips of a train over a link with a long one. */
    private static final int ROUND_TRIPS = 8;

    private final long beganNanos;
    private final long lastsNanos;
    private long sent;
    private long acknowledged;

    /** What the sender does next. */
    public enum Next {
        /** Send a record. */
        SEND,
        /** Wait for an acknowledgement. */
        WAIT,
        /** End the train. */
        END
    }

    /**
     * A train that begins now.
     *
     * @param roundTripNanos of the link; 0 if unknown
     */
    public Train(long nowNanos, long roundTripNanos) {
        this.beganNanos = nowNanos;
        this.lastsNanos =
                Math.clamp(Math.min(NANOS_MAX, Math.max(0, roundTripNanos)) * ROUND_TRIPS, NANOS_MIN, NANOS_MAX);
    }

    /** What to do now. */
    public Next next(long nowNanos) {
        long spent = nowNanos - beganNanos;
        long bytesMin = spent >= NANOS_LONG ? BYTES_OF_LONG_MIN : BYTES_MIN;
        if (spent >= NANOS_MAX || sent >= BYTES_MAX || (spent >= lastsNanos && sent >= bytesMin)) {
            return Next.END;
        }
        long window = Math.min(WINDOW_BYTES_MAX, WINDOW_BYTES + acknowledged / 2);
        return sent + RECORD_BYTES - acknowledged <= window ? Next.SEND : Next.WAIT;
    }

    /** A record was sent. */
    public void sent() {
        sent += RECORD_BYTES;
    }

    /**
     * An acknowledgement arrived.
     *
     * @param bytes all bytes that the receiver has
     * @throws IllegalArgumentException it has more than was sent, or less than it had
     */
    public void acknowledged(long bytes) {
        if (bytes < acknowledged || bytes > sent) {
            throw new IllegalArgumentException(
                    "acknowledged bytes must be " + acknowledged + " to " + sent + ", got " + bytes);
        }
        acknowledged = bytes;
    }
}
