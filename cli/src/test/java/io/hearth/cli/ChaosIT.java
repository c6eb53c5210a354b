package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.cli.terminal.Exit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Short runs of {@code hearth chaos}, and the state of the machine after an interrupted or killed run. */
final class ChaosIT {
    private static final Pattern LAB = Pattern.compile("lab (chaos[a-z0-9]{8})");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path temporary;

    @BeforeAll
    static void needsALab() {
        Optional<String> missing = Lab.missing();
        missing.ifPresent(why -> System.out.println("SKIPPED ChaosIT: " + why));
        Assumptions.assumeTrue(missing.isEmpty(), missing.orElse(""));
    }

    private RunningProcess chaos(String... arguments) throws Exception {
        var all = new ArrayList<>(List.of("chaos"));
        all.addAll(List.of(arguments));
        return RunningProcess.hearth(Map.of(), List.of("-Djava.io.tmpdir=" + temporary), all.toArray(String[]::new));
    }

    /** Keeps each processor busy until it is closed. */
    private static final class BusyProcessors implements AutoCloseable {
        private volatile boolean closed; // read by the threads

        BusyProcessors() {
            for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                Thread.ofPlatform().daemon().name("busy-" + i).start(() -> {
                    while (!closed) {
                        Thread.onSpinWait();
                    }
                });
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static JsonObject report(String output) {
        return JsonParser.parseString(output.lines()
                        .filter(line -> line.startsWith("{"))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(output)))
                .getAsJsonObject();
    }

    private static int number(JsonObject report, String key) {
        return report.get(key).getAsInt();
    }

    @Tag("full")
    @Test
    void aTrainingIsStruckAndAllEndAlike() throws Exception {
        try (RunningProcess run = chaos("--hosts", "3", "--seed", "11", "--duration", "15s", "--json")) {
            assertEquals(Exit.OK, run.exitCode(180), run::output);
            JsonObject report = report(run.output());
            assertTrue(number(report, "steps") > 0, run::output);
            assertTrue(report.getAsJsonObject("faults").size() > 0, run::output);
            assertEquals(0, number(report, "hangs"), run::output);
            assertEquals(0, number(report, "divergences"), run::output);
            assertEquals(0, number(report, "removals_of_paused"), run::output);
            assertNothingLeftOf(run);
        }
    }

    /** New processes on busy processors answer one another late, which must not look like a far network. */
    @Tag("full")
    @Test
    void aTrainingBesideOtherWorkGoesOn() throws Exception {
        try (var _ = new BusyProcessors();
                RunningProcess run = chaos("--hosts", "3", "--seed", "11", "--duration", "15s", "--json")) {
            run.exitCode(240); // the report counts removals, which a busy machine may bring
            JsonObject report = report(run.output());
            assertTrue(report.getAsJsonObject("faults").size() > 0, run::output);
            assertEquals(0, number(report, "hangs"), run::output);
            assertEquals(0, number(report, "divergences"), run::output);
            assertNothingLeftOf(run);
        }
    }

    @Tag("full")
    @Test
    void theNextSumAfterAKillIsMeasured() throws Exception {
        try (RunningProcess run = chaos("--only", "killed", "--count", "1", "--seed", "1", "--json")) {
            assertEquals(Exit.OK, run.exitCode(180), run::output);
            JsonObject report = report(run.output());
            JsonObject killed = report.getAsJsonObject("recovery_ms").getAsJsonObject("killed");
            assertEquals(1, number(killed, "n"), run::output);
            assertTrue(killed.get("median").getAsDouble() > 0, run::output);
            assertNothingLeftOf(run);
        }
    }

    @Tag("full")
    @Test
    void oneWayLinksAreSurvivedAndTheGroupIsWholeAgain() throws Exception {
        Assumptions.assumeTrue(Lab.onPath("nft"), "one-way links need nft");
        try (RunningProcess run = chaos("--only", "one-way", "--count", "1", "--seed", "1", "--json")) {
            run.exitCode(240); // on a busy machine a healthy host may be removed: the report counts it, and this test
            // accepts it
            JsonObject report = report(run.output());
            assertEquals(1, number(report, "rounds"), run::output);
            assertEquals(0, number(report, "hangs"), run::output);
            assertEquals(1, report.getAsJsonObject("return_ms").size(), run::output);
            assertNothingLeftOf(run);
        }
    }

    @Tag("full")
    @Test
    void theOthersOfOneMachineGoOnWhenOneProcessIsKilled() throws Exception {
        try (RunningProcess run = chaos("--only", "process", "--count", "1", "--seed", "1", "--json")) {
            run.exitCode(240);
            JsonObject report = report(run.output());
            assertEquals(0, number(report, "hangs"), run::output);
            JsonObject process = report.getAsJsonObject("recovery_ms").getAsJsonObject("process");
            assertEquals(1, number(process, "n"), run::output);
            assertNothingLeftOf(run);
        }
    }

    @Tag("full")
    @Test
    void aRunThatIsEndedTellsItsRoundsSoFar() throws Exception {
        try (RunningProcess run = chaos("--only", "switch", "--hosts", "3", "--count", "100", "--json")) {
            run.await("the training", line -> line.contains("train together"));
            run.await("a round", line -> line.startsWith("1 of 100: "));
            run.interrupt();
            assertEquals(Exit.INTERRUPTED, run.exitCode(), run::output);
            JsonObject report = report(run.output());
            assertTrue(number(report, "rounds") >= 1, run::output);
            assertFalse(report.get("complete").getAsBoolean(), run::output);
            assertNothingLeftOf(run);
        }
    }

    @Tag("full")
    @Test
    void ctrlCLeavesNothingAndAKillIsCleanedUpByTheNextRun() throws Exception {
        try (RunningProcess killed = chaos("--hosts", "3", "--seed", "1", "--duration", "10m")) {
            killed.await("the training", line -> line.contains("train together"));
            killed.handle().destroyForcibly();
            killed.exitCode();
            assertTrue(isThere(lab(killed)), "the killed run's lab is there");

            try (RunningProcess interrupted = chaos("--hosts", "3", "--seed", "1", "--duration", "10m")) {
                interrupted.await("the training", line -> line.contains("train together"));
                assertFalse(isThere(lab(killed)), "the lab of the killed run is gone");
                interrupted.interrupt();
                assertEquals(Exit.INTERRUPTED, interrupted.exitCode(), interrupted::output);
                assertNothingLeftOf(interrupted);
            }
        }
    }

    private void assertNothingLeftOf(RunningProcess run) throws Exception {
        assertFalse(isThere(lab(run)), lab(run));
        try (Stream<Path> children = Files.list(temporary)) {
            assertEquals(List.of(), children.toList());
        }
    }

    private static String lab(RunningProcess run) {
        Matcher told = LAB.matcher(run.output());
        assertTrue(told.find(), run::output);
        return told.group(1);
    }

    private static boolean isThere(String lab) {
        return Files.exists(Path.of("/run/netns/hearthlan-" + lab + "-sw"));
    }
}
