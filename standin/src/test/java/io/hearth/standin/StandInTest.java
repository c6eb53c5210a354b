package io.hearth.standin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hearth.core.HearthException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StandInTest {
    private static final String PATH = System.getenv("PATH");

    @Test
    void aSourceThatDoesNotCompileIsReportedInTheCompilersWords() throws Exception {
        Optional<NativeCompiler> compiler = NativeCompiler.find(PATH, "cc", "gcc", "clang");
        assumeTrue(compiler.isPresent(), "needs a C compiler");
        Path left;
        try (var folder = WorkFolder.create("hearth-test")) {
            left = folder.path();
            Path source = Files.writeString(left.resolve("wrong.c"), "int f() { return undeclared; }\n");
            Path library = left.resolve("wrong.so");
            String message = assertThrows(
                            HearthException.class,
                            () -> compiler.orElseThrow().library(List.of(), List.of(source), List.of(), library))
                    .toString();
            assertTrue(message.contains("wrong.c") && message.contains("undeclared"), message);
        }
        assertFalse(Files.exists(left), "nothing stays behind");
    }

    @Test
    void aMachineWithoutACompilerHasNoStandIn() {
        assertEquals(Optional.empty(), MetalStandIn.compiler("/nowhere:"));
    }

    /** Two test JVMs at the same time, or one after the other, have one compilation. */
    @Test
    void aFolderWithTheLibraryIsNotCompiledAgain(@TempDir Path folder) throws Exception {
        Optional<MetalStandIn> real = MetalStandIn.forTests();
        assumeTrue(real.isPresent(), "needs g++ or clang++ on Linux x86-64 or aarch64");
        Path calls = folder.resolve("calls");
        Path program = Files.writeString(
                folder.resolve("g++"), """
                #!/bin/sh
                echo call >>'%s'
                while [ "$1" != -o ]; do shift; done
                cp '%s' "$2"
                """.formatted(calls, real.orElseThrow().library()));
        assertTrue(program.toFile().setExecutable(true));
        var compiler = new NativeCompiler(program);
        Path made = folder.resolve("made");
        for (int i = 0; i < 2; i++) {
            MetalStandIn standIn = MetalStandIn.build(compiler, made);
            assertEquals(made.resolve("metal.so"), standIn.library());
            assertEquals("", standIn.violations());
        }
        assertEquals(List.of("call"), Files.readAllLines(calls));
    }

    @Test
    void aCompilerThatFailsLeavesNoLibrary(@TempDir Path folder) throws Exception {
        Path program = Files.writeString(folder.resolve("g++"), "#!/bin/sh\necho 'no such processor'\nexit 1\n");
        assertTrue(program.toFile().setExecutable(true));
        Path made = folder.resolve("made");
        HearthException failed =
                assertThrows(HearthException.class, () -> MetalStandIn.build(new NativeCompiler(program), made));
        assertTrue(failed.toString().contains("no such processor"), failed::toString);
        assertFalse(Files.exists(made.resolve("metal.so")));
    }
}
