package io.hearth.collective.choice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How long sums of one size took one member lately, plain and with each codec. To be told only of sums that all members began together:
 * who comes late finds the others' bytes waiting and sees a shorter sum than there was, who comes early a longer one.
 */
public final class SumTimes {
    /** The shortest of so many counts: whatever else a machine does makes them longer. */
    static final int WINDOW = 4;

    /** The first ones open streams, take memory and wake the compiler. */
    static final int SEEN_MIN = WINDOW;

    private final double[][] last;
    private final int[] seen;

    /** None yet, for plain values and so many codecs. */
    public SumTimes(int codecs) {
        last = new double[1 + codecs][WINDOW];
        seen = new int[1 + codecs];
    }

    /**
     * One sum.
     *
     * @param choice 0 for plain values, 1 for the first codec
     * @param nanos that it took
     */
    public void took(int choice, long nanos) {
        last[choice][seen[choice] % WINDOW] = Math.max(1, nanos);
        seen[choice]++;
    }

    /** Nanoseconds of a sum; NaN until {@link #SEEN_MIN} were seen. */
    public double nanos(int choice) {
        return seen[choice] < SEEN_MIN
                ? Double.NaN
                : Arrays.stream(last[choice], 0, Math.min(seen[choice], WINDOW))
                        .min()
                        .orElseThrow();
    }

    /** Of all choices. */
    public List<Double> nanos() {
        return new ArrayList<>(
                IntStream.range(0, seen.length).mapToObj(this::nanos).toList());
    }

    /** As if nothing had been seen. */
    public void forget() {
        Arrays.fill(seen, 0);
    }
}
