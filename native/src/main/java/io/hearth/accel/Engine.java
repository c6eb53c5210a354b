package io.hearth.accel;

/** The reduction engines that this build has. */
public enum Engine {
    /** Plain Java, everywhere. */
    PORTABLE("portable") {
        @Override
        public Reducer newReducer() {
            return new PortableReducer();
        }

        @Override
        public CodecKernels codecKernels() {
            return new PortableCodecKernels();
        }
    },

    /** The Vector API; only in a JVM started with {@code --add-modules jdk.incubator.vector}. */
    VECTOR("vector") {
        @Override
        public Reducer newReducer() {
            return new VectorReducer();
        }

        @Override
        public CodecKernels codecKernels() {
            return new VectorCodecKernels();
        }
    },

    /**
     * The GPU of an Apple computer for all that it can do, the best other engine for all else, and for everything where Metal does
     * not work.
     */
    METAL("metal") {
        @Override
        public Reducer newReducer() {
            return forced().newReducer();
        }

        @Override
        public CodecKernels codecKernels() {
            return forced().codecKernels();
        }

        private Engines.Choice forced() {
            return Engines.forcedMetal(Engines.best().engine(), "asked for by name");
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
    public abstract CodecKernels codecKernels();
}
