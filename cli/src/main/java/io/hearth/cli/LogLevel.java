package io.hearth.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

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
