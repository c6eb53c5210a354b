package io.hearth.transport.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class SpinBudgetTest {
    private static final long LONG = 50_000;
    private static final long SHORT = 1_500;

    private final SpinBudget budget = new SpinBudget(LONG, SHORT);

    /** Waits in vain until the next long spin. Returns the number of short spins before it. */
    private int shortOnes() {
        int count = 0;
        for (long nanos = budget.nanos(); nanos == SHORT; nanos = budget.nanos()) {
            budget.inVain(nanos);
            count++;
        }
        budget.inVain(LONG);
        return count;
    }

    @Test
    void spinsInVainGetRarer() {
        for (int expected : new int[] {0, 1, 2, 4, 8, 16, 32, 64, 64}) {
            assertEquals(expected, shortOnes());
        }
    }

    @Test
    void aSpinThatPaysBringsThemBack() {
        for (int i = 0; i < 5; i++) {
            shortOnes();
        }
        assertEquals(SHORT, budget.nanos());
        budget.paid();
        assertEquals(LONG, budget.nanos());
        budget.paid();
        assertEquals(LONG, budget.nanos());
    }
}
