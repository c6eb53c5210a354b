package io.hearth.parameterserver.optimize;

/** Checks numbers of a configuration. */
final class Ranges {
    private Ranges() {}

    static void check(String name, double value, double min, double max) {
        if (!(value >= min && value <= max)) {
            throw new IllegalArgumentException(name + " is a number from " + min + " to " + max + ", got " + value
                    + ": correct the configuration");
        }
    }
}
