package io.hearth.cli.terminal;

import com.google.gson.JsonObject;
import io.hearth.core.SetupException;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/**
 * What a command sees of the world around its process.
 *
 * @param out for data, and nothing else: it may be read by a program
 * @param err for everything that is said to a person
 * @param in what is piped in
 * @param environment as {@link System#getenv()}
 * @param interactive whether a person sits at both ends: nothing is redirected
 */
public record Terminal(
        PrintStream out, PrintStream err, InputStream in, Map<String, String> environment, boolean interactive) {
    /** This process's own; UTF-8 whatever the locale, so that JSON is always valid. */
    public static Terminal system() {
        return new Terminal(
                new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                System.in,
                System.getenv(),
                console().isPresent());
    }

    public PrintWriter outWriter() {
        return new PrintWriter(out, true, StandardCharsets.UTF_8);
    }

    public PrintWriter errWriter() {
        return new PrintWriter(err, true, StandardCharsets.UTF_8);
    }

    /** One line of JSON. */
    public void print(JsonObject data) {
        out.println(data);
    }

    /** One line for a person; control characters, which may come from arguments or peers, are shown as {@code ?}. */
    public void error(String line) {
        err.println("hearth: " + line.replaceAll("\\p{Cntrl}+", "?"));
    }

    /** The stack trace, for those who asked for it. */
    public void trace(Exception failure) {
        if (!environment.getOrDefault("HEARTH_TRACE", "").isEmpty()) {
            failure.printStackTrace(err);
        }
    }

    /** Asks a person for a line that is not shown while it is typed; only if {@link #interactive}. */
    public String readHidden(String prompt) throws SetupException {
        char[] typed =
                console().map(console -> console.readPassword("%s", prompt)).orElse(new char[0]);
        if (typed.length == 0) {
            throw new SetupException("nothing was typed: the input ended; run the command again");
        }
        return new String(typed);
    }

    /** Only if both input and output are a terminal. */
    private static Optional<Console> console() {
        return Optional.ofNullable(System.console()).filter(Console::isTerminal);
    }
}
