package io.hearth.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a class in a process that has its own view of the file systems. */
public final class MountNamespace {
    private MountNamespace() {}

    /**
     * Runs a main class after commands of a shell that change what is mounted; the test is skipped where none may be changed.
     *
     * @param commands may name the process as {@code $$}
     * @return what it printed
     */
    public static String run(String commands, Class<?> main, Path argument) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("unshare", "-rm", "sh", "-c", commands + " && exec \"$@\"", "sh"));
        assumeTrue(succeeds(command), "needs Linux with user namespaces to change mounts");
        command.addAll(Starter.command(main));
        command.add(argument.toString());
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        return said;
    }

    private static boolean succeeds(List<String> command) throws InterruptedException {
        List<String> tried = new ArrayList<>(command);
        tried.add("true");
        try {
            return new ProcessBuilder(tried).start().waitFor() == 0;
        } catch (IOException absent) {
            return false;
        }
    }
}
