package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.cli.terminal.Terminal;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Runs command lines in this process, with an environment and a home of their own. */
public record Commands(Map<String, String> environment) {
    /** The result of one command line. */
    public record Outcome(int code, String out, String err) {
        /** The one line on standard error of a failed command. */
        public String line() {
            assertEquals("", out);
            assertTrue(err.startsWith("hearth: ") && err.endsWith("\n") && err.indexOf('\n') == err.length() - 1, err);
            return err;
        }

        public JsonObject json() {
            assertEquals(0, code, err);
            assertEquals(1, out.lines().count(), out);
            return JsonParser.parseString(out).getAsJsonObject();
        }
    }

    /** Commands in a home that does not exist yet. */
    public static Commands in(Path home) {
        return new Commands(new HashMap<>(Map.of("HEARTH_HOME", home.toString())));
    }

    /** Commands in a home that knows {@code namespace}. */
    public static Commands in(Path home, NetworkNamespace namespace) throws Exception {
        NamespaceFile.in(HearthHome.open(home)).add(namespace);
        return in(home);
    }

    /** The same commands with one more environment variable. */
    public Commands with(String variable, String value) {
        var more = new HashMap<>(environment);
        more.put(variable, value);
        return new Commands(more);
    }

    public Path home() {
        return Path.of(environment.getOrDefault("HEARTH_HOME", ""));
    }

    public Outcome run(String... arguments) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var terminal = new Terminal(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                new ByteArrayInputStream(new byte[0]),
                environment,
                false);
        int code = Main.run(terminal, arguments);
        return new Outcome(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** As {@link #run}, for a line whose words are separated by single spaces. */
    public Outcome line(String words) {
        return run(words.split(" ", -1));
    }
}
