package io.hearth.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The log level on standard error, besides the output of the command itself. The default is {@code INFO} for the agent and {@code WARN} for all other commands. {@code HEARTH_LOG} sets another level.
 */
enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE;

    /** The environment variable. Its value is one of these names, in upper or lower case. */
    static final String VARIABLE = "HEARTH_LOG";

    private static final String PREFIX = "org.slf4j.simpleLogger.";

    /** Set by systemd if standard error goes to its journal, which writes the time of each line itself. */
    private static final String JOURNAL = "JOURNAL_STREAM";

    /** The level for a command line. An unknown name in the environment is ignored. */
    static LogLevel of(String[] arguments, Map<String, String> environment) {
        String wanted = environment.getOrDefault(VARIABLE, "").toUpperCase(Locale.ROOT);
        return Arrays.stream(values())
                .filter(level -> level.name().equals(wanted))
                .findFirst()
                .orElse(command(arguments).equals("agent") ? INFO : WARN);
    }

    /** The warning about an unknown name in the environment; empty if there is none. */
    static Optional<String> complaint(Map<String, String> environment) {
        String wanted = environment.getOrDefault(VARIABLE, "");
        List<String> names = Arrays.stream(values())
                .map(level -> level.name().toLowerCase(Locale.ROOT))
                .toList();
        return wanted.isEmpty() || names.contains(wanted.toLowerCase(Locale.ROOT))
                ? Optional.empty()
                : Optional.of(VARIABLE + "='" + wanted + "' is ignored: it must be "
                        + String.join(", ", names.subList(0, names.size() - 1)) + " or " + names.getLast());
    }

    private static String command(String[] arguments) {
        return Arrays.stream(arguments)
                .filter(argument -> !argument.startsWith("-"))
                .findFirst()
                .orElse("");
    }

    /** Sets the level of all loggers that are created after this call, and whether their lines begin with the time. */
    void set(Map<String, String> environment) {
        System.setProperty(PREFIX + "defaultLogLevel", name().toLowerCase(Locale.ROOT));
        if (environment.containsKey(JOURNAL)) {
            System.setProperty(PREFIX + "showDateTime", "false");
        }
    }
}
