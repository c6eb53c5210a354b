package io.hearth.cli.process;

import io.hearth.cli.terminal.Exit;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** The pipe from the process that started this one. When it closes, this process ends too. */
public final class ParentPipe {
    private ParentPipe() {}

    /** Starts a thread that gives each line of {@code in} to {@code line} and halts this process at the end of {@code in}. */
    public static void follow(InputStream in, Consumer<String> line) {
        Thread.ofPlatform().daemon().name("hearth-parent").start(() -> {
            try (var lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                lines.lines().forEach(line);
            } catch (IOException | UncheckedIOException broken) {
                System.err.println("hearth: the pipe to the starting process broke: " + broken.getMessage());
            }
            Runtime.getRuntime().halt(Exit.INTERRUPTED); // the parent is gone: no process would read a report
        });
    }
}
