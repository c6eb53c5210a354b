package io.hearth.collective.choice;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Which codec a group uses for its next sums of one size. {@link #BYTES} bytes, little-endian: {@code chosen: int32 | calls: int32 |
 * nanos: float64 | plainNanos: float64 | nanosPerByte: float64}.
 *
 * @param chosen 0 for plain values, 1 for the first codec that is allowed
 * @param calls for so many sums, 1 or more
 * @param nanos that such a sum is predicted to take; NaN if nothing is known yet
 * @param plainNanos the same without a codec
 * @param nanosPerByte of the slowest link; NaN if not known
 */
public record CodecDecision(int chosen, int calls, double nanos, double plainNanos, double nanosPerByte) {
    /** On the wire. */
    public static final int BYTES = 32;

    /** Sums to see what the links do, before anything else is known. */
    static final int CALLS_FIRST = 4;

    /** Sums to see what a codec does. */
    static final int CALLS_NEW = SlidingMinimum.WINDOW;

    /** Sums until the next choice. */
    static final int CALLS = 64;

    /** Among so many choices for a codec, one sum goes plain, to see whether links became faster than they seem with a codec. */
    static final int ROUNDS_TO_PROBE = 16;

    /** A change has to make sums faster by so much. */
    private static final double GAIN_MIN = 1.1;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /**
     * Chooses. All members have the same ballots and come to the same.
     *
     * @param ballots of all members, at least one, on the same codecs
     */
    public static CodecDecision of(List<CodecBallot> ballots, SumModel model) {
        CodecBallot first = ballots.getFirst();
        double link = ballots.stream()
                .mapToDouble(CodecBallot::nanosPerByte)
                .filter(known -> !Double.isNaN(known))
                .min()
                .orElse(Double.NaN);
        boolean isAlike = ballots.stream()
                .allMatch(each -> each.count() == first.count()
                        && each.current() == first.current()
                        && each.round() == first.round());
        if (Double.isNaN(link) || !isAlike) {
            return new CodecDecision(0, CALLS_FIRST, Double.NaN, Double.NaN, link);
        }
        double plain = model.plainNanos(ballots.size(), first.count(), link);
        if (first.current() > 0 && first.round() % ROUNDS_TO_PROBE == ROUNDS_TO_PROBE - 1) {
            return new CodecDecision(0, 1, plain, plain, link);
        }
        double[] nanos = new double[1 + first.codecs().size()];
        nanos[0] = plain;
        int best = 0;
        for (int codec = 1; codec < nanos.length; codec++) {
            nanos[codec] = nanos(ballots, codec - 1, model, link);
            best = nanos[codec] * GAIN_MIN < nanos[best] ? codec : best;
        }
        int current = first.current();
        boolean isGoodEnough = current == 0 || nanos[current] < plain;
        if (isGoodEnough && nanos[current] <= nanos[best] * GAIN_MIN) {
            best = current;
        }
        return new CodecDecision(best, best == current ? CALLS : CALLS_NEW, nanos[best], plain, link);
    }

    private static double nanos(List<CodecBallot> ballots, int index, SumModel model, double link) {
        CodecCost cost = ballots.stream()
                .map(each -> each.codecs().get(index).cost())
                .reduce(CodecCost::orWorse)
                .orElseThrow();
        double ratio = ballots.stream()
                .mapToDouble(each -> each.codecs().get(index).ratio())
                .filter(known -> !Double.isNaN(known))
                .min()
                .orElse(1);
        return ratio
                * model.encodedNanos(cost, ballots.size(), ballots.getFirst().count(), link);
    }

    /** Whether it only looks how fast plain values would be; the codec before it stays the present one. */
    public boolean isProbe() {
        return calls == 1;
    }

    /** Whether it is a choice among that many codecs, which bytes from elsewhere need not be. */
    public boolean isAmong(int codecs) {
        return chosen >= 0 && chosen <= codecs && calls >= 1;
    }

    /** How many times as fast as plain values; 1 while nothing is known. */
    public double gain() {
        return Double.isNaN(nanos) || nanos <= 0 ? 1 : plainNanos / nanos;
    }

    /** Writes it at the beginning of {@code target}. */
    public void writeTo(MemorySegment target) {
        target.set(INT, 0, chosen);
        target.set(INT, 4, calls);
        target.set(DOUBLE, 8, nanos);
        target.set(DOUBLE, 16, plainNanos);
        target.set(DOUBLE, 24, nanosPerByte);
    }

    /** Reads what {@link #writeTo} wrote. */
    public static CodecDecision readFrom(MemorySegment from) {
        return new CodecDecision(
                from.get(INT, 0), from.get(INT, 4), from.get(DOUBLE, 8), from.get(DOUBLE, 16), from.get(DOUBLE, 24));
    }
}
