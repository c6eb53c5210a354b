package io.hearth.collective.choice;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * One member's measurements for the choice of a codec, {@link #bytes} bytes, little-endian:
 *
 * <pre>
 * | count: int64 | round: int32 | costs: int32 | nanos: 4 x float64 |
 * | of each codec: inBlocks: int64 | bytes, encode, decode, add: float64 each |
 * </pre>
 *
 * @param count number of values of the tensor
 * @param round number of earlier decisions
 * @param nanos times of this member's last {@link #NANOS} sums since the last decision, the newest last; NaN for a missing sum or one
 *     without a result
 * @param costs of the allowed codecs, in order of preference; empty while they are being measured
 */
public record CodecMeasurements(long count, int round, List<Double> nanos, List<CodecCost> costs) {
    /** Number of sums whose times a ballot holds. */
    public static final int NANOS = 4;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int NANOS_AT = 16;
    private static final int HEAD_BYTES = NANOS_AT + NANOS * Double.BYTES;
    private static final int CODEC_BYTES = 40;

    public CodecMeasurements {
        nanos = List.copyOf(nanos);
        costs = List.copyOf(costs);
        boolean areTimes = nanos.size() == NANOS && nanos.stream().allMatch(CodecTimes::isTimeOrUnknown);
        if (count < 0 || round < 0 || !areTimes) {
            throw new IllegalArgumentException("a ballot needs count and round of 0 or more and " + NANOS
                    + " times or NaN; got count " + count + ", round " + round + " and times " + nanos);
        }
    }

    /** Size of a ballot on {@code codecs} codecs. */
    public static long bytes(int codecs) {
        return HEAD_BYTES + (long) codecs * CODEC_BYTES;
    }

    /** Writes this ballot to the beginning of {@code target}. */
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
     * Reads a ballot on {@code codecs} codecs.
     *
     * @param from at least {@link #bytes} of them
     * @throws MalformedMessageException the bytes are no ballot
     */
    public static CodecMeasurements readFrom(MemorySegment from, int codecs) throws MalformedMessageException {
        int known = from.get(INT, 12);
        if (known != 0 && known != codecs) {
            throw new MalformedMessageException("not a ballot on codecs: costs of " + known + " of " + codecs);
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
            return new CodecMeasurements(from.get(LONG, 0), from.get(INT, 8), nanos, costs);
        } catch (IllegalArgumentException invalid) {
            throw new MalformedMessageException("not a ballot on codecs: " + invalid.getMessage(), invalid);
        }
    }
}
