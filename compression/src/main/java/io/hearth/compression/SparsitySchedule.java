package io.hearth.compression;

import io.hearth.compression.format.Ranges;
import java.util.List;
import java.util.stream.Stream;

/**
 * The share of the values that is kept in each step: large at first, while gradients change fast, and small afterwards.
 *
 * @param fractions above 0, at most 1, one for each span; the last one holds for ever
 * @param stepsEach steps per span, at least 1; usually those of an epoch
 */
public record SparsitySchedule(List<Double> fractions, long stepsEach) {
    private static final List<Double> DGC = List.of(0.25, 0.0625, 0.015_625, 0.004, 0.001);

    /** Checks the ranges. */
    public SparsitySchedule {
        fractions = List.copyOf(fractions);
        if (fractions.isEmpty() || stepsEach < 1) {
            throw new IllegalArgumentException(
                    "need at least one fraction and stepsEach >= 1, got " + fractions.size() + " and " + stepsEach);
        }
        fractions.forEach(fraction -> Ranges.requireFraction("sparsity", fraction));
    }

    /** The schedule of Lin et al. (ICLR 2018): leaves out 75, 93.75, 98.4375, 99.6 and then 99.9 %. */
    public static SparsitySchedule dgc(long stepsPerEpoch) {
        return new SparsitySchedule(DGC, stepsPerEpoch);
    }

    /** The fractions of {@link #dgc} that are larger than {@code fraction}, then {@code fraction}. */
    public static SparsitySchedule downTo(double fraction, long stepsPerEpoch) {
        Stream<Double> larger = DGC.stream().filter(share -> share > fraction);
        return new SparsitySchedule(Stream.concat(larger, Stream.of(fraction)).toList(), stepsPerEpoch);
    }

    /** The same fraction in every step. */
    public static SparsitySchedule constant(double fraction) {
        return new SparsitySchedule(List.of(fraction), 1);
    }

    /** The share kept in step {@code step}, counted from 0. */
    public double fraction(long step) {
        if (step < 0) {
            throw new IllegalArgumentException("need a step of at least 0, got " + step);
        }
        return fractions.get((int) Math.min(step / stepsEach, fractions.size() - 1));
    }

    public double largest() {
        return fractions.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    }
}
