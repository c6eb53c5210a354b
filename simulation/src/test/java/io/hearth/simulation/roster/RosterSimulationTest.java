package io.hearth.simulation.roster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code -Dhearth.seed=17} replays one world. */
final class RosterSimulationTest {
    private static final long SEEDS = Boolean.getBoolean("hearth.full") ? 600 : 150;
    private static final long PLANT_SEEDS = 400;

    private static LongStream seeds(long count) {
        Long one = Long.getLong("hearth.seed");
        return one == null ? LongStream.range(0, count) : LongStream.of(one);
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES) // one where nothing else runs
    void noWorldBreaksARule() {
        long[] changes = {0};
        seeds(SEEDS).forEach(seed -> {
            try {
                changes[0] += RosterWorld.play(seed, RosterBug.NOTHING).changes();
            } catch (Violated violated) {
                throw new AssertionError("seed " + seed + ": " + violated.getMessage(), violated);
            }
        });
        assertTrue(changes[0] > 0, "no world had a change");
    }

    /** Each side of a cut removes a machine, one of them the signer of the other's removal. */
    @Test
    void anUndoneRemovalIsReportedAndMadeAgain() {
        long[] undone = {0};
        seeds(SEEDS / 3).forEach(seed -> {
            try {
                undone[0] += RosterWorld.playCrossed(seed, RosterBug.NOTHING).undone();
            } catch (Violated violated) {
                throw new AssertionError("seed " + seed + ": " + violated.getMessage(), violated);
            }
        });
        assertTrue(undone[0] > 0, "no removal was undone");
    }

    /** All machines report it, and pairing one half again makes one roster, in which a removal reaches every machine. */
    @Test
    void twoFoundersAreReportedAndPairingMovesOneHalf() {
        seeds(SEEDS / 3).forEach(seed -> {
            try {
                assertTrue(RosterWorld.playTwoFounders(seed).locked() == 0, () -> "seed " + seed);
            } catch (Violated violated) {
                throw new AssertionError("seed " + seed + ": " + violated.getMessage(), violated);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(value = RosterBug.class, names = "NOTHING", mode = EnumSource.Mode.EXCLUDE)
    void eachPlantedFaultIsFound(RosterBug bug) {
        boolean found = seeds(PLANT_SEEDS).anyMatch(seed -> {
            try {
                RosterWorld.play(seed, bug);
                return false;
            } catch (Violated violated) {
                return true;
            }
        });
        assertTrue(found, bug + " was not found by " + PLANT_SEEDS + " seeds");
    }
}
