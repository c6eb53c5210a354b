package io.hearth.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.accel.select.CalibrationStore;
import io.hearth.accel.select.EngineSelfTest.Verdict;
import io.hearth.accel.select.EngineSurvey;
import io.hearth.cli.Commands;
import io.hearth.cli.Commands.Outcome;
import io.hearth.cli.terminal.Exit;
import io.hearth.standin.MetalStandIn;
import io.hearth.standin.NativeCompiler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code hearth kernel …} on this machine. The Java of the tests has the Vector API. */
final class KernelCommandsTest {
    private static final String PATH = System.getenv("PATH");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private Commands commands() {
        return Commands.in(folder.resolve("home")).with("PATH", PATH);
    }

    private static void assumeNoMac() {
        assumeFalse(System.getProperty("os.name").equals("Mac OS X"), "a Mac has one engine more");
    }

    @Test
    void infoTellsWhichEngineIsTakenAndWhyTheOthersAreNot() {
        assumeNoMac();
        Outcome info = commands().line("kernel info");
        assertEquals(0, info.code(), info.err());
        List<String> lines = info.out().lines().toList();
        assertTrue(lines.get(1).matches("portable +yes +no +the Vector API is faster"), info.out());
        assertTrue(lines.get(2).matches("vector +yes +yes +fastest here.*"), info.out());
        assertTrue(lines.get(3).matches("metal +no +no +this machine has .* Metal needs macOS on Apple silicon"));
        assertTrue(info.out().matches("(?s).*vectors of \\d+ bits\nno failures\n"), info.out());
        assertFalse(Files.exists(folder.resolve("home")), "nothing was measured and nothing written");
    }

    @Test
    void infoIsOneLineOfJsonToo() {
        assumeNoMac();
        JsonObject info = commands().line("kernel info --json").json();
        assertEquals(1, info.get("schema").getAsInt());
        assertEquals("vector", info.get("chosen").getAsString());
        assertTrue(info.get("vector_bits").getAsInt() >= 64);
        assertEquals(3, info.getAsJsonArray("engines").size());
        assertEquals(0, info.getAsJsonObject("metal_from_bytes").size());
        assertEquals(0, info.getAsJsonObject("failures").size());
    }

    @Test
    void infoTellsWhatFailedLast() throws Exception {
        String line = "2026-11-21T12:00:00Z the GPU gave up: no reason";
        EngineSurvey here = EngineSurvey.here(CalibrationStore.NONE);
        var survey =
                new EngineSurvey(here.choice(), here.engines(), here.vectorBits(), new TreeMap<>(), Optional.of(line));
        String last = KernelInfoCommand.text(survey).getLast();
        assertEquals("last failure of metal since it was measured: " + line, last);
        assertEquals(line, KernelInfoCommand.toJson(survey).get("last_failure").getAsString());
    }

    @Test
    void thereIsNothingToCalibrateWithoutAGpu() {
        assumeNoMac();
        Outcome refused = commands().line("kernel calibrate");
        assertEquals(Exit.FAILED, refused.code(), refused.out());
        assertTrue(refused.line().contains("there is no GPU to measure here: this machine has"), refused.err());
        assertFalse(Files.exists(folder.resolve("home")), "nothing was measured and nothing written");
    }

    /** The message names the bound that this command has. */
    @ParameterizedTest
    @ValueSource(strings = {"3", "1GiB", "8GiB"})
    void aSizeThatCannotBeTimedIsToldTheBoundOfKernels(String size) {
        String said = commands().line("kernel bench --sizes " + size).line();
        assertTrue(said.contains("at most 268435456 bytes"), said);
    }

    @Tag("full")
    @Test
    void benchHasALineForEachEngineKernelAndSize() {
        assumeNoMac();
        Outcome bench = commands().line("kernel bench --json --sizes 4KiB,64KiB --kernels sum-float32,add-int8");
        assertEquals(0, bench.code(), bench.err());
        List<JsonObject> lines = bench.out()
                .lines()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .toList();
        assertEquals(8, lines.size(), bench.out());
        boolean hasC = NativeCompiler.find(PATH, "cc", "gcc", "clang").isPresent();
        for (JsonObject line : lines) {
            assertEquals(Set.of("engine", "kernel", "bytes", "GBps", "c_GBps", "chosen"), line.keySet());
            assertTrue(line.get("GBps").getAsDouble() > 0);
            assertEquals(hasC, !line.get("c_GBps").isJsonNull());
            assertEquals(
                    line.get("engine").getAsString().equals("vector"),
                    line.get("chosen").getAsBoolean());
        }
        assertEquals(
                Set.of("sum-float32 4096", "sum-float32 65536", "add-int8 4096", "add-int8 65536"),
                lines.stream()
                        .map(line -> line.get("kernel").getAsString() + " "
                                + line.get("bytes").getAsInt())
                        .collect(Collectors.toSet()));
    }

