package io.hearth.identity;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import org.junit.jupiter.api.function.Executable;

/** Checks the message of a rejection for people: one line with the failure and the remedy. */
final class Refusals {
    private Refusals() {}

    /** Checks that {@code action} throws a SetupException whose message is one line with all {@code parts}; returns the line. */
    static String assertRefused(Executable action, String... parts) {
        String line = String.valueOf(assertThrows(SetupException.class, action).getMessage());
        for (String part : parts) {
            assertTrue(line.contains(part), () -> "'" + part + "' is not in: " + line);
        }
        assertFalse(line.contains("\n"), line);
        assertTrue(line.contains(": ") && line.contains("; "), () -> "no 'what: why; what to do' in: " + line);
        return line;
    }
}
