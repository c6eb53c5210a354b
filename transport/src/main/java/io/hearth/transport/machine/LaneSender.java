package io.hearth.transport.machine;

import io.hearth.transport.machine.Lane.Flight;
import io.hearth.transport.machine.Lane.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The sending half of a stream of several lanes: which record goes on which lane, and again on another one when a lane is silent.
 *
 * <pre>
 *          joined               late, and another lane is not
 * ABSENT ---------&gt; LIVE ----------------------------------&gt; SUSPECTED
 *    ^               |  ^   all under way arrived, and rested     |
 *    |     lost      |  +----------------------------------------+
 *    +---------------+-------------------------------------------+
 * </pre>
 *
 * <p>Each record has a sequence number of the stream and a lane. The lane is the one that will deliver it first, by what the lane has given
 * and what it still has to do. So lanes carry in proportion to their rates, and a small record takes the quickest lane. A lane delivers in
 * order, hence a count of arrived records tells which ones arrived. The records of a suspected or lost lane go out again on the others; the
 * receiver drops what it has. A lane is not suspected if all are late: then most likely the peer stands still, and a second copy of all
 * records would not help.
 *
 * <p>The idea is that of MPTCP (RFC 8684) with its earliest-completion scheduler, between encrypted streams and not below them. Rejected:
 * parts of one record on all lanes, because the slowest lane would then delay each record; a fixed share for each lane, because rates
 * change.
 *
 * <p>No clock, threads or random source of its own: the shell locks and passes the time. It keeps the records.
 */
public final class LaneSender {
    private static final int CHANGES_MAX = 64;

    private final Lane[] lanes = new Lane[LaneLimits.LANES_MAX];
    private final int[] bytes = new int[LaneLimits.PLACES]; // by place
    private final boolean[] written = new boolean[LaneLimits.PLACES];
    private final boolean[] arrived = new boolean[LaneLimits.PLACES];
    private List<LaneChange> changes = new ArrayList<>();
    private long next;
    private long taken; // the receiver's user has all records below

    public LaneSender() {
        for (int lane = 0; lane < lanes.length; lane++) {
            lanes[lane] = new Lane();
        }
    }

    /** The place of a record in the arrays of both ends. */
    public static int place(long sequence) {
        return (int) (sequence % LaneLimits.PLACES);
    }

    /** A connection of that lane is open. One that it had before must be {@link #lost} first. */
    public void joined(int lane, long nowNanos) {
        lanes[lane].join(nowNanos);
        change(lane, "joined", count() + " lanes");
    }

    /** The connection of that lane ended; its records go out on the others. */
    public void lost(int lane, String why, long nowNanos) {
        if (lanes[lane].state == State.ABSENT) {
            return;
        }
        List<Long> orphans = missingOn(lane);
        lanes[lane].leave();
        change(lane, "lost", why);
        boolean noneLive = true;
        for (Lane other : lanes) {
            noneLive &= !other.isLive();
        }
        for (int other = 0; noneLive && other < lanes.length; other++) {
            if (lanes[other].state == State.SUSPECTED) {
                lanes[other].serve();
                change(other, "serves again", "no other lane is left");
            }
        }
        reassign(orphans, nowNanos);
    }

    /** Number of lanes with a connection. */
    public int count() {
        int count = 0;
        for (Lane lane : lanes) {
            count += lane.state == State.ABSENT ? 0 : 1;
        }
        return count;
    }

    /**
     * The lane for a new record.
     *
     * @return -1 if the record must wait: the window or the best lane is full, or there is no lane
     */
    public int choose(int length, long nowNanos) {
        if (next - taken >= LaneLimits.WINDOW_RECORDS) {
            return -1;
        }
        int best = best(length, nowNanos);
        return best >= 0 && lanes[best].hasRoom(length) ? best : -1;
    }

    /** The lane for the last record of the stream, which always has room; -1 if there is no lane. */
    public int chooseLast(long nowNanos) {
        return best(0, nowNanos);
    }

