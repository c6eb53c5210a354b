package io.hearth.collective.choice;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Which codec a group uses for its next sums of one size. {@link #BYTES} bytes, little-endian: {@code chosen, calls, round: int32 | kind:
 * int32 | nanos: float64 | plainNanos: float64}.
 *
 * <p>A group of one has nothing to send and stays with plain values. Any other first sums as it is, then tries each codec that might be faster, and keeps the fastest. All begins anew when sums clearly
 * take another time than they did, and now and then without that, because a link that became faster may not show with a codec.
 *
 * @param chosen 0 for plain values, 1 for the first codec that is allowed
 * @param calls for so many sums, 1 or more
 * @param round how many choices were made, this one included
 * @param kind what the choice is for
 * @param nanos that such a sum is expected to take; NaN if nothing is known yet
 * @param plainNanos the same without a codec
 */
public record CodecDecision(int chosen, int calls, int round, Kind kind, double nanos, double plainNanos) {
    /** What a choice is for. */
    public enum Kind {
        /** To be used. */
        SETTLED(0),
        /** To see how long it takes. */
        TRIAL(1),
        /** The same, and what was seen before counts no more. */
        RESTART(2);

        private final int code; // on the wire

        Kind(int code) {
            this.code = code;
        }

        /** Whatever is none begins anew. */
        private static Kind of(int code) {
            return code == SETTLED.code ? SETTLED : code == TRIAL.code ? TRIAL : RESTART;
        }
    }

    /** On the wire. */
    public static final int BYTES = 32;

    /** Sums until the next choice. */
    static final int CALLS = 16;

    /** Choices until all begins anew. */
    static final int ROUNDS = 64;

    /** The first time sooner: what was timed while the compiler was at work is not how it stays. */
    static final int ROUNDS_FIRST = 40;

    /** A change has to make sums faster by so much. */
    private static final double GAIN_MIN = 1.1;

    /** By how much a time has to differ to be another one. */
    private static final double MOVED = 1.5;

    /** A codec is tried if it might be faster on processors that are faster by so much than they were when it was measured. */
    private static final double BENEFIT_OF_DOUBT = 4;

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
        int round = ballots.stream().mapToInt(CodecBallot::round).max().orElseThrow() % (Integer.MAX_VALUE - 1) + 1;
        if (ballots.size() == 1) { // nothing is sent, so nothing is saved
            return new CodecDecision(0, CALLS, round, Kind.SETTLED, Double.NaN, Double.NaN);
        }
        boolean isAlike = ballots.stream()
                .allMatch(each -> each.count() == first.count()
                        && each.current() == first.current()
                        && each.round() == first.round());
        boolean isTime = round == ROUNDS_FIRST || round % ROUNDS == 0;
        if (!isAlike || isTime || ballots.stream().anyMatch(CodecBallot::moved)) {
            return new CodecDecision(0, 1, round, Kind.RESTART, Double.NaN, Double.NaN);
        }
        var nanos = new ArrayList<Double>();
        for (int choice = 0; choice <= first.costs().size(); choice++) {
            nanos.add(slowest(ballots, choice));
        }
        double plain = nanos.getFirst();
        if (Double.isNaN(plain)) {
            return new CodecDecision(0, 1, round, Kind.TRIAL, Double.NaN, Double.NaN);
        }
        double link = model.nanosPerByte(ballots.size(), first.count(), plain);
        for (int choice = 1; choice < nanos.size(); choice++) {
            if (Double.isNaN(nanos.get(choice))) {
                CodecCost cost = dearest(ballots, choice - 1);
                double atBest = model.encodedNanos(cost, ballots.size(), first.count(), link, BENEFIT_OF_DOUBT);
                if (atBest * GAIN_MIN < plain) {
                    double expected = model.encodedNanos(cost, ballots.size(), first.count(), link, 1);
                    return new CodecDecision(choice, 1, round, Kind.TRIAL, expected, plain);
                }
                nanos.set(choice, Double.POSITIVE_INFINITY);
            }
        }
        int best = fastest(nanos, first.current());
        return new CodecDecision(best, CALLS, round, Kind.SETTLED, nanos.get(best), plain);
    }

    private static int fastest(List<Double> nanos, int current) {
        int best = 0;
        for (int choice = 1; choice < nanos.size(); choice++) {
            best = nanos.get(choice) * GAIN_MIN < nanos.get(best) ? choice : best;
        }
        boolean isGoodEnough = current == 0 || nanos.get(current) < nanos.getFirst();
        return isGoodEnough && nanos.get(current) <= nanos.get(best) * GAIN_MIN ? current : best;
    }

    /** Of the members that know; NaN if none does. */
    private static double slowest(List<CodecBallot> ballots, int choice) {
        return ballots.stream()
                .mapToDouble(each -> each.nanos().get(choice))
                .filter(known -> !Double.isNaN(known))
                .max()
                .orElse(Double.NaN);
    }

    private static CodecCost dearest(List<CodecBallot> ballots, int codec) {
        return ballots.stream()
                .map(each -> each.costs().get(codec))
                .reduce(CodecCost::orWorse)
                .orElseThrow();
    }

    /** Whether sums that take {@code now} are no more what this expects. */
    public boolean isOver(double now) {
        return kind == Kind.SETTLED && (now > nanos * MOVED || now * MOVED < nanos);
    }

    /** Whether it is a choice among that many codecs, which bytes from elsewhere need not be. */
    public boolean isAmong(int codecs) {
        return chosen >= 0 && chosen <= codecs && calls >= 1;
    }

    /** Writes it at the beginning of {@code target}. */
    public void writeTo(MemorySegment target) {
        target.set(INT, 0, chosen);
        target.set(INT, 4, calls);
        target.set(INT, 8, round);
        target.set(INT, 12, kind.code);
        target.set(DOUBLE, 16, nanos);
        target.set(DOUBLE, 24, plainNanos);
    }

    /** Reads what {@link #writeTo} wrote. */
    public static CodecDecision readFrom(MemorySegment from) {
        return new CodecDecision(
                from.get(INT, 0),
                from.get(INT, 4),
                from.get(INT, 8),
                Kind.of(from.get(INT, 12)),
                from.get(DOUBLE, 16),
                from.get(DOUBLE, 24));
    }
}
