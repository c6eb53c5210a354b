package io.hearth.cli.terminal;

import com.google.gson.JsonObject;
import io.hearth.core.ChildProcess;
import io.hearth.core.SetupException;
import java.io.Console;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Standard streams and environment of a command.
 *
 * @param out for data only, because a program may read it
 * @param err for messages to the user
 * @param in standard input
 * @param environment as {@link System#getenv()}
 * @param interactive whether standard input and output are both a terminal
 * @param isOwn whether the streams are those of this process, which the command may replace by another program
 */
public record Terminal(
        PrintStream out,
        PrintStream err,
        InputStream in,
        Map<String, String> environment,
        boolean interactive,
        boolean isOwn) {
    /** Streams of somebody else's process. */
    public Terminal(
            PrintStream out, PrintStream err, InputStream in, Map<String, String> environment, boolean interactive) {
        this(out, err, in, environment, interactive, false);
    }

    /** The terminal of this process. It writes UTF-8 in every locale, so that JSON is always valid. */
    public static Terminal system() {
        return new Terminal(
                new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                System.in,
                System.getenv(),
                console().isPresent(),
                true);
    }

    public PrintWriter outWriter() {
        return new PrintWriter(out, true, StandardCharsets.UTF_8);
    }

    public PrintWriter errWriter() {
        return new PrintWriter(err, true, StandardCharsets.UTF_8);
    }

    /** Prints one line of JSON. */
    public void print(JsonObject data) {
        out.println(data);
    }

    /** Prints one message to the user. Control characters, which may come from arguments or peers, become {@code ?}. */
    public void error(String line) {
        err.println("hearth: " + line.replaceAll("\\p{Cntrl}+", "?"));
    }

    /** Prints the stack trace if {@code HEARTH_TRACE} is set. */
    public void trace(Exception failure) {
        if (!environment.getOrDefault("HEARTH_TRACE", "").isEmpty()) {
            failure.printStackTrace(err);
        }
    }

    /** The width of the terminal; empty if the streams are not a terminal of this process, or the system does not say. */
    public OptionalInt columns() {
        return size(1);
    }

    /** The height of the terminal; empty as for {@link #columns}. */
    public OptionalInt rows() {
        return size(0);
    }

    private OptionalInt size(int place) {
        if (!isOwn || !interactive) {
            return OptionalInt.empty();
        }
        try {
            Process stty = ChildProcess.of("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String size = new String(stty.getInputStream().readNBytes(100), StandardCharsets.US_ASCII).strip();
            return size.matches("[1-9][0-9]{0,3} [1-9][0-9]{0,3}")
                    ? OptionalInt.of(Integer.parseInt(size.split(" ", 2)[place]))
                    : OptionalInt.empty();
        } catch (IOException unknown) {
            return OptionalInt.empty();
        }
    }

    /** Asks the user for a line without echo. The terminal must be {@link #interactive}. */
    public String readHidden(String prompt) throws SetupException {
        char[] typed =
                console().map(console -> console.readPassword("%s", prompt)).orElse(new char[0]);
        if (typed.length == 0) {
            throw new SetupException("the input is empty; run the command again");
        }
        return new String(typed);
    }

    /** The console, if input and output are both a terminal. */
    private static Optional<Console> console() {
        return Optional.ofNullable(System.console()).filter(Console::isTerminal);
    }
}
