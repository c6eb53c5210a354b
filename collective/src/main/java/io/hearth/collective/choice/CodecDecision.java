package io.hearth.collective.choice;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Which codec a group uses for its next sums of one size, and all that the next such decision is made from, so that members which hold the
 * same decision make the same next one. {@link #bytes} bytes, little-endian:
 *
 * <pre>
 * | chosen, settled, calls, round, sincePlain, recents: int32 | nanosPerByte, spent, lost: float64 |
 * | recent: 3 x float64, zeros behind the last | seen: float64 of plain values and each codec |
 * </pre>
 *
 * @param chosen 0 for plain values, 1 for the first codec that is allowed
 * @param settled the same; another one than {@code chosen} in a trial, which is to see how long such a sum takes
 * @param calls for so many sums, 1 to {@link #CALLS_MAX}
 * @param round how many decisions were made, this one included
 * @param times what was seen before
 */
public record CodecDecision(int chosen, int settled, int calls, int round, CodecTimes times) {
    /** Smaller sums are plain: latency is most of what they take. */
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
            throw new IllegalArgumentException("no decision " + round + " for choice " + chosen + " after " + settled
                    + " of " + choices + " and " + calls + " sums");
        }
    }

    /** Before the first one on so many codecs: plain values. */
    public static CodecDecision none(int codecs, int round) {
        return new CodecDecision(0, 0, 1, round, CodecTimes.none(codecs));
    }

    /** How many are allowed. */
    public int codecs() {
        return times.seen().size() - 1;
    }

    /** Whether it is to see how long such a sum takes. */
    public boolean isTrial() {
        return chosen != settled;
    }

    /** Nanoseconds that a sum is expected to take with what is settled; NaN until some were seen. */
    public double expected() {
        return times.seen().get(settled);
    }

    /** The same without a codec, as it was seen or else as the link as it was seen lets expect. */
    public double expectedPlain(SumModel model, int world, long count) {
        double seen = times.seen().getFirst();
        return Double.isNaN(seen) ? model.plainNanos(world, count, times.nanosPerByte()) : seen;
    }

    /** The next one; see {@link CodecChooser}. */
    public CodecDecision next(List<CodecBallot> ballots, SumModel model) {
        return CodecChooser.next(this, ballots, model);
    }

    /** Size of a decision on that many codecs. */
    public static int bytes(int codecs) {
        return SEEN_AT + (1 + codecs) * Double.BYTES;
    }

    /** Writes it at the beginning of {@code target}. */
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
     * Reads one on so many codecs.
     *
     * @param from at least {@link #bytes} of them
     * @throws MalformedMessageException if it is none
     */
    public static CodecDecision readFrom(MemorySegment from, int codecs) throws MalformedMessageException {
        int recents = from.get(INT, 20);
        if (recents < 0 || recents > CodecTimes.RECENT) {
            throw new MalformedMessageException("no decision on codecs: " + recents + " recent times");
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
        } catch (IllegalArgumentException nonsense) {
            throw new MalformedMessageException("no decision on codecs: " + nonsense.getMessage(), nonsense);
        }
    }
}