    @Test
    void withoutACCompilerTheColumnIsEmpty() {
        Outcome bench = commands()
                .with("PATH", "/nowhere")
                .line("kernel bench --json --engine portable --sizes 4KiB --kernels sum-int32");
        assertTrue(
                JsonParser.parseString(bench.out())
                        .getAsJsonObject()
                        .get("c_GBps")
                        .isJsonNull(),
                bench.err());
        Outcome table = commands()
                .with("PATH", "/nowhere")
                .line("kernel bench --engine portable --sizes 4KiB --kernels sum-int32");
        assertTrue(table.out().lines().toList().get(1).matches("portable +sum-int32 +4096 +[\\d.]+ +- +no"));
    }

    /** As on a Mac without developer tools, which has a cc that fails. */
    @Test
    void aCompilerThatFailsLeavesTheColumnEmptyAndOneLineSaysSo() throws Exception {
        Path compiler = Files.writeString(
                folder.resolve("cc"), "#!/bin/sh\necho 'xcrun: error: invalid active developer path'\nexit 1\n");
        assertTrue(compiler.toFile().setExecutable(true));
        Outcome bench = commands()
                .with("PATH", folder.toString())
                .line("kernel bench --json --engine portable --sizes 4KiB --kernels sum-int32");
        assertEquals(0, bench.code(), bench.err());
        assertTrue(
                JsonParser.parseString(bench.out())
                        .getAsJsonObject()
                        .get("c_GBps")
                        .isJsonNull(),
                bench.out());
        assertEquals(1, bench.err().lines().count(), bench.err());
        assertTrue(bench.err().contains("invalid active developer path"), bench.err());
    }

    @Test
    void selftestIsOneBlockToPaste() {
        Outcome test = commands().line("kernel selftest");
        assertEquals(0, test.code(), test.err());
        List<String> lines = test.out().lines().toList();
        assertEquals("---- hearth kernel selftest ----", lines.getFirst());
        assertTrue(lines.get(1).contains("Java") && lines.get(1).contains("kernels"), test.out());
        assertTrue(lines.get(2).matches("portable +\\d+ comparisons, all bits equal"), test.out());
        assertTrue(lines.get(3).matches("vector +\\d+ comparisons, all bits equal"), test.out());
        assertEquals(List.of("result: ok", "---- end ----"), lines.subList(lines.size() - 2, lines.size()));
    }

    @Tag("full")
    @Test
    void withTheStandInMetalIsTestedInEveryManner() {
        assumeTrue(MetalStandIn.isPossible() && MetalStandIn.compiler(PATH).isPresent(), "needs g++");
        Outcome test = commands().line("kernel selftest --fake");
        assertEquals(0, test.code(), test.out() + test.err());
        assertEquals(
                MetalStandIn.Manner.values().length,
                test.out()
                        .lines()
                        .filter(line -> line.matches("metal, stand-in, .*all bits equal"))
                        .count(),
                test.out());
    }

    @Test
    void theStandInNeedsACompiler() {
        assumeTrue(MetalStandIn.isPossible());
        String said = commands()
                .with("PATH", "/nowhere")
                .line("kernel selftest --fake")
                .line();
        assertTrue(said.contains("g++"), said);
    }

    @Test
    void aWrongEngineIsAResultToReport() {
        List<String> report = KernelSelftestCommand.report(List.of(
                new Verdict("portable", true, true, "85 comparisons, all bits equal"),
                new Verdict("metal", true, false, "WRONG: FLOAT32 SUM of 2 at 7")));
        assertTrue(report.contains("result: WRONG"), report::toString);
        assertTrue(report.get(3).matches("metal +WRONG: FLOAT32 SUM of 2 at 7"), report::toString);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kernel",
                "kernel bench --sizes 3",
                "kernel bench --sizes 1GiB",
                "kernel bench --kernels sum-float33",
                "kernel bench --kernels ,",
                "kernel bench --engine cuda",
                "kernel selftest extra",
                "kernel info --bogus",
                "kernel calibrate extra"
            })
    void aWrongCommandLineIsOneLineThatNamesTheHelp(String line) {
        Outcome refused = commands().line(line);
        assertEquals(Exit.USAGE, refused.code(), refused.err());
        assertTrue(refused.line().endsWith(" --help'\n"), refused.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "kernel info", "kernel bench", "kernel selftest", "kernel calibrate"})
    void everyCommandHasHelp(String command) {
        Outcome help = commands().line(command + " --help");
        assertEquals(Exit.OK, help.code());
        assertTrue(help.out().startsWith("Usage: hearth " + command), help.out());
    }

    @Test
    void anEngineThatIsNotHereIsNotTimed() {
        assumeNoMac();
        String said = commands().line("kernel bench --engine metal").line();
        assertTrue(said.contains("'metal' does not exist here"), said);
    }
}
