package io.hearth.bench;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The trainings of a comparison: every codec with every seed.
 *
 * @param codecs at least one
 * @param seeds at least one, without duplicates
 * @param epochs passes over the images, 1 to 1,000
 * @param threads number of trainings that run at the same time, 1 to 64
 */
public record ConvergencePlan(List<ConvergenceCodec> codecs, List<Long> seeds, int epochs, int threads) {
    private static final int SEEDS_MAX = 1_000;
    private static final int EPOCHS_MAX = 1_000;
    private static final int THREADS_MAX = 64;
    private static final String RANGE = "..";

    public ConvergencePlan {
        codecs = List.copyOf(codecs);
        seeds = List.copyOf(seeds);
        if (codecs.isEmpty() || seeds.isEmpty()) {
            throw new IllegalArgumentException(
                    "need at least one codec and one seed, got " + codecs.size() + " and " + seeds.size());
        }
        if (epochs < 1 || epochs > EPOCHS_MAX) {
            throw new IllegalArgumentException("epochs must be 1 to " + EPOCHS_MAX + ", got " + epochs);
        }
        if (threads < 1 || threads > THREADS_MAX) {
            throw new IllegalArgumentException(
                    "the number of parallel trainings must be 1 to " + THREADS_MAX + ", got " + threads);
        }
    }

    /** The number of trainings. */
    public int runs() {
        return codecs.size() * seeds.size();
    }

    /**
     * Reads seeds, separated by commas, and ranges of seeds such as {@code 1..10}.
     *
     * @throws IllegalArgumentException a part is wrong; the message names it
     */
    public static List<Long> seeds(String text) {
        Set<Long> seeds = new LinkedHashSet<>();
        for (String part : text.split(",", -1)) {
            int dots = part.indexOf(RANGE);
            long first = seed(dots < 0 ? part : part.substring(0, dots));
            long last = dots < 0 ? first : seed(part.substring(dots + RANGE.length()));
            if (last < first || last - first >= SEEDS_MAX) {
                throw new IllegalArgumentException(
                        "a range must have 1 to " + SEEDS_MAX + " seeds, such as 1..10, got '" + part + "'");
            }
            for (long seed = first; seed <= last; seed++) {
                if (!seeds.add(seed)) {
                    throw new IllegalArgumentException(
                            "seed " + seed + " occurs twice in '" + text + "'; leave one out");
                }
            }
        }
        if (seeds.size() > SEEDS_MAX) {
            throw new IllegalArgumentException("at most " + SEEDS_MAX + " seeds in one run, got " + seeds.size());
        }
        return List.copyOf(seeds);
    }

    private static long seed(String text) {
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException(
                    "seeds must be whole numbers such as 1,2,3 or 1..10, got '" + text + "'", notANumber);
        }
    }
}
