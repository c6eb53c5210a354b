package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The output of a JVM with other flags, on both streams, and its exit code. */
record ChildJvm(String said, int exitCode) {
    private static final long SECONDS_MAX = 60;

    /** Runs the program to its end. */
    static ChildJvm run(Class<?> program, String... flags) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS), said);
            return new ChildJvm(said, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }
}
