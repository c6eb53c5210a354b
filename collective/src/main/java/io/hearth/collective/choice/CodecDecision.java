package io.hearth.collective.choice;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The codec that a group uses for its next sums of one size, with all inputs of the next decision: members with the same decision make the
 * same next one. {@link #bytes} bytes, little-endian:
 *
 * <pre>
 * | chosen, settled, calls, round, sincePlain, recents: int32 | nanosPerByte, spent, lost: float64 |
 * | recent: 3 x float64, zeros behind the last | seen: float64 of plain values and each codec |
 * </pre>
 *
 * @param chosen 0 for plain values, 1 for the first allowed codec
 * @param settled like {@code chosen}; differs from it in a trial, which measures the time of such a sum
 * @param calls number of sums until the next decision, 1 to {@link #CALLS_MAX}
 * @param round number of decisions so far, this one included
 * @param times measured so far
 */
public record CodecDecision(int chosen, int settled, int calls, int round, CodecTimes times) {
    /** Smaller sums stay plain: latency dominates their time. */
    public static final long BYTES_MIN = 128 * 1024;

    /** Most sums until the next decision. */
    public static final int CALLS_MAX = 16;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int DOUBLES_AT = 6 * Integer.BYTES;
    private static final int RECENT_AT = DOUBLES_AT + 3 * Double.BYTES;
    private static final int SEEN_AT = RECENT_AT + CodecTimes.RECENT * Double.BYTES;

    public CodecDecision {
        int choices = times.seen().size();
        if (chosen < 0
                || chosen >= choices
                || settled < 0
                || settled >= choices
                || calls < 1
                || calls > CALLS_MAX
                || round < 0) {
            throw new IllegalArgumentException("a decision needs chosen and settled of 0 to " + (choices - 1)
                    + ", calls of 1 to " + CALLS_MAX + " and round of 0 or more; got " + chosen + ", " + settled + ", "
                    + calls + " and " + round);
        }
    }

    /** The state before the first decision on {@code codecs} codecs: plain values. */
    public static CodecDecision none(int codecs, int round) {
        return new CodecDecision(0, 0, 1, round, CodecTimes.none(codecs));
    }

    /** Number of allowed codecs. */
    public int codecs() {
        return times.seen().size() - 1;
    }

    /** Whether this is a trial, which measures the time of a sum with {@link #chosen}. */
    public boolean isTrial() {
        return chosen != settled;
    }

    /** Expected nanoseconds of a sum with the settled choice; NaN until some were measured. */
    public double expected() {
        return times.seen().get(settled);
    }

    /** Expected nanoseconds of a sum without a codec: the measured time, or else a prediction from the measured link. */
    public double expectedPlain(SumModel model, int world, long count) {
        double seen = times.seen().getFirst();
        return Double.isNaN(seen) ? model.plainNanos(world, count, times.nanosPerByte()) : seen;
    }

    /** The next decision; see {@link CodecChooser}. */
    public CodecDecision next(List<CodecMeasurements> ballots, SumModel model) {
        return CodecChooser.next(this, ballots, model);
    }

    /** Size of a decision on {@code codecs} codecs. */
    public static int bytes(int codecs) {
        return SEEN_AT + (1 + codecs) * Double.BYTES;
    }

    /** Writes this decision to the beginning of {@code target}. */
    public void writeTo(MemorySegment target) {
        target.set(INT, 0, chosen);
        target.set(INT, 4, settled);
        target.set(INT, 8, calls);
        target.set(INT, 12, round);
        target.set(INT, 16, times.sincePlain());
        target.set(INT, 20, times.recent().size());
        target.set(DOUBLE, DOUBLES_AT, times.nanosPerByte());
        target.set(DOUBLE, DOUBLES_AT + 8, times.spent());
        target.set(DOUBLE, DOUBLES_AT + 16, times.lost());
        for (int i = 0; i < CodecTimes.RECENT; i++) {
            double nanos = i < times.recent().size() ? times.recent().get(i) : 0;
            target.set(DOUBLE, RECENT_AT + (long) i * Double.BYTES, nanos);
        }
        for (int i = 0; i < times.seen().size(); i++) {
            target.set(DOUBLE, SEEN_AT + (long) i * Double.BYTES, times.seen().get(i));
        }
    }

    /**
     * Reads a decision on {@code codecs} codecs.
     *
     * @param from at least {@link #bytes} of them
     * @throws MalformedMessageException the bytes are no decision
     */
    public static CodecDecision readFrom(MemorySegment from, int codecs) throws MalformedMessageException {
        int recents = from.get(INT, 20);
        if (recents < 0 || recents > CodecTimes.RECENT) {
            throw new MalformedMessageException("not a decision on codecs: " + recents + " recent times");
        }
        var recent = new ArrayList<Double>();
        for (int i = 0; i < recents; i++) {
            recent.add(from.get(DOUBLE, RECENT_AT + (long) i * Double.BYTES));
        }
        List<Double> seen = new ArrayList<>();
        for (int i = 0; i <= codecs; i++) {
            seen.add(from.get(DOUBLE, SEEN_AT + (long) i * Double.BYTES));
        }
        try {
            var times = new CodecTimes(
                    from.get(DOUBLE, DOUBLES_AT),
                    from.get(DOUBLE, DOUBLES_AT + 8),
                    from.get(DOUBLE, DOUBLES_AT + 16),
                    from.get(INT, 16),
                    recent,
                    seen);
            return new CodecDecision(from.get(INT, 0), from.get(INT, 4), from.get(INT, 8), from.get(INT, 12), times);
        } catch (IllegalArgumentException invalid) {
            throw new MalformedMessageException("not a decision on codecs: " + invalid.getMessage(), invalid);
        }
    }
}
