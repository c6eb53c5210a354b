package io.hearth.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.report.Outcome;
import io.hearth.simulation.setting.LieKind;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A member that lies ends no other process, fills no memory, and does not keep the others from training. */
final class ByzantineMessagesTest {
    private static final int SEEDS = Boolean.getBoolean("hearth.full") ? 6 : 3;
    private static final int SEEDS_BELIEVED = Boolean.getBoolean("hearth.full") ? 40 : 15; // such a lie is rare
    private static final int MANY_AT_ONCE = 1_200;
    private static final long MANY = 1_000_000;

    static Set<LieKind> borne() {
        return LieKind.BORNE;
    }

    private static Outcome play(long seed, Set<LieKind> kinds, int atOnce) {
        Outcome outcome = Simulation.lies(seed, kinds, atOnce, null);
        assertEquals(Optional.empty(), outcome.violation(), () -> "seed " + seed + " with lies of " + kinds);
        return outcome;
    }

    private static long lies(Outcome outcome) {
        return outcome.faults().getOrDefault(FaultKind.LIES, 0L);
    }

    @ParameterizedTest
    @MethodSource("borne")
    void aLiarDoesNotKeepTheOthersFromTraining(LieKind kind) {
        long lies = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            lies += lies(play(seed, EnumSet.of(kind), 1));
        }
        assertTrue(lies > 0, "no lie was told in " + SEEDS + " seeds");
    }

    /** Otherwise a member that was away or restarted would need far longer than the lies lasted to reach the rounds of the others. */
    @Test
    void climbingRoundsLeaveNoMemberBehind() {
        for (long seed = Boolean.getBoolean("hearth.full") ? 20 : 25; seed < 30; seed++) {
            play(seed, EnumSet.of(LieKind.HIGH_BALLOTS), 20);
        }
    }

    static Set<LieKind> believed() {
        return EnumSet.complementOf(EnumSet.copyOf(LieKind.BORNE));
    }

    /** A forgery may leave the others in wrong views, or waiting for each other; it ends no process. */
    @ParameterizedTest
    @MethodSource("believed")
    void aForgeryEndsNoOtherProcess(LieKind kind) {
        long lies = 0;
        for (long seed = 0; seed < SEEDS_BELIEVED; seed++) {
            Outcome outcome = Simulation.lies(seed, EnumSet.of(kind), 1, null);
            Optional<String> ended =
                    outcome.violation().filter(what -> !what.startsWith("L1:") && !what.startsWith("L2:"));
            assertEquals(Optional.empty(), ended, () -> "a world with lies of " + kind);
            lies += lies(outcome);
        }
        assertTrue(lies > 0, "no lie was told in " + SEEDS_BELIEVED + " seeds");
    }

    @Test
    @Tag("full")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aMillionLiesBreakNoRule() {
        long lies = 0;
        for (long seed = 0; lies < MANY; seed++) { // some worlds have too few machines for a liar
            lies += lies(play(seed, LieKind.BORNE, MANY_AT_ONCE));
        }
    }
}
