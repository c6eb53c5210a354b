package io.hearth.collective;

import io.hearth.collective.schedule.Shares;
import io.hearth.collective.schedule.SplitMix;
import io.hearth.election.View;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Each rank's part of the buffer in a {@link AllReduceStrategy#DIRECT} sum. An owner receives all contributions to its part, adds them and
 * sends the sum to all ranks. So a rank with a slow port or processor should own less. The parts do not affect the bits of the result.
 *
 * <p>Weights apply in a world with the same number of ranks; in any other, such as after a loss, all ranks own the same.
 *
 * @param weights by rank, finite and 0 or more, not all 0, at most {@link View#MEMBERS_MAX}; the same on all ranks. None: all own the same
 */
public record Ownership(List<Double> weights) {
    /** All ranks own the same. */
    public static final Ownership EQUAL = new Ownership(List.of());

    private static final int TEXT_MAX = 40;

    public Ownership {
        weights = List.copyOf(weights);
        if (weights.size() > View.MEMBERS_MAX) {
            throw new IllegalArgumentException(
                    weights.size() + " weights are more than the " + View.MEMBERS_MAX + " ranks that a group can have");
        }
        if (!weights.isEmpty()) {
            Shares.weighted(0, weights);
        }
    }

    /** Weights by rank; as in the record. */
    public static Ownership weighted(double... weights) {
        return new Ownership(Arrays.stream(weights).boxed().toList());
    }

    /** The shares of {@code count} elements. */
    public Shares shares(long count, int world) {
        return weights.size() == world ? Shares.weighted(count, weights) : Shares.equal(count, world);
    }

    /** Text that follows the name of a strategy; different weights have different texts. */
    public String text() {
        if (weights.isEmpty()) {
            return "";
        }
        String all = weights.stream()
                .map(weight -> weight == (long) (double) weight
                        ? String.valueOf((long) (double) weight)
                        : String.valueOf(weight))
                .collect(Collectors.joining(":"));
        return all.length() <= TEXT_MAX
                ? " owned " + all
                : " owned by %d weights %016x".formatted(weights.size(), digest());
    }

    private long digest() {
        long digest = 0;
        for (double weight : weights) {
            digest = SplitMix.mix(digest + Double.doubleToLongBits(weight) + 1);
        }
        return digest;
    }
}