    private int best(int length, long nowNanos) {
        return best(length, nowNanos, false);
    }

    private int best(int length, long nowNanos, boolean heardLately) {
        double rate = 0;
        for (Lane lane : lanes) {
            rate = lane.isLive() ? Math.max(rate, lane.bytesPerSecond()) : rate;
        }
        double others = rate > 0 ? rate : Lane.RATE_GUESS;
        int best = -1;
        double bestNanos = Double.MAX_VALUE;
        for (int lane = 0; lane < lanes.length; lane++) {
            boolean mayServe = lanes[lane].isLive() && (!heardLately || lanes[lane].isHeardLately(nowNanos));
            double nanos = mayServe ? lanes[lane].deliveryNanos(length, others, nowNanos) : Double.MAX_VALUE;
            if (nanos < bestNanos) {
                best = lane;
                bestNanos = nanos;
            }
        }
        return best;
    }

    /**
     * Gives a record the next sequence number and that lane. The shell stores it in its {@link #place} first.
     *
     * @return its sequence number
     */
    public long queue(int lane, int length) {
        long sequence = next;
        next++;
        bytes[place(sequence)] = length;
        written[place(sequence)] = false;
        arrived[place(sequence)] = false;
        lanes[lane].enqueue(sequence, length);
        return sequence;
    }

    /** The sequence number that the next record gets. */
    public long next() {
        return next;
    }

    /** The next record to write on that lane, which is under way from now on; -1 if none waits. */
    public long take(int lane, long nowNanos) {
        Lane from = lanes[lane];
        while (true) {
            Map.Entry<Long, Integer> first = from.queue.pollFirstEntry();
            if (first == null) {
                return -1;
            }
            long sequence = first.getKey();
            from.queuedBytes -= first.getValue();
            if (isMissing(sequence)) { // otherwise it arrived on another lane meanwhile
                from.fly(sequence, first.getValue(), nowNanos);
                written[place(sequence)] = true;
                return sequence;
            }
        }
    }

    /** Whether a record waits for that lane. */
    public boolean hasQueued(int lane) {
        return !lanes[lane].queue.isEmpty();
    }

    /** Bytes that wait for that lane or are under way on it. */
    public long load(int lane) {
        return lanes[lane].queuedBytes + lanes[lane].flyingBytes;
    }

    /**
     * Handles what the peer acknowledged over a lane.
     *
     * @param count records that arrived on this connection of the lane
     * @param takenNow the receiver's user has all records below this number
     * @throws IllegalArgumentException the peer acknowledges what was not sent
     */
    public void acknowledged(int lane, long count, long takenNow, long nowNanos) {
        Lane from = lanes[lane];
        if (from.state == State.ABSENT) {
            return; // read before the lane was lost
        }
        if (count < from.acknowledged || count - from.acknowledged > from.flights.size()) {
            throw new IllegalArgumentException("acknowledges " + count + " records of lane " + lane + ", of which "
                    + from.acknowledged + " are acknowledged and " + from.flights.size() + " under way");
        }
        if (takenNow < 0 || takenNow > next) {
            throw new IllegalArgumentException("took " + takenNow + " records of " + next);
        }
        while (from.acknowledged < count) {
            Flight landed = from.land(nowNanos);
            if (landed.sequence() >= taken) {
                arrived[place(landed.sequence())] = true;
            }
        }
        for (long sequence = taken; sequence < takenNow; sequence++) {
            if (!written[place(sequence)]) {
                throw new IllegalArgumentException("took record " + sequence + ", which was not sent yet");
            }
        }
        taken = Math.max(taken, takenNow); // an older number may come later on a slower lane
        revive(lane, nowNanos);
    }

    /** Looks for lanes that are late, and for suspected ones that serve again. */
    public void tick(long nowNanos) {
        for (int lane = 0; lane < lanes.length; lane++) {
            if (lanes[lane].isLive() && lanes[lane].isLate(nowNanos)) {
                if (!isAnotherInTime(lane, nowNanos)) {
                    endRest();
                }
                if (isAnotherInTime(lane, nowNanos)) {
                    suspect(lane, nowNanos);
                }
            }
            revive(lane, nowNanos);
        }
    }

