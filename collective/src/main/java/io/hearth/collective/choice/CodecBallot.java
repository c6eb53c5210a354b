package io.hearth.collective.choice;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * What one member knows when a codec is chosen, {@link #bytes} bytes, little-endian:
 *
 * <pre>
 * | count: int64 | round: int32 | costs: int32 | nanos: 4 x float64 |
 * | of each codec: inBlocks: int64 | bytes, encode, decode, add: float64 each |
 * </pre>
 *
 * @param count values of the tensor
 * @param round how many decisions were made before
 * @param nanos that this member's last sums since the last decision took, the newest last, {@link #NANOS} of them; NaN where there was none
 *     or it has no result
 * @param costs of the codecs that are allowed, in the order in which they are welcome; none while they are being measured
 */
public record CodecBallot(long count, int round, List<Double> nanos, List<CodecCost> costs) {
    /** Sums that a ballot tells of. */
    public static final int NANOS = 4;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int NANOS_AT = 16;
    private static final int HEAD_BYTES = NANOS_AT + NANOS * Double.BYTES;
    private static final int CODEC_BYTES = 40;

    public CodecBallot {
        nanos = List.copyOf(nanos);
        costs = List.copyOf(costs);
        boolean areTimes = nanos.size() == NANOS && nanos.stream().allMatch(CodecTimes::isTimeOrUnknown);
        if (count < 0 || round < 0 || !areTimes) {
            throw new IllegalArgumentException(
                    "no ballot after " + round + " decisions, for " + count + " values that took " + nanos + " ns");
        }
    }

    /** Size of a ballot on that many codecs. */
    public static long bytes(int codecs) {
        return HEAD_BYTES + (long) codecs * CODEC_BYTES;
    }

    /** Writes it at the beginning of {@code target}. */
    public void writeTo(MemorySegment target) {
        target.set(LONG, 0, count);
        target.set(INT, 8, round);
        target.set(INT, 12, costs.size());
        for (int i = 0; i < NANOS; i++) {
            target.set(DOUBLE, NANOS_AT + (long) i * Double.BYTES, nanos.get(i));
        }
        for (int i = 0; i < costs.size(); i++) {
            long at = HEAD_BYTES + (long) i * CODEC_BYTES;
            CodecCost cost = costs.get(i);
            target.set(LONG, at, cost.inBlocks() ? 1 : 0);
            target.set(DOUBLE, at + 8, cost.bytes());
            target.set(DOUBLE, at + 16, cost.encodeNanos());
            target.set(DOUBLE, at + 24, cost.decodeNanos());
            target.set(DOUBLE, at + 32, cost.addNanos());
        }
    }

    /**
     * Reads one on so many codecs.
     *
     * @param from at least {@link #bytes} of them
     * @throws MalformedMessageException if it is none
     */
    public static CodecBallot readFrom(MemorySegment from, int codecs) throws MalformedMessageException {
        int known = from.get(INT, 12);
        if (known != 0 && known != codecs) {
            throw new MalformedMessageException("no ballot on codecs: costs of " + known + " of " + codecs);
        }
        try {
            var nanos = new ArrayList<Double>();
            for (int i = 0; i < NANOS; i++) {
                nanos.add(from.get(DOUBLE, NANOS_AT + (long) i * Double.BYTES));
            }
            var costs = new ArrayList<CodecCost>();
            for (int i = 0; i < known; i++) {
                long at = HEAD_BYTES + (long) i * CODEC_BYTES;
                costs.add(new CodecCost(
                        from.get(LONG, at) != 0,
                        from.get(DOUBLE, at + 8),
                        from.get(DOUBLE, at + 16),
                        from.get(DOUBLE, at + 24),
                        from.get(DOUBLE, at + 32)));
            }
            return new CodecBallot(from.get(LONG, 0), from.get(INT, 8), nanos, costs);
        } catch (IllegalArgumentException nonsense) {
            throw new MalformedMessageException("no ballot on codecs: " + nonsense.getMessage(), nonsense);
        }
    }
}
