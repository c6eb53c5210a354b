package io.hearth.bench;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Which trainings to run: every codec with every seed.
 *
 * @param codecs at least one
 * @param seeds at least one, each once
 * @param epochs passes over the images, 1 to 1,000
 * @param threads trainings at once, 1 to 64
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
            throw new IllegalArgumentException("trainings at once must be 1 to " + THREADS_MAX + ", got " + threads);
        }
    }

    /** How many trainings that makes. */
    public int runs() {
        return codecs.size() * seeds.size();
    }

    /**
     * Reads seeds with commas between, and ranges of them such as {@code 1..10}.
     *
     * @throws IllegalArgumentException says which part is wrong
     */
    public static List<Long> seeds(String text) {
        Set<Long> seeds = new LinkedHashSet<>();
        for (String part : text.split(",", -1)) {
            int dots = part.indexOf(RANGE);
            long first = seed(dots < 0 ? part : part.substring(0, dots));
            long last = dots < 0 ? first : seed(part.substring(dots + RANGE.length()));
            if (last < first || last - first >= SEEDS_MAX) {
                throw new IllegalArgumentException(
                        "'" + part + "' is no range of at most " + SEEDS_MAX + " seeds, such as 1..10");
            }
            for (long seed = first; seed <= last; seed++) {
                if (!seeds.add(seed)) {
                    throw new IllegalArgumentException(
                            "seed " + seed + " stands twice in '" + text + "'; leave one out");
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
                    "'" + text + "' is no seed: whole numbers such as 1,2,3 or 1..10", notANumber);
        }
    }
}