    /** Lanes that rest serve at once when they are needed. */
    private void endRest() {
        for (int lane = 0; lane < lanes.length; lane++) {
            if (lanes[lane].isResting()) {
                lanes[lane].serve();
                change(lane, "serves again", "another lane is late");
            }
        }
    }

    private boolean isAnotherInTime(int lane, long nowNanos) {
        for (int other = 0; other < lanes.length; other++) {
            if (other != lane && lanes[other].isInTimeBeside(lanes[lane], nowNanos)) {
                return true;
            }
        }
        return false;
    }

    private void suspect(int lane, long nowNanos) {
        long silentNanos = lanes[lane].silentNanos(nowNanos);
        List<Long> orphans = missingOn(lane);
        lanes[lane].suspect(nowNanos);
        change(
                lane,
                "suspected",
                "no acknowledgement for " + silentNanos / 1_000_000 + " ms; " + orphans.size()
                        + " records go again on the others");
        reassign(orphans, nowNanos);
    }

    private void revive(int lane, long nowNanos) {
        if (lanes[lane].isWell(nowNanos)) {
            lanes[lane].serve();
            change(lane, "serves again", "its acknowledgements came");
        }
    }

    /** A suspected lane that should be closed, because a new connection is the better hope; -1 if there is none. */
    public int hopeless(long nowNanos) {
        for (int lane = 0; lane < lanes.length; lane++) {
            if (lanes[lane].isHopeless(nowNanos)) {
                return lane;
            }
        }
        return -1;
    }

    /** Whether {@link #tick} must be called again soon. */
    public boolean isWaiting() {
        for (Lane lane : lanes) {
            if (!lane.flights.isEmpty() || !lane.queue.isEmpty() || lane.state == State.SUSPECTED) {
                return true;
            }
        }
        return false;
    }

    /** Whether every record arrived. */
    public boolean isDelivered() {
        for (long sequence = taken; sequence < next; sequence++) {
            if (!arrived[place(sequence)]) {
                return false;
            }
        }
        return true;
    }

    /** Measured bytes per second of a lane; 0 before the first measurement. */
    public double bytesPerSecond(int lane) {
        return lanes[lane].bytesPerSecond();
    }

    /** The changes since the last call. */
    public List<LaneChange> changes() {
        if (changes.isEmpty()) {
            return List.of();
        }
        List<LaneChange> all = changes;
        changes = new ArrayList<>();
        return all;
    }

    private void change(int lane, String what, String why) {
        if (changes.size() < CHANGES_MAX) {
            changes.add(new LaneChange(lane, what, why));
        }
    }

    private boolean isMissing(long sequence) {
        return sequence >= taken && !arrived[place(sequence)];
    }

    private List<Long> missingOn(int lane) {
        var missing = new TreeSet<Long>();
        for (Flight flight : lanes[lane].flights) {
            if (isMissing(flight.sequence())) {
                missing.add(flight.sequence());
            }
        }
        for (long sequence : lanes[lane].queue.keySet()) {
            if (isMissing(sequence)) {
                missing.add(sequence);
            }
        }
        return List.copyOf(missing);
    }

    /** Queues records again, on lanes that showed lately that they work: a second wait would be too long. */
    private void reassign(List<Long> sequences, long nowNanos) {
        for (long sequence : sequences) {
            int length = bytes[place(sequence)];
            int proven = best(length, nowNanos, true);
            int lane = proven >= 0 ? proven : best(length, nowNanos);
            if (lane >= 0 && !isOn(lane, sequence)) {
                lanes[lane].enqueue(sequence, length);
            }
        }
    }

    private boolean isOn(int lane, long sequence) {
        for (Flight flight : lanes[lane].flights) {
            if (flight.sequence() == sequence) {
                return true;
            }
        }
        return false;
    }
}
