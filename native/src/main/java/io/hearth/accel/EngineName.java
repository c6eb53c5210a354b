package io.hearth.accel;

import java.util.Locale;

/** The values of {@code --engine}. */
public enum EngineName {
    /** The fastest for each call, by a measurement on this machine. */
    AUTO,
    /** The fastest without the GPU: vector, or portable where the Vector API is absent. */
    CPU,
    /** Plain Java. */
    PORTABLE,
    /** The Vector API. */
    VECTOR,
    /** The GPU for all that it can do. */
    METAL;

    /**
     * Returns the engine of that name; case does not matter.
     *
     * @throws IllegalArgumentException no engine has that name
     */
    public static EngineName parse(String name) {
        String small = name.toLowerCase(Locale.ROOT);
        for (EngineName engine : values()) {
            if (engine.text().equals(small)) {
                return engine;
            }
        }
        throw new IllegalArgumentException(
                "there is no engine '" + name + "', only auto, cpu, portable, vector and metal");
    }

    /** The name as options write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
