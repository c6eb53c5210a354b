package io.hearth.topology.bandwidth;

/**
 * Paces the sender of a train of records: it ends the train by time, and bounds the bytes that are under way. The receiver acknowledges
 * each record. The bytes under way may be 1.5 times what was acknowledged in the last round trip: so a long link is filled, and a queue of one
 * round trip does not overflow, because TCP would take several round trips to repair that. (As the window of BBR: Cardwell and others,
 * "BBR: Congestion-based congestion control", 2016.)
 *
 * <p>Confined to the sending thread.
 */
public final class Train {
    /** Bytes of a record. */
    public static final int RECORD_BYTES = 32 * 1024;

    /** Bytes that may always be under way. */
    static final long WINDOW_BYTES = 128 * 1024;

    /** Shortest time that counts as a round trip for the window: a receiver may be held up for so long. */
    static final long ROUND_NANOS_MIN = 5_000_000;

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
    static final long NANOS_MIN = 30_000_000;

    /** Longest time of a train. */
    static final long NANOS_MAX = 400_000_000;

    /** Round trips of a train over a link with a long one: TCP needs up to six of them to fill the link. */
    private static final int ROUND_TRIPS = 12;

    private static final int CLAIM_MAX = 3;

    private final long beganNanos;
    private final long[] sentNanos = new long[(int) (BYTES_MAX / RECORD_BYTES)]; // by record
    private final long[] acknowledgedNanos = new long[sentNanos.length]; // likewise
    private int recent; // first record that was acknowledged in the last round trip
    private long roundTripNanos;
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
     * @param roundTripNanos shortest known one of the link, which acknowledgements may shorten; 0 if unknown
     */
    public Train(long nowNanos, long roundTripNanos) {
        this.beganNanos = nowNanos;
        this.roundTripNanos = roundTripNanos > 0 ? Math.min(NANOS_MAX, roundTripNanos) : NANOS_MAX;
    }

    /** What to do now. */
    public Next next(long nowNanos) {
        long spent = nowNanos - beganNanos;
        long lastsNanos = Math.clamp(roundTripNanos * ROUND_TRIPS, NANOS_MIN, NANOS_MAX);
        long bytesMin = spent >= NANOS_LONG ? BYTES_OF_LONG_MIN : BYTES_MIN;
        if (spent >= NANOS_MAX || sent >= BYTES_MAX || (spent >= lastsNanos && sent >= bytesMin)) {
            return Next.END;
        }
        return sent + RECORD_BYTES - acknowledged <= window(nowNanos) ? Next.SEND : Next.WAIT;
    }

    /**
     * The rate that counts of the one that the receiver claims: at most {@value #CLAIM_MAX} times the mean of the whole train, of which the
     * start is slow.
     */
    public long believed(long claimedBytesPerSecond, long nowNanos) {
        double mean = (double) acknowledged * 1e9 / (double) Math.max(1, nowNanos - beganNanos);
        return Math.min(claimedBytesPerSecond, (long) (CLAIM_MAX * mean));
    }

    private long window(long nowNanos) {
        long since = nowNanos - Math.max(ROUND_NANOS_MIN, roundTripNanos);
        while (recent < acknowledged / RECORD_BYTES && acknowledgedNanos[recent] - since < 0) {
            recent++;
        }
        long bytes = acknowledged - (long) recent * RECORD_BYTES;
        return Math.clamp(bytes + bytes / 2, WINDOW_BYTES, WINDOW_BYTES_MAX);
    }

    /** A record is being sent; {@link #next} said so. */
    public void sends(long nowNanos) {
        sentNanos[(int) (sent / RECORD_BYTES)] = nowNanos;
        sent += RECORD_BYTES;
    }

    /**
     * An acknowledgement arrived.
     *
     * @param bytes all bytes that the receiver has, whole records
     * @throws IllegalArgumentException it has more than was sent, or less than it had
     */
    public void acknowledged(long bytes, long nowNanos) {
        if (bytes < acknowledged || bytes > sent || bytes % RECORD_BYTES != 0) {
            throw new IllegalArgumentException(
                    "acknowledged bytes must be whole records, " + acknowledged + " to " + sent + ", got " + bytes);
        }
        if (bytes > acknowledged) {
            long since = nowNanos - sentNanos[(int) (bytes / RECORD_BYTES) - 1];
            roundTripNanos = Math.min(roundTripNanos, Math.max(1, since));
        }
        for (long record = acknowledged / RECORD_BYTES; record < bytes / RECORD_BYTES; record++) {
            acknowledgedNanos[(int) record] = nowNanos;
        }
        acknowledged = bytes;
    }
}
