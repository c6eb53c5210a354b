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
     * The GPU of an Apple computer for long runs, the best other engine for all else, and for everything where Metal does not
     * work. Never chosen unasked.
     */
    METAL("metal") {
        @Override
        public Reducer newReducer() {
            return new MetalReducer(ProvenMetal.here(), Engines.best().newReducer());
        }

        @Override
        public CodecKernels codecKernels() {
            return Engines.best().codecKernels();
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
