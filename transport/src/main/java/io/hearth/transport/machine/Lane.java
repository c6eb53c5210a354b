package io.hearth.transport.machine;

import java.util.ArrayDeque;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What a sender knows of one lane: the records that wait for it or are under way on it, and what it gives. */
final class Lane {
    /** Assumed before the first measurement: 1 Gbit/s. */
    static final double RATE_GUESS = 125e6; // bytes per second

    /** A lane has records for about this time under way: enough for a busy link, and little when the lane stops. */
    private static final double WINDOW_SECONDS = 0.020;

    private static final long WINDOW_BYTES_MIN = 512 * 1024;
    private static final long WINDOW_BYTES_MAX = 4L * 1024 * 1024;

    /** A lane that was idle for so long gets a record, which shows its rate. */
    private static final long TRIAL_NANOS = 1_000_000_000L;

    private static final long HELD_NANOS_MIN = 250_000_000L;
    private static final long HELD_NANOS_MAX = 8_000_000_000L;
    private static final double SECOND = 1e9; // in nanoseconds

    /** State of a lane. */
    enum State {
        /** It has no connection. */
        ABSENT,
        /** It carries records. */
        LIVE,
        /** It carries no new records, because it did not acknowledge the last ones in time. */
        SUSPECTED
    }

    /**
     * A record under way.
     *
     * @param mark state of the lane's rate when it left
     * @param isLoaded whether the window was half full then
     */
    record Flight(long sequence, int bytes, long sinceNanos, LaneRate.Mark mark, boolean isLoaded) {}

    State state = State.ABSENT;
    final NavigableMap<Long, Integer> queue = new TreeMap<>(); // sequence and bytes, waits to be written
    final ArrayDeque<Flight> flights = new ArrayDeque<>(); // written, oldest first
    long queuedBytes;
    long flyingBytes;
    long acknowledged; // records since the lane joined
    private final LaneRate rate = new LaneRate();
    private double usualNanos; // from writing to acknowledgement; 0: not measured
    private double variationNanos; // mean deviation from it (RFC 6298)
    private double leastNanos = Double.MAX_VALUE;
    private long heardNanos; // the last acknowledgement, or when it joined
    private long suspectedNanos;
    private long heldNanos; // a suspected lane rests for this time

    void join(long nowNanos) {
        state = State.LIVE;
        queue.clear();
        flights.clear();
        queuedBytes = 0;
        flyingBytes = 0;
        acknowledged = 0;
        usualNanos = 0;
        variationNanos = 0;
        leastNanos = Double.MAX_VALUE;
        rate.join(nowNanos);
        heardNanos = nowNanos;
    }

    void leave() {
        state = State.ABSENT;
        queue.clear();
        flights.clear();
        queuedBytes = 0;
        flyingBytes = 0;
    }

    boolean isLive() {
        return state == State.LIVE;
    }

    double bytesPerSecond() {
        return rate.bytesPerSecond();
    }

    /** Whether it may have another record under way. A lane without any always may. */
    boolean hasRoom(int bytes) {
        long before = queuedBytes + flyingBytes;
        return before == 0
                || (before + bytes <= windowBytes() && flights.size() + queue.size() < 2 * LaneLimits.WINDOW_RECORDS);
    }

    private long windowBytes() {
        double known = bytesPerSecond() > 0 ? bytesPerSecond() : RATE_GUESS;
        return Math.clamp((long) (known * WINDOW_SECONDS), WINDOW_BYTES_MIN, WINDOW_BYTES_MAX);
    }

    /** Time until another record would be there. */
    double deliveryNanos(int bytes, double rateOfOthers, long nowNanos) {
        double expected = isKnown(nowNanos) ? bytesPerSecond() : Math.max(bytesPerSecond(), rateOfOthers);
        double late = Math.max(0, silentNanos(nowNanos) - usualNanos);
        double way = leastNanos < Double.MAX_VALUE ? leastNanos / 2 : 0;
        return (queuedBytes + flyingBytes + bytes) / expected * SECOND + late + way;
    }

