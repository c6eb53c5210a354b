package io.hearth.accel;

/** The reduction engines that this build has. A Metal engine will be one more constant here. */
public enum Engine {
    /** Plain Java, everywhere. */
    PORTABLE("portable") {
        @Override
        public Reducer newReducer() {
            return new PortableReducer();
        }
    },

    /** The Vector API; only in a JVM started with {@code --add-modules jdk.incubator.vector}. */
    VECTOR("vector") {
        @Override
        public Reducer newReducer() {
            return new VectorReducer();
        }
    };

    private final String label;

    Engine(String label) {
        this.label = label;
    }

    /** Name for options and logs, as {@link Reducer#name}. */
    public String label() {
        return label;
    }

    /** A reducer with scratch memory of its own, for one thread at a time. */
    public abstract Reducer newReducer();
}
