package io.hearth.collective.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a group without steps agrees on a plan. */
final class PlanPointsTest {
    /** The numbers of calls after which an agreement follows. */
    private static List<Integer> agreements(long first, long bytesEach, int members, int calls) {
        var points = new PlanPoints(first);
        var at = new ArrayList<Integer>();
        for (int call = 1; call <= calls; call++) {
            points.ended(bytesEach, members);
            if (points.isDue()) {
                at.add(call);
                points.agreed();
                assertFalse(points.isDue(), "two agreements after call " + call);
            }
        }
        return at;
    }

    @Test
    void threeDistancesGrowAndTheOthersAreEqual() {
        assertEquals(List.of(1, 4, 16, 64, 128, 192, 256), agreements(100, 100, 3, 300));
        assertEquals(List.of(7, 27, 107, 427, 854), agreements(100, 15, 4, 1000));
    }

    @Test
    void aLargeCallPassesSeveralPointsAtOnce() {
        assertEquals(List.of(1, 2, 3, 4), agreements(100, 6_400, 3, 4));
        assertEquals(List.of(1, 2, 3, 4, 6, 7, 8, 9), agreements(100, 5_000, 3, 9));
        assertEquals(List.of(1, 2, 3), agreements(1, Long.MAX_VALUE >> 16, 3, 3));
    }

    @Test
    void noPointsWithoutAFirst() {
        assertEquals(List.of(), agreements(0, 1L << 40, 3, 10));
    }

    @Test
    void twoMembersHaveNothingToPlan() {
        assertEquals(List.of(), agreements(100, 100, 2, 100));
        var points = new PlanPoints(100);
        points.ended(100, 2);
        assertFalse(points.isDue());
        points.ended(0, 3);
        assertTrue(points.isDue());
        points.ended(0, 1);
        assertFalse(points.isDue(), "the newest number counts");
    }

    @Test
    void aPointStaysDueUntilTheAgreementEnds() {
        var points = new PlanPoints(100);
        points.ended(99, 3);
        assertFalse(points.isDue());
        points.ended(1, 3);
        assertTrue(points.isDue());
        assertTrue(points.isDue());
        points.ended(0, 3); // the agreement itself
        points.agreed();
        assertFalse(points.isDue());
    }

    @Test
    void aStepEndsThePoints() {
        var points = new PlanPoints(100);
        points.ended(100, 3);
        points.begunStep();
        assertFalse(points.isDue());
        points.agreed();
        points.ended(1L << 40, 3);
        assertFalse(points.isDue());
    }

    @Test
    void firstMustBeInItsRange() {
        assertThrows(IllegalArgumentException.class, () -> new PlanPoints(-1));
        assertThrows(IllegalArgumentException.class, () -> new PlanPoints(Long.MAX_VALUE));
    }
}
