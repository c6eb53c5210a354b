package io.hearth.cli.chaos.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class ChaosBoardTest {
    private final ChaosBoard board = new ChaosBoard(2);

    private void begun(int host, long at, int rank, int world) {
        board.note(host, new ChaosEvent.Begun(at, 1, rank, world, false, "aa"));
    }

    @Test
    void wholeIsWhenAllBeganAStepTogetherSinceThen() {
        begun(0, 5, 0, 2);
        assertFalse(board.isWhole(4));
        begun(1, 6, 1, 2);
        assertTrue(board.isWhole(4));
        assertFalse(board.isWhole(5));
        begun(0, 7, 0, 1);
        assertFalse(board.isWhole(4));
    }

    @Test
    void twoWithOneRankAreNotOneGroup() {
        begun(0, 5, 0, 2);
        begun(1, 5, 0, 2);
        assertFalse(board.isWhole(4));
    }

    @Test
    void whoWasEndedHasToBeginAgain() {
        begun(0, 5, 1, 2);
        begun(1, 5, 0, 2);
        board.gone(1);
        assertFalse(board.isWhole(4));
        assertEquals(-1, board.hostOf(0));
        assertEquals(0, board.hostOf(1));
        assertEquals("host 1 (began no step)", board.missing(4));
    }

    @Test
    void whoIsMissingIsSaidWithWhatItDidLast() {
        begun(0, 5, 1, 2);
        begun(1, 9, 0, 2);
        assertEquals("host 0 (last: step 1 as rank 1 of 2)", board.missing(7));
    }
}
