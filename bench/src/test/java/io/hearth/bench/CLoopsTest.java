package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hearth.accel.Engine;
import io.hearth.accel.KernelKind;
import io.hearth.accel.select.Engines;
import io.hearth.accel.select.KernelRun;
import io.hearth.core.HearthException;
import io.hearth.standin.NativeCompiler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The loops in C do the same work as the engines: their results have the same bits. */
final class CLoopsTest {
    private static final String PATH = System.getenv("PATH");

    @ParameterizedTest
    @EnumSource
    void aLoopInCGivesTheBitsOfThePortableEngine(KernelKind kind) throws Exception {
        Optional<CLoops> loops = CLoops.compile(PATH);
        assumeTrue(loops.isPresent(), "needs a C compiler");
        try (CLoops c = loops.orElseThrow()) {
            assumeTrue(c.has(kind), "this compiler has no float16");
            for (int bytes : new int[] {4, 252, 4096, 40_004}) {
                try (var one = new KernelRun(kind, bytes);
                        var other = new KernelRun(kind, bytes)) {
                    for (int i = 0; i < 3; i++) {
                        c.call(one);
                        other.call(Engines.newReducer(Engine.PORTABLE), Engines.codecKernels(Engine.PORTABLE));
                    }
                    assertEquals(-1, one.target().mismatch(other.target()), "target");
                    if (kind == KernelKind.QUANTISE_INT8) {
                        assertEquals(-1, one.body().mismatch(other.body()), "body");
                    }
                    if (kind == KernelKind.SELECT_FLOAT32 || kind == KernelKind.HISTOGRAM_FLOAT32) {
                        assertEquals(other.selected(), c.call(one));
                    }
                }
            }
        }
    }

    @Test
    void theCompilerGetsVectorsAsWideAsTheJvms() {
        assertEquals("-march=native", CLoops.tuning("amd64", Optional.empty()));
        assertEquals("-march=x86-64-v2", CLoops.tuning("amd64", Optional.of("16")));
        assertEquals("-march=x86-64-v3", CLoops.tuning("amd64", Optional.of("32")));
        assertEquals("-march=native", CLoops.tuning("amd64", Optional.of("64")));
        assertEquals("-mcpu=native", CLoops.tuning("aarch64", Optional.of("16")));
    }

    @Test
    void withoutACompilerThereAreNone() throws Exception {
        assertEquals(Optional.empty(), CLoops.compile("/nowhere:"));
    }

    /** Writes a script that plays the compiler. */
    private static Path compiler(Path folder, String script) throws IOException {
        Path program = Files.writeString(folder.resolve("cc"), "#!/bin/sh\n" + script);
        assertTrue(program.toFile().setExecutable(true));
        return program;
    }

    @Test
    void aCompilerThatDoesNotKnowThisProcessorIsAskedWithoutItAndNeverFuses(@TempDir Path folder) throws Exception {
        Optional<NativeCompiler> real = NativeCompiler.find(PATH, "cc", "gcc", "clang");
        assumeTrue(real.isPresent(), "needs a C compiler");
        Path asked = folder.resolve("asked");
        compiler(folder, """
            echo "$@" >>'%s'
            case "$*" in *=native*) exit 1 ;; esac
            exec '%s' "$@"
            """.formatted(asked, real.orElseThrow().program()));
        try (CLoops c = CLoops.compile(folder + ":" + PATH).orElseThrow()) {
            assertTrue(c.has(KernelKind.SUM_FLOAT32));
        }
        List<String> lines = Files.readAllLines(asked);
        assertEquals(2, lines.size(), lines::toString);
        String tuned = System.getProperty("os.arch").equals("aarch64") ? "-mcpu=native" : "-march=native";
        assertTrue(lines.get(0).contains(tuned), lines::toString);
        for (String line : lines) {
            assertTrue(line.contains("-ffp-contract=off"), line);
        }
    }

    /** A macOS without developer tools has such a program in the place of a compiler. */
    @Test
    void aCompilerThatIsNoneIsToldInItsWords(@TempDir Path folder) throws Exception {
        compiler(folder, "echo 'xcrun: error: invalid active developer path'\nexit 1\n");
        String said = assertThrows(HearthException.class, () -> CLoops.compile(folder.toString()))
                .toString();
        assertTrue(said.contains("invalid active developer path"), said);
    }
}
