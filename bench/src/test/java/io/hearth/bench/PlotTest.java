package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plots of the docs are those that {@code docs/benchmarks/plot.py} draws of the figures beside it. */
final class PlotTest {
    private static final Path BENCHMARKS = Path.of(System.getProperty("basedir", "."), "..", "docs", "benchmarks")
            .normalize();
    private static final String RUN = "{\"commit\": \"abc\", \"date\": \"2026-11-24\", \"machine\": \"<two> & more\"}";

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private record Outcome(int code, String said) {}

    @BeforeAll
    static void needsPython() {
        boolean isThere = Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .anyMatch(path -> Files.isExecutable(Path.of(path, "python3")));
        assumeTrue(isThere, "docs/benchmarks/plot.py needs python3");
    }

    private static Outcome plot(String... arguments) throws IOException, InterruptedException {
        var command =
                new ArrayList<>(List.of("python3", BENCHMARKS.resolve("plot.py").toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), said);
    }

    private static SortedMap<String, String> files(Path from) throws IOException {
        var texts = new TreeMap<String, String>();
        try (Stream<Path> all = Files.list(from)) {
            for (Path file : all.toList()) {
                texts.put(String.valueOf(file.getFileName()), Files.readString(file));
            }
        }
        return texts;
    }

    private Path data(String lines) throws IOException {
        Path data = Files.createDirectories(folder.resolve("data"));
        Files.writeString(data.resolve("run.json"), RUN);
        Files.writeString(data.resolve("lines.jsonl"), lines);
        return data;
    }

    @Test
    void thePlotsAreThoseOfTheFigures() throws Exception {
        Outcome outcome = plot("--out", folder.toString());
        assertEquals(0, outcome.code(), outcome.said());
        assertEquals(files(BENCHMARKS.resolve("plots")), files(folder), "run docs/benchmarks/plot.py");
    }

    @Test
    void aWrongSumIsNoFigureAndTextsAreEscaped() throws Exception {
        Path data = data("""
                {"peer": "ring", "ranks": 2, "bytes": 4096, "median_ms": 0.5, "ok": true}
                {"peer": "liar", "ranks": 2, "bytes": 4096, "median_ms": 0.1, "ok": false}
                {"place": "lab", "ranks": 2, "round": 0, "peer": "mpi", "failed": "exit code 1"}
                """);
        Outcome outcome = plot("--data", data.toString(), "--out", folder.toString());
        assertEquals(0, outcome.code(), outcome.said());
        String drawn = Files.readString(folder.resolve("allreduce.svg"));
        assertTrue(drawn.contains(">ring<") && !drawn.contains("liar") && !drawn.contains("mpi"), drawn);
        assertTrue(drawn.contains("&lt;two&gt; &amp; more"), drawn);
        assertTrue(outcome.said().contains("2 of 3 lines are in no plot"), outcome.said());
    }

    @Test
    void linesThatAreNoJsonAreOneLineOfError() throws Exception {
        Outcome outcome = plot("--data", data("no figures").toString(), "--out", folder.toString());
        assertEquals(1, outcome.code());
        assertTrue(
                outcome.said().startsWith("plot: cannot read ")
                        && outcome.said().lines().count() == 1,
                outcome.said());
    }
}
