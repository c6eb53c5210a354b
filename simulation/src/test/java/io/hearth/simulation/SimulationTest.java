package io.hearth.simulation;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.report.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plays two thousand seeds, in the full ring five thousand. It also tests the checks: they have to find each planted fault.
 * {@code hearth simulate} plays more.
 */
final class SimulationTest {
    private static final long FIRST = Long.getLong("hearth.firstSeed", 0);
    private static final long SEEDS = Long.getLong("hearth.seeds", Boolean.getBoolean("hearth.full") ? 5_000 : 2_000);

    private static final long SOON_SEEDS_MAX = 150;

    /** The first seed to play for bugs that no earlier seed finds; it goes on as far as for the others. */
    private static final Map<PlantedBug, Long> RARE = Map.ofEntries(
            entry(PlantedBug.VOTES_TWICE, 200L),
            entry(PlantedBug.ANY_HALF, 250L),
            entry(PlantedBug.NO_FENCE, 200L),
            entry(PlantedBug.THAW, 450L),
            entry(PlantedBug.FINAL_FORWARD, 450L),
            entry(PlantedBug.NO_HOLDERS, 100L),
            entry(PlantedBug.STALE_CHUNK, 2_400L),
            entry(PlantedBug.DIFFERENCE_IS_END, 150L),
            entry(PlantedBug.ONE_GONE, 150L),
            entry(PlantedBug.NO_DRAIN, 150L),
            entry(PlantedBug.HIDDEN_SUBGROUPS, 450L),
            entry(PlantedBug.RETURNS_TO_SUBGROUPS, 1_350L));

    private static Sweep.Report play(long first, long seeds, Optional<PlantedBug> bug) throws InterruptedException {
        return Sweep.run(new Sweep.Request(first, seeds, bug, 2, 1), _ -> {});
    }

    private static String text(Outcome outcome) {
        return "hearth simulate --seed " + outcome.seed() + " --trace: " + outcome.violation();
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES) // a minute where nothing else runs
    void noSeedBreaksARule() throws InterruptedException {
        Sweep.Report report = play(FIRST, SEEDS, Optional.empty());
        assertEquals(
                List.of(), report.broken().stream().map(SimulationTest::text).toList());
        assertEquals(SEEDS, report.seeds());
        assertTrue(
                report.views() > 10 * SEEDS && report.collectives() > 50 * SEEDS,
                "too few views or collectives: " + report);
    }

    static Stream<PlantedBug> soonFound() {
        return Stream.of(PlantedBug.values()).filter(bug -> bug.seedsMax() <= SOON_SEEDS_MAX);
    }

    static Stream<PlantedBug> lateFound() {
        return Stream.of(PlantedBug.values()).filter(bug -> bug.seedsMax() > SOON_SEEDS_MAX);
    }

    @ParameterizedTest
    @MethodSource("soonFound")
    void aPlantedFaultIsFoundSoon(PlantedBug bug) throws InterruptedException {
        aPlantedFaultIsFound(bug);
    }

    @Tag("full")
    @ParameterizedTest
    @MethodSource("lateFound")
    void aPlantedFaultIsFound(PlantedBug bug) throws InterruptedException {
        long first = RARE.getOrDefault(bug, 0L);
        Sweep.Report report = play(first, bug.seedsMax() - first, Optional.of(bug));
        assertFalse(report.broken().isEmpty(), bug.what());
    }

    @Test
    void aSeedGivesTheSameWorldAgainAndTracingDoesNotChangeIt() {
        for (long seed = 0; seed < 5; seed++) {
            var lines = new ArrayList<String>();
            var again = new ArrayList<String>();
            Outcome outcome = Simulation.trace(seed, Optional.empty(), lines::add);
            assertEquals(outcome, Simulation.trace(seed, Optional.empty(), again::add));
            assertEquals(lines, again);
            assertEquals(outcome, Simulation.run(seed, Optional.empty()));
        }
    }

    @Test
    void everyKindOfFaultHappens() throws InterruptedException {
        var request = new Sweep.Request(0, 200, Optional.empty(), 2, 200);
        var happened = new ArrayList<>(Sweep.run(request, _ -> {}).faults().keySet());
        var missing = new ArrayList<>(List.of(FaultKind.values()));
        missing.removeAll(happened);
        missing.remove(FaultKind.REORDERING); // part of every delay, and not counted
        assertEquals(List.of(), missing);
    }
}
