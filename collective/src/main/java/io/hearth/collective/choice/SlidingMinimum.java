package io.hearth.collective.choice;

import java.util.Arrays;

/** The smallest of the last few figures: whatever delays only adds, so the smallest is nearest to the truth. */
final class SlidingMinimum {
    /** How many are remembered. */
    static final int WINDOW = 8;

    private final double[] last = new double[WINDOW];
    private int added;

    void add(double figure) {
        last[added % WINDOW] = figure;
        added = added == 2 * WINDOW - 1 ? WINDOW : added + 1; // which slot is next, and whether all are in use
    }

    boolean isFull() {
        return added >= WINDOW;
    }

    /** NaN if there is none. */
    double get() {
        return Arrays.stream(last, 0, Math.min(added, WINDOW)).min().orElse(Double.NaN);
    }
}
