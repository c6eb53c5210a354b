package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Output of a program that uses the library, with and without an slf4j provider on its class path. */
final class LogProviderIT {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    /** A program that does nothing but train alone. */
    static final class Alone {
        private Alone() {}

        public static void main(String[] arguments) throws Exception {
            try (var hearth = AutoDiscoveryBackend.start(TestNodes.loopback().home(Path.of(arguments[0])))) {
                System.out.println("ranks: " + hearth.context().worldSize());
            }
        }
    }

    @Test
    void withoutAProviderOneLineSaysWhatToAdd() throws Exception {
        List<String> lines = run(jar -> !jar.contains("slf4j-simple"));
        assertEquals(2, lines.size(), lines::toString);
        assertTrue(lines.getFirst().startsWith("hearth: slf4j found no provider, "), lines::toString);
        assertTrue(lines.getFirst().contains("add org.slf4j:slf4j-simple "), lines::toString);
        assertEquals("ranks: 1", lines.getLast());
    }

    @Test
    void withAProviderThereIsNoSuchLine() throws Exception {
        assertEquals(List.of("ranks: 1"), run(_ -> true));
    }

    private List<String> run(Predicate<String> jars) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "@" + Path.of(System.getProperty("hearth.root"), "bin", "jvm.args"),
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                        "-cp",
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                                .filter(jars)
                                .collect(Collectors.joining(File.pathSeparator)),
                        Alone.class.getName(),
                        new TestNodes(folder).home().toString())
                .redirectErrorStream(true)
                .start();
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), said);
            assertEquals(0, process.exitValue(), said);
            return said.lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }
}
