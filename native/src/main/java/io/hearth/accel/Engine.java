package io.hearth.accel;

/** The reduction engines that this build has. */
public enum Engine {
    /** Plain Java, everywhere. */
    PORTABLE("portable"),

    /** The Vector API; only in a JVM started with {@code --add-modules jdk.incubator.vector}. */
    VECTOR("vector"),

    /**
     * The GPU of an Apple computer for all that it can do; the best other engine for the rest, and for everything where Metal does not
     * work.
     */
    METAL("metal");

    private final String label;

    Engine(String label) {
        this.label = label;
    }

    /** Name for options and logs, as {@link Reducer#name}. */
    public String label() {
        return label;
    }
}
