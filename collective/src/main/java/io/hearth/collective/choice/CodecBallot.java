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
 * | count: int64 | current: int32 | round: int32 | nanosPerByte: float64 |
 * | of each codec: inBlocks: int64 | bytes, encode, decode, add, ratio: float64 each |
 * </pre>
 *
 * @param count values of the tensor
 * @param current what was chosen before; 0 for plain values, 1 for the first codec
 * @param round how many choices were made before
 * @param nanosPerByte of the link; NaN if not known
 * @param codecs those that are allowed, in the order in which they are welcome
 */
public record CodecBallot(long count, int current, int round, double nanosPerByte, List<Codec> codecs) {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int HEAD_BYTES = 24;
    private static final int CODEC_BYTES = 48;

    public CodecBallot {
        codecs = List.copyOf(codecs);
        if (count < 0 || current < 0 || current > codecs.size() || round < 0 || !isKnownOrNaN(nanosPerByte)) {
            throw new IllegalArgumentException("no choice " + round + " after codec " + current + " of " + codecs.size()
                    + ", for " + count + " values, at " + nanosPerByte + " ns/byte");
        }
    }

    /**
     * One codec.
     *
     * @param cost on this machine
     * @param ratio of what was seen to what the model says, above 0; NaN if it was not seen
     */
    public record Codec(CodecCost cost, double ratio) {
        public Codec {
            if (!isKnownOrNaN(ratio)) {
                throw new IllegalArgumentException("no sum takes " + ratio + " times as long as predicted");
            }
        }
    }

    private static boolean isKnownOrNaN(double figure) {
        return Double.isNaN(figure) || (figure > 0 && figure <= Double.MAX_VALUE);
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
        target.set(DOUBLE, 16, nanosPerByte);
        long at = HEAD_BYTES;
        for (Codec codec : codecs) {
            CodecCost cost = codec.cost();
            target.set(LONG, at, cost.inBlocks() ? 1 : 0);
            target.set(DOUBLE, at + 8, cost.bytes());
            target.set(DOUBLE, at + 16, cost.encodeNanos());
            target.set(DOUBLE, at + 24, cost.decodeNanos());
            target.set(DOUBLE, at + 32, cost.addNanos());
            target.set(DOUBLE, at + 40, codec.ratio());
            at += CODEC_BYTES;
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
            var all = new ArrayList<Codec>();
            for (int i = 0; i < codecs; i++) {
                long at = HEAD_BYTES + (long) i * CODEC_BYTES;
                var cost = new CodecCost(
                        from.get(LONG, at) != 0,
                        from.get(DOUBLE, at + 8),
                        from.get(DOUBLE, at + 16),
                        from.get(DOUBLE, at + 24),
                        from.get(DOUBLE, at + 32));
                all.add(new Codec(cost, from.get(DOUBLE, at + 40)));
            }
            return new CodecBallot(from.get(LONG, 0), from.get(INT, 8), from.get(INT, 12), from.get(DOUBLE, 16), all);
        } catch (IllegalArgumentException nonsense) {
            throw new MalformedMessageException("no ballot on codecs: " + nonsense.getMessage(), nonsense);
        }
    }
}
