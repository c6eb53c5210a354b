package io.hearth.simulation.replicated;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.simulation.rule.Violation;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code -Dhearth.seed=17} replays one world, {@code -Dhearth.seeds=20000} plays so many. */
final class ReplicaSimulationTest {
    private static final long SEEDS = Long.getLong("hearth.seeds", Boolean.getBoolean("hearth.full") ? 1_500 : 300);
    private static final long PLANT_SEEDS = 2_000;

    private static LongStream seeds(long from, long count) {
        Long one = Long.getLong("hearth.seed");
        return one == null ? LongStream.range(from, from + count) : LongStream.of(one);
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES) // half a minute where nothing else runs
    void noWorldBreaksARule() {
        long[] seen = new long[3];
        seeds(0, SEEDS).forEach(seed -> {
            try {
                ReplicaWorld.Outcome outcome = ReplicaWorld.play(seed, ReplicaBug.NOTHING);
                seen[0] += outcome.answers();
                seen[1] += outcome.elections();
                seen[2] += outcome.merges();
            } catch (RuntimeException broken) {
                throw new AssertionError("seed " + seed + ": " + broken.getMessage(), broken);
            }
        });
        if (Long.getLong("hearth.seed") == null) {
            assertTrue(seen[0] > 10 * SEEDS, () -> "only " + seen[0] + " answers");
            assertTrue(seen[1] > SEEDS, () -> "only " + seen[1] + " elections");
            assertTrue(seen[2] > SEEDS / 50, () -> "only " + seen[2] + " merges");
        }
    }

    @ParameterizedTest
    @EnumSource(value = ReplicaBug.class, names = "NOTHING", mode = EnumSource.Mode.EXCLUDE)
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void eachPlantedFaultIsFound(ReplicaBug bug) {
        boolean found = seeds(bug.from(), PLANT_SEEDS).anyMatch(seed -> {
            try {
                ReplicaWorld.play(seed, bug);
                return false;
            } catch (Violation violated) {
                return true;
            } catch (IllegalStateException impossible) { // the machine itself noticed
                return true;
            }
        });
        assertTrue(found, bug + " was not found by " + PLANT_SEEDS + " seeds");
    }
}
