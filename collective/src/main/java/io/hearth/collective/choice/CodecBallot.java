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
 * | count: int64 | current: int32 | round: int32 | moved: int64 | plain: float64 |
 * | of each codec: inBlocks: int64 | bytes, encode, decode, add, nanos: float64 each |
 * </pre>
 *
 * @param count values of the tensor
 * @param current what was chosen last; 0 for plain values, 1 for the first codec
 * @param round how many choices were made before
 * @param moved whether sums take clearly another time than when that was chosen
 * @param nanos that sums took, plain ones first, then with each codec; NaN where it is not known
 * @param costs of the codecs that are allowed, in the order in which they are welcome
 */
public record CodecBallot(
        long count, int current, int round, boolean moved, List<Double> nanos, List<CodecCost> costs) {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int PLAIN = 24;
    private static final int HEAD_BYTES = 32;
    private static final int CODEC_BYTES = 48;

    public CodecBallot {
        nanos = List.copyOf(nanos);
        costs = List.copyOf(costs);
        boolean areTimes = nanos.stream().allMatch(time -> Double.isNaN(time) || (time > 0 && CodecCost.isCost(time)));
        if (count < 0 || current < 0 || current > costs.size() || round < 0 || !areTimes) {
            throw new IllegalArgumentException("no choice " + round + " after codec " + current + " of " + costs.size()
                    + ", for " + count + " values that took " + nanos + " ns");
        }
        if (nanos.size() != costs.size() + 1) {
            throw new IllegalArgumentException(nanos.size() + " times for " + costs.size() + " codecs and none");
        }
    }

    /** Size of a ballot on that many codecs. */
    public static long bytes(int codecs) {
        return HEAD_BYTES + (long) codecs * CODEC_BYTES;
    }

    /** Writes it at the beginning of {@code target}. */
    public void writeTo(MemorySegment target) {
        target.set(LONG, 0, count);
        target.set(INT, 8, current);
        target.set(INT, 12, round);
        target.set(LONG, 16, moved ? 1 : 0);
        target.set(DOUBLE, PLAIN, nanos.getFirst());
        for (int i = 0; i < costs.size(); i++) {
            long at = HEAD_BYTES + (long) i * CODEC_BYTES;
            CodecCost cost = costs.get(i);
            target.set(LONG, at, cost.inBlocks() ? 1 : 0);
            target.set(DOUBLE, at + 8, cost.bytes());
            target.set(DOUBLE, at + 16, cost.encodeNanos());
            target.set(DOUBLE, at + 24, cost.decodeNanos());
            target.set(DOUBLE, at + 32, cost.addNanos());
            target.set(DOUBLE, at + 40, nanos.get(i + 1));
        }
    }

    /**
     * Reads one on so many codecs.
     *
     * @param from at least {@link #bytes} of them
     * @throws MalformedMessageException if it is none
     */
    public static CodecBallot readFrom(MemorySegment from, int codecs) throws MalformedMessageException {
        try {
            var nanos = new ArrayList<Double>();
            var costs = new ArrayList<CodecCost>();
            nanos.add(from.get(DOUBLE, PLAIN));
            for (int i = 0; i < codecs; i++) {
                long at = HEAD_BYTES + (long) i * CODEC_BYTES;
                costs.add(new CodecCost(
                        from.get(LONG, at) != 0,
                        from.get(DOUBLE, at + 8),
                        from.get(DOUBLE, at + 16),
                        from.get(DOUBLE, at + 24),
                        from.get(DOUBLE, at + 32)));
                nanos.add(from.get(DOUBLE, at + 40));
            }
            return new CodecBallot(
                    from.get(LONG, 0), from.get(INT, 8), from.get(INT, 12), from.get(LONG, 16) != 0, nanos, costs);
        } catch (IllegalArgumentException nonsense) {
            throw new MalformedMessageException("no ballot on codecs: " + nonsense.getMessage(), nonsense);
        }
    }
}
