package io.hearth.transport.machine;

/** Limits of a stream of several lanes. Both ends have the same. */
public final class LaneLimits {
    /** Most lanes of a stream. */
    public static final int LANES_MAX = 4;

    /** Most records that the receiver's user has not taken yet, without the last record of the stream. */
    public static final int WINDOW_RECORDS = 64;

    /** Places for the records of a window and the last record of the stream. */
    public static final int PLACES = WINDOW_RECORDS + 1;

    /**
     * Send buffer of a lane's socket, in bytes. Acknowledgements of the other direction travel behind what waits there, so it is short; at a
     * round trip of 20 ms it still lets pass about 400 Mbit/s.
     */
    public static final int SEND_BUFFER_BYTES = 512 * 1024;

    /** A lane is suspected if it does not acknowledge a record for this time, or longer if its usual times are long or vary. */
    public static final long SUSPECT_NANOS = 100_000_000L;

    /** A lane is suspected after this time at the latest. */
    public static final long PATIENCE_NANOS_MAX = 1_000_000_000L;

    /** A suspected lane that acknowledges nothing for this time is closed, and dialled again. */
    public static final long HOPELESS_NANOS = 3_000_000_000L;

    /** An acknowledgement waits at most this long for others, or for a record that carries it. */
    public static final long ACKNOWLEDGE_NANOS = 5_000_000L;

    /** Time between two looks at the lanes of a stream that waits for something. */
    public static final long TICK_NANOS = 5_000_000L;

    /** Addresses of a machine that a ticket names. */
    public static final int ADDRESSES_MAX = 16;

    private LaneLimits() {}
}
