package io.hearth.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example in C: compiled as its comment says, and run by two processes. */
final class CProgramIT {
    private static final Path ROOT = Path.of(System.getProperty("hearth.root", ".."));
    private static final boolean IS_MAC = System.getProperty("os.name").startsWith("Mac");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void twoProcessesAddTheirNumbers() throws Exception {
        assumeTrue(hasCompiler(), "no C compiler on this machine");
        Path javaHome = Path.of(System.getProperty("java.home"));
        Path include = javaHome.resolve("include");
        assumeTrue(Files.isDirectory(include), "this Java has no jni.h");
        Path program = folder.resolve("sum");
        var compiler = new ArrayList<>(List.of(
                "cc",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-I" + ROOT.resolve("bridge/src/main/resources/io/hearth/bridge"),
                "-I" + include,
                "-I" + include.resolve(IS_MAC ? "darwin" : "linux"),
                ROOT.resolve("examples/c/sum.c").toString(),
                "-o",
                program.toString()));
        if (!IS_MAC) {
            compiler.add("-ldl");
        }
        assertEquals("", output(start(compiler)));

        NetworkNamespace namespace = NetworkNamespace.create("test");
        var processes = new ArrayList<Process>();
        for (int i = 0; i < 2; i++) {
            HearthHome home = HearthHome.open(folder.resolve("home-" + i));
            NamespaceFile.in(home).add(namespace);
            processes.add(start(List.of(
                    program.toString(),
                    javaHome.toString(),
                    ROOT.resolve("bridge/target/lib").toString(),
                    "2",
                    "home=" + home.folder(),
                    "interfaces=" + (IS_MAC ? "lo0" : "lo"))));
        }
        List<String> lines = Stream.of(output(processes.get(0)), output(processes.get(1)))
                .flatMap(String::lines)
                .filter(line -> !line.startsWith("hearth: ")) // the log of a busy machine says that a start waits
                .sorted()
                .toList();
        assertEquals(
                List.of("rank 0 of 2: the sum over 2 ranks is 3", "rank 1 of 2: the sum over 2 ranks is 3"), lines);
    }

    private static boolean hasCompiler() throws InterruptedException {
        try {
            return new ProcessBuilder("cc", "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException absent) {
            return false;
        }
    }

    private static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static String output(Process process) throws IOException, InterruptedException {
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), text);
        return text;
    }
}
