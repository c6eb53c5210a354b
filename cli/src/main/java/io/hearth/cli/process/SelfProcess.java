package io.hearth.cli.process;

import io.hearth.core.ChildProcess;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts this program again as a child: same Java, same flags, same class path. */
public final class SelfProcess {
    private static final String MAIN = "io.hearth.cli.Main"; // not its class, which uses this one

    private SelfProcess() {}

    /** A child that is ready to be started; nothing secret may be among {@code arguments}, which everybody can read. */
    public static ProcessBuilder of(List<String> arguments) {
        return of(List.of(), arguments);
    }

    /** As {@link #of(List)}, with more flags of Java after the same ones. */
    public static ProcessBuilder of(List<String> flags, List<String> arguments) {
        var all = new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
        all.addAll(flags);
        return ChildProcess.of(command(all, arguments));
    }

    /** The command line of a child that has these flags of Java only. */
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

    private static String absolute(String classPath) {
        var entries = new ArrayList<String>();
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, entries);
    }
}
