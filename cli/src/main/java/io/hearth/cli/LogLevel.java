package io.hearth.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * How much the parts of a node tell on standard error beside what the command itself says: the always-on agent tells what happens
 * to it, all other commands only what went wrong. {@code HEARTH_LOG} names another level.
 */
enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE;

    /** In the environment: one of these names, in any case. */
    static final String VARIABLE = "HEARTH_LOG";

    private static final String PROPERTY = "org.slf4j.simpleLogger.defaultLogLevel";

    /** The level for a command line; a name in the environment that is none of these counts as not given. */
    static LogLevel of(String[] arguments, Map<String, String> environment) {
        String wanted = environment.getOrDefault(VARIABLE, "").toUpperCase(Locale.ROOT);
        return Arrays.stream(values())
                .filter(level -> level.name().equals(wanted))
                .findFirst()
                .orElse(command(arguments).equals("agent") ? INFO : WARN);
    }

    /** What to tell about a name in the environment that is no level; empty if there is nothing to tell. */
    static Optional<String> complaint(Map<String, String> environment) {
        String wanted = environment.getOrDefault(VARIABLE, "");
        List<String> names = Arrays.stream(values())
                .map(level -> level.name().toLowerCase(Locale.ROOT))
                .toList();
        return wanted.isEmpty() || names.contains(wanted.toLowerCase(Locale.ROOT))
                ? Optional.empty()
                : Optional.of(VARIABLE + "='" + wanted + "' is ignored, it is no level: use "
                        + String.join(", ", names.subList(0, names.size() - 1)) + " or " + names.getLast());
    }

    private static String command(String[] arguments) {
        return Arrays.stream(arguments)
                .filter(argument -> !argument.startsWith("-"))
                .findFirst()
                .orElse("");
    }

    /** Takes effect if no logger exists yet. */
    void set() {
        System.setProperty(PROPERTY, name().toLowerCase(Locale.ROOT));
    }
}
