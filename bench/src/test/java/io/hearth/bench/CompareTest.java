package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tables of {@code bench/compare} for known results. The test runs the script as a user does. */
final class CompareTest {
    private static final Path SCRIPT = Path.of(System.getProperty("basedir", "."), "compare");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private record Outcome(int code, String said) {}

    @BeforeAll
    static void needsPython() {
        boolean isThere = Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .anyMatch(path -> Files.isExecutable(Path.of(path, "python3")));
        assumeTrue(isThere, "bench/compare needs python3");
    }

    private static Outcome compare(String... arguments) throws IOException, InterruptedException {
        return run(SCRIPT, arguments);
    }

    private static Outcome run(Path script, String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("python3", script.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), said);
    }

    private static String line(String program, int round, double millis, double cpu, boolean ok) {
        return """
                {"place": "lab", "round": %d, "peer": "%s", "ranks": 2, "bytes": 4096, "median_ms": %s, "cpu_s_per_GB": %s, "ok": %s}
                """.formatted(round, program, millis, cpu, ok);
    }

    private String file(String content) throws IOException {
        return Files.writeString(folder.resolve("lines"), content).toString();
    }

    @Test
    void aRowIsTheMedianOfTheRoundsMedians() throws Exception {
        String lines = line("ring", 0, 4, 8, true)
                + line("hearth", 0, 1, 2, true)
                + line("hearth", 2, 9, 4, true)
                + line("hearth", 1, 2, 3, true);
        Outcome outcome = compare("--from", file(lines), "--markdown");
        assertEquals(new Outcome(0, """
                **Lab, 2 ranks**

                | size | program | median ms | each round, ms | Hearth / it | CPU s/GB | sums |
                |---|---|---|---|---|---|---|
                | 4 KiB | hearth | 2.000 | 1.000, 2.000, 9.000 | - | 3.00 | right |
                | 4 KiB | ring | 4.000 | 4.000 | 0.50 | 8.00 | right |

                """), outcome);
    }

    @Test
    void aWrongSumIsSeen() throws Exception {
        Outcome outcome = compare("--from", file(line("hearth", 0, 1, 2, true) + line("hearth", 1, 1, 2, false)));
        assertEquals(1, outcome.code());
        assertTrue(outcome.said().contains("WRONG"), outcome.said());
        assertTrue(
                outcome.said().endsWith("compare: lab, 2 ranks, round 2: hearth got a wrong sum of 4 KiB\n"),
                outcome.said());
    }

    /** A tree with this script and fake programs that print a fixed text. */
    private Path treeWhereHearth(String body) throws IOException {
        Path script = folder.resolve("bench/compare");
        Files.createDirectories(script.getParent());
        Files.copy(SCRIPT, script);
        program("hearth", "echo called >> calls\n" + body);
        program("lab/peers/run", "echo '" + line("ring", 0, 4, 8, true).strip() + "'");
        return script;
    }

    private void program(String name, String body) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\ncd \"" + folder + "\"\n[ \"$1\" != version ] || exit 0\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void aRowThatFailsIsNamedAndNeverTriedAgain() throws Exception {
        Path script = treeWhereHearth("echo '" + line("hearth", 0, 1, 2, true).strip() + "'\n"
                + "echo 'rank 1 ended with exit code 1' >&2\nexit 3");
        Outcome outcome = run(script, "--ranks", "2", "--rounds", "1", "--sizes", "4KiB:1");
        assertEquals(1, outcome.code(), outcome.said());
        for (String place : List.of("loopback, TCP", "loopback, shared memory")) {
            String named = "compare: " + place
                    + ", 2 ranks, round 1: hearth failed: exit code 3, and it said: rank 1 ended with exit code 1\n";
            assertTrue(outcome.said().contains(named), outcome.said());
        }
        assertEquals(2, Files.readAllLines(folder.resolve("calls")).size(), "one for each place");
    }

    @Test
    void whoSaysNothingHasFailedToo() throws Exception {
        Outcome outcome = run(treeWhereHearth("exit 0"), "--ranks", "2", "--rounds", "1", "--sizes", "4KiB:1");
        assertEquals(1, outcome.code(), outcome.said());
        assertTrue(
                outcome.said().contains("round 1: hearth failed: exit code 0, and it said: nothing"), outcome.said());
    }

    @Test
    void whatJsonPrintsIsReadAgain() throws Exception {
        String lines = line("hearth", 0, 1, 2, true);
        assertEquals(new Outcome(0, lines), compare("--from", file(lines), "--json"));
    }

    @ParameterizedTest
    @CsvSource({
        "--sizes,4KB",
        "--sizes,0:3",
        "--sizes,4KiB:x",
        "--ranks,1",
        "--ranks,2;x",
        "--rounds,-1",
        "--from,/nowhere"
    })
    void badInputIsOneLine(String option, String value) throws Exception {
        Outcome outcome = compare(option, value);
        assertEquals(1, outcome.code(), outcome.said());
        assertEquals(1, outcome.said().lines().count(), outcome.said());
        assertTrue(
                outcome.said().startsWith("compare: " + option + " ")
                        || outcome.said().startsWith("compare: " + option + ": "),
                outcome.said());
    }
}
