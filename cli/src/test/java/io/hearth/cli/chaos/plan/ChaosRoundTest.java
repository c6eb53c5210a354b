package io.hearth.cli.chaos.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ChaosRoundTest {
    private static final long SECOND = 1_000_000_000L;
    private static final ChaosBlow KILLED =
            new ChaosBlow(ChaosKind.KILLED, "killed", 10 * SECOND, Set.of(2), Set.of(0, 1), true);
    private static final ChaosBlow PAUSED =
            new ChaosBlow(ChaosKind.PAUSE, "pause_1s", 10 * SECOND, Set.of(2), Set.of(0, 1), true);

    private final ChaosRound round = new ChaosRound(3);

    private void summed(int host, long atNanos, long number, int contributors, String state) {
        round.note(host, new ChaosEvent.Summed(atNanos, number, contributors, state));
    }

    @BeforeEach
    void threeSumTogether() {
        for (int host = 0; host < 3; host++) {
            round.note(host, new ChaosEvent.Begun(SECOND, 0, 2 - host, 3, false, "start"));
            summed(host, 2 * SECOND, 0, 3, "all");
        }
    }

    @Test
    void warmIsWhoHasHadSoManySums() {
        assertTrue(round.isWarm(0, 1));
        assertFalse(round.isWarm(0, 2));
        assertFalse(round.isWarm(SECOND, 1));
    }

    @Test
    void theMasterIsWhoHasRankZero() {
        assertEquals(2, round.hostOf(0));
        assertEquals(0, round.hostOf(2));
        assertEquals(-1, round.hostOf(3));
    }

    @Test
    void itIsDecidedWhenAllOthersHaveASumWithoutTheLostOne() {
        summed(0, 10 * SECOND + 5, 1, 3, "all");
        summed(0, 10 * SECOND + 50, 2, 2, "two");
        assertFalse(round.isDecided(KILLED));
        assertEquals(OptionalLong.empty(), round.outcome(KILLED).recoveryNanos());
        summed(1, 10 * SECOND + 60, 2, 2, "two");
        assertTrue(round.isDecided(KILLED));
        assertEquals(OptionalLong.of(60), round.outcome(KILLED).recoveryNanos());
        assertEquals(3, round.outcome(KILLED).sums());
        assertEquals(Optional.empty(), round.outcome(KILLED).divergence());
    }

    @Test
    void theUsualTimeOfASumIsThatOfTheLaterHalfBeforeTheFault() {
        summed(0, 3 * SECOND, 1, 3, "all");
        summed(0, 5 * SECOND, 2, 3, "all");
        summed(0, 6 * SECOND, 3, 3, "all");
        summed(0, 20 * SECOND, 4, 2, "two");
        assertEquals(2 * SECOND, round.outcome(KILLED).usualNanos());
    }

    @Test
    void whoGoesOnMustHoldTheSame() {
        summed(0, 11 * SECOND, 1, 2, "two");
        summed(1, 11 * SECOND, 1, 2, "others");
        assertTrue(round.outcome(KILLED).divergence().isPresent());
    }

    @Test
    void theLastResultOfTheLostOneMayBeRepeatedWithoutIt() {
        summed(2, 9 * SECOND, 1, 3, "all");
        summed(0, 11 * SECOND, 1, 2, "two");
        summed(1, 11 * SECOND, 1, 2, "two");
        assertEquals(Optional.empty(), round.outcome(KILLED).divergence());
        assertTrue(round.outcome(PAUSED).divergence().isPresent());
    }

    @Test
    void aWrongSumIsOneOnWhomever() {
        summed(2, 9 * SECOND, 1, 3, ChaosEvent.WRONG);
        assertTrue(round.outcome(KILLED).divergence().isPresent());
    }

    @Test
    void aPauseIsDecidedWhenAllHaveSummedForSomeTime() {
        for (int host = 0; host < 3; host++) {
            assertFalse(round.isDecided(PAUSED));
            summed(host, 12 * SECOND + 1, 1, 3, "all");
        }
        assertTrue(round.isDecided(PAUSED));
        assertFalse(round.outcome(PAUSED).isRemoved());
        assertEquals(OptionalLong.empty(), round.outcome(PAUSED).recoveryNanos());
    }

    @Test
    void aPauseThatCostsAMemberIsDecidedAtOnce() {
        summed(0, 11 * SECOND, 1, 2, "two");
        assertTrue(round.isDecided(PAUSED));
        assertTrue(round.outcome(PAUSED).isRemoved());
    }

    @Test
    void aPausedWorkerThatIsToldItWasRemovedWasRemoved() {
        round.note(2, new ChaosEvent.Removed(11 * SECOND, "the others went on"));
        assertTrue(round.outcome(PAUSED).isRemoved());
    }
}
