package io.hearth.accel;

/** The reduction engines that this build has. */
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
    },

    /**
     * The GPU of an Apple computer for all that it can do, the best other engine for all else, and for everything where Metal does
     * not work.
     */
    METAL("metal") {
        @Override
        public Reducer newReducer() {
            return Engines.forcedMetal(Engines.best().engine(), "asked for by name")
                    .newReducer();
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

    /** The codecs' loops of this engine; threads may share them. */
    public CodecKernels codecKernels() {
        return newReducer().codecKernels();
    }
}
