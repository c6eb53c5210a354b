package io.hearth.cli.process;

import io.hearth.core.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts this program as a child process, with the same Java, flags and class path. */
public final class SelfProcess {
    private static final String MAIN = "io.hearth.cli.Main"; // as text: the class itself would make a cycle of packages

    private SelfProcess() {}

    /** A child that the caller can start. {@code arguments} must hold no secret, because every user can read them. */
    public static ProcessBuilder of(List<String> arguments) {
        return of(List.of(), arguments);
    }

    /** As {@link #of(List)}, with {@code flags} of Java after the flags of this process. */
    public static ProcessBuilder of(List<String> flags, List<String> arguments) {
        var all = new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
        all.addAll(flags);
        return ChildProcess.of(command(all, arguments));
    }

    /** The command line of a child with these flags of Java only. */
    public static List<String> command(List<String> flags, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.add("-cp");
        command.add(absolute(System.getProperty("java.class.path")));
        command.add(MAIN);
        command.addAll(arguments);
        return command;
    }

    /** The last line of a child's log, cut to {@code charactersMax}; empty if there is no line or the log cannot be read. */
    public static String lastLine(Path log, int charactersMax) {
        try {
            List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
            String last = lines.isEmpty() ? "" : lines.getLast();
            return last.substring(0, Math.min(last.length(), charactersMax));
        } catch (IOException unreadable) {
            return "";
        }
    }

    private static String absolute(String classPath) {
        var entries = new ArrayList<String>();
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, entries);
    }
}