    /** Whether its rate was measured lately. */
    private boolean isKnown(long nowNanos) {
        return bytesPerSecond() > 0 && (!flights.isEmpty() || nowNanos - heardNanos < TRIAL_NANOS);
    }

    /** Age of the oldest record under way; 0 without any. */
    long silentNanos(long nowNanos) {
        Flight oldest = flights.peekFirst();
        return oldest == null ? 0 : nowNanos - oldest.sinceNanos();
    }

    /** The age of a record under way at which the lane is suspected. */
    long patienceNanos() {
        double usual = Math.max(2 * usualNanos, usualNanos + 4 * variationNanos);
        return Math.clamp((long) usual, LaneLimits.SUSPECT_NANOS, LaneLimits.PATIENCE_NANOS_MAX);
    }

    /**
     * Whether it shows that the peer works while {@code late} is silent: it was heard in the later half of that time, or has nothing to
     * acknowledge.
     */
    boolean isInTimeBeside(Lane late, long nowNanos) {
        long spanNanos = late.silentNanos(nowNanos) / 2;
        return isLive() && (flights.isEmpty() || (!isLate(nowNanos) && nowNanos - heardNanos < spanNanos));
    }

    boolean isLate(long nowNanos) {
        return silentNanos(nowNanos) > patienceNanos();
    }

    void enqueue(long sequence, int bytes) {
        if (queue.put(sequence, bytes) == null) {
            queuedBytes += bytes;
        }
    }

    void fly(long sequence, int bytes, long nowNanos) {
        LaneRate.Mark mark = rate.mark(flights.isEmpty(), nowNanos);
        flyingBytes += bytes;
        boolean isLoaded = flyingBytes + queuedBytes >= windowBytes() / 2;
        flights.addLast(new Flight(sequence, bytes, nowNanos, mark, isLoaded));
    }

    /** Takes the oldest record under way, which arrived. */
    Flight land(long nowNanos) {
        Flight landed = flights.removeFirst();
        acknowledged++;
        long took = nowNanos - landed.sinceNanos();
        leastNanos = Math.min(leastNanos, (double) took);
        if (isLive()) { // what came late says nothing of the usual time
            variationNanos += usualNanos == 0 ? 0 : (Math.abs(took - usualNanos) - variationNanos) / 4;
            usualNanos = usualNanos == 0 ? took : usualNanos + (took - usualNanos) / 8;
        }
        rate.arrived(landed.mark(), landed.bytes(), landed.sinceNanos(), landed.isLoaded(), nowNanos);
        flyingBytes -= landed.bytes();
        heardNanos = nowNanos;
        return landed;
    }

    /** A lane that is suspected again soon rests longer, up to {@link #HELD_NANOS_MAX}. */
    void suspect(long nowNanos) {
        boolean again = heldNanos > 0 && nowNanos - suspectedNanos < HELD_NANOS_MAX + 2 * heldNanos;
        heldNanos = again ? Math.min(HELD_NANOS_MAX, 2 * heldNanos) : HELD_NANOS_MIN;
        suspectedNanos = nowNanos;
        state = State.SUSPECTED;
        queue.clear();
        queuedBytes = 0;
    }

    /** Whether it was suspected, and everything that was under way arrived. */
    boolean isResting() {
        return state == State.SUSPECTED && flights.isEmpty();
    }

    /** Whether it has rested for long enough. */
    boolean isWell(long nowNanos) {
        return isResting() && nowNanos - suspectedNanos >= heldNanos;
    }

    boolean isHeardLately(long nowNanos) {
        return nowNanos - heardNanos <= LaneLimits.SUSPECT_NANOS;
    }

    boolean isHopeless(long nowNanos) {
        return state == State.SUSPECTED
                && !flights.isEmpty()
                && nowNanos - Math.max(heardNanos, suspectedNanos) >= LaneLimits.HOPELESS_NANOS;
    }

    void serve() {
        state = State.LIVE;
    }
}
