package io.hearth.examples;

import java.util.SplittableRandom;

/** Orders that depend on a seed alone, so that every node computes the same one without communication. */
public final class Shuffle {
    private Shuffle() {}

    /**
     * The numbers 0 to {@code count - 1}, each order equally likely (Fisher and Yates).
     *
     * @param count 0 or more
     * @return a new array
     */
    public static int[] order(int count, long seed) {
        var random = new SplittableRandom(seed);
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            int at = random.nextInt(i + 1);
            order[i] = order[at];
            order[at] = i;
        }
        return order;
    }
}
