package io.hearth.cli.terminal;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Mistakes in a command line: they end the command with {@link Exit#USAGE}. */
public final class Usage {
    private Usage() {}

    /** Reads options. */
    @FunctionalInterface
    public interface Options<T, E extends Exception> {
        T read() throws E;
    }

    /** The exception for a wrong command line. */
    public static ParameterException mistake(CommandSpec command, String message) {
        return new ParameterException(command.commandLine(), message);
    }

    /**
     * Checks that a file can be written.
     *
     * @throws IllegalArgumentException its folder does not exist or is not writable; names {@code option}
     */
    public static void requireWritable(String option, Path file) {
        if (!Files.isWritable(file.toAbsolutePath().getParent())) {
            throw new IllegalArgumentException(option + ": the folder of " + file
                    + " does not exist or is not writable; name a file in a folder of yours");
        }
    }

    /**
     * Reads options; an {@link IllegalArgumentException} that they cause becomes a mistake in the command line.
     *
     * @throws E as {@code options} throws it
     */
    public static <T, E extends Exception> T checked(CommandSpec command, Options<T, E> options) throws E {
        try {
            return options.read();
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(command.commandLine(), String.valueOf(wrong.getMessage()), wrong);
        }
    }
}
