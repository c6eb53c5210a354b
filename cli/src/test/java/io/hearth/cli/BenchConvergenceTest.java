package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.cli.terminal.Exit;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The output of {@code hearth bench convergence} for random images; the accuracy does not matter. */
final class BenchConvergenceTest {
    private static final int COUNT = 160;
    private static final int SIDE = 28;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @BeforeEach
    void files() throws Exception {
        byte[] pixels = new byte[COUNT * SIDE * SIDE];
        byte[] labels = new byte[COUNT];
        var random = new SplittableRandom(1);
        random.nextBytes(pixels);
        for (int i = 0; i < COUNT; i++) {
            labels[i] = (byte) random.nextInt(10);
        }
        Files.write(folder.resolve("images"), idx(pixels, 0x803, COUNT, SIDE, SIDE));
        Files.write(folder.resolve("labels"), idx(labels, 0x801, COUNT));
    }

    private static byte[] idx(byte[] values, int... header) {
        ByteBuffer file = ByteBuffer.allocate(header.length * Integer.BYTES + values.length);
        Arrays.stream(header).forEach(file::putInt);
        return file.put(values).array();
    }

    private Commands.Outcome bench(String more) {
        List<String> files = List.of(
                "bench",
                "convergence",
                "--data",
                folder.resolve("images").toString(),
                "--labels",
                folder.resolve("labels").toString());
        return Commands.in(folder.resolve("home"))
                .run(Stream.concat(files.stream(), Stream.of(more.split(" ", -1)))
                        .toArray(String[]::new));
    }

    @Test
    void jsonIsALineForEachTrainingAndThenOneForEachCodec() {
        Commands.Outcome done =
                bench("--codecs none,topk:0.01,residual=none --seeds 1..2 --epochs 1 --parallel 2 --json");
        assertEquals(Exit.OK, done.code(), done.err());
        List<JsonObject> lines = done.out()
                .lines()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .toList();
        assertEquals(6, lines.size(), done.out());
        for (int i = 0; i < 4; i++) {
            assertEquals(
                    i < 2 ? "none" : "topk:0.01,residual=none",
                    lines.get(i).get("codec").getAsString());
            assertEquals(i % 2 + 1, lines.get(i).get("seed").getAsInt());
            double accuracy = lines.get(i).get("accuracy").getAsDouble();
            assertTrue(accuracy >= 0 && accuracy <= 100, done.out());
        }
        JsonObject exact = lines.get(4);
        assertEquals(2, exact.get("seeds").getAsInt());
        assertEquals(0, exact.get("difference_mean").getAsDouble());
        assertEquals(1, exact.get("sent_ratio").getAsDouble(), 0.02);
        assertTrue(lines.get(5).get("sent_ratio").getAsDouble() > 20, done.out());
        assertTrue(lines.get(5).has("accuracy_mean") && lines.get(5).has("accuracy_ci95"), done.out());
        assertEquals(4, done.err().lines().count(), done.err());
        assertTrue(done.err().contains("4 of 4 after "), done.err());
    }

    @Test
    void peopleGetTwoTables() {
        Commands.Outcome done = bench("--codecs int8 --seeds 7 --epochs 1");
        assertEquals(Exit.OK, done.code(), done.err());
        List<String> lines = done.out().lines().toList();
        assertEquals(5, lines.size(), done.out());
        assertTrue(lines.get(1).startsWith("int8:64  7 "), done.out());
        assertTrue(lines.get(4).startsWith("int8:64  1 ") && lines.get(4).contains("  -  "), done.out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--codecs gzip",
                "--codecs none!",
                "--codecs none,none",
                "--codecs topk:0.01!!",
                "--seeds x",
                "--seeds 3..1",
                "--seeds 1,1",
                "--epochs 0",
                "--epochs 1.5",
                "--epochs 1001",
                "--parallel 0",
                "--parallel 65",
                "--bogus",
                "extra"
            })
    void aWrongOptionIsOneLineThatNamesTheHelp(String option) {
        Commands.Outcome refused = bench(option);
        assertEquals(Exit.USAGE, refused.code(), refused.err());
        assertTrue(refused.line().endsWith("; try 'hearth bench convergence --help'\n"), refused.err());
    }

    @Test
    void bothFilesHaveToBeNamedAndToBeWhatTheyAreNamedFor() {
        Commands hearth = Commands.in(folder.resolve("home"));
        assertEquals(Exit.USAGE, hearth.line("bench convergence --labels x").code());
        assertEquals(Exit.USAGE, hearth.line("bench convergence --data x").code());
        Commands.Outcome missing = hearth.line("bench convergence --data /nowhere/i --labels /nowhere/l");
        assertEquals(Exit.FAILED, missing.code());
        assertTrue(missing.line().contains("there is no file /nowhere/i"), missing.err());
        String images = folder.resolve("images").toString();
        Commands.Outcome mixed = hearth.run("bench", "convergence", "--data", images, "--labels", images);
        assertEquals(Exit.FAILED, mixed.code());
        assertTrue(mixed.line().contains("an IDX file of labels"), mixed.err());
    }
}
