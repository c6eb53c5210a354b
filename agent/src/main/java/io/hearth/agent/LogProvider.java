package io.hearth.agent;

import java.util.ServiceLoader;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Reports in one line that slf4j has no provider. A library leaves the choice of a provider to the application; without one, slf4j prints
 * three lines of its own, which do not say what to add.
 */
final class LogProvider {
    /** How much slf4j prints about itself; slf4j reads it once, when it starts. */
    private static final String VERBOSITY = "slf4j.internal.verbosity";

    private LogProvider() {}

    /** Does nothing if the application has a provider, or set how much slf4j prints about itself. */
    static void reportIfMissing() {
        if (System.getProperty(VERBOSITY) != null || isPresent()) {
            return;
        }
        System.setProperty(VERBOSITY, "ERROR");
        try {
            LoggerFactory.getILoggerFactory();
        } finally {
            System.clearProperty(VERBOSITY);
        }
        System.err.println("hearth: slf4j found no provider, so nothing is logged: "
                + "add org.slf4j:slf4j-simple to see the log, or org.slf4j:slf4j-nop to hide this line");
    }

    private static boolean isPresent() {
        return System.getProperty("slf4j.provider") != null // a class that slf4j loads by its name
                || ServiceLoader.load(SLF4JServiceProvider.class, LoggerFactory.class.getClassLoader()).stream()
                        .findAny()
                        .isPresent();
    }
}
