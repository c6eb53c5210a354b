package io.hearth.accel;

import io.hearth.accel.metal.MetalStatus;
import io.hearth.core.SetupException;
import java.util.Locale;
import java.util.function.Supplier;

/** Chooses the reduction engine of this process, once, and says why. */
public final class Engines {
    private static final String VECTOR_MODULE = "jdk.incubator.vector";

    private Engines() {}

    /**
     * An engine and the reason for it, one clause for the log; nothing is logged here.
     *
     * @param engine makes one reducer per thread
     * @param why for instance {@code fastest here: the Vector API is present}
     */
    public record Choice(Engine engine, String why) {
        /** A reducer of the chosen engine, for one thread at a time. */
        public Reducer newReducer() {
            return engine.newReducer();
        }

        /** The codecs' loops of the chosen engine; threads may share them. */
        public CodecKernels codecKernels() {
            return engine.codecKernels();
        }
    }

    /** The fastest engine that works in this JVM. */
    public static Choice best() {
        return best(vectorPresent());
    }

    /**
     * The engine of that name.
     *
     * @param name {@code auto}, {@code portable} (or {@code cpu}), {@code vector}, {@code metal}; case does not matter. Where
     *     Metal does not work, {@code metal} gives the best other engine and says why
     * @throws SetupException if this JVM or this build cannot run it; says what to do
     */
    public static Choice named(String name) throws SetupException {
        return named(name, vectorPresent(), () -> ProvenMetal.here().status());
    }

    static Choice best(boolean vectorPresent) {
        return vectorPresent
                ? new Choice(Engine.VECTOR, "fastest here: the Vector API is present")
                : new Choice(
                        Engine.PORTABLE,
                        "the Vector API is absent; start java with --add-modules " + VECTOR_MODULE + " to have it");
    }

    static Choice named(String name, boolean vectorPresent, Supplier<MetalStatus> metal) throws SetupException {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "auto" -> best(vectorPresent);
            case "cpu", "portable" -> new Choice(Engine.PORTABLE, "asked for by name");
            case "vector" -> {
                if (!vectorPresent) {
                    throw new SetupException("engine 'vector' needs the Vector API: start java with --add-modules "
                            + VECTOR_MODULE + ", or choose 'auto'");
                }
                yield new Choice(Engine.VECTOR, "asked for by name");
            }
            case "metal" -> metal(metal.get(), best(vectorPresent).engine());
            default ->
                throw new SetupException(
                        "unknown engine '" + name + "': choose 'auto', 'metal', 'vector' or 'portable'");
        };
    }

    private static Choice metal(MetalStatus status, Engine other) {
        return status.usable()
                ? new Choice(Engine.METAL, "asked for by name: " + status.device())
                : new Choice(
                        other,
                        "engine 'metal' was asked for and does not work here (" + status.why() + "), so '"
                                + other.label() + "' does its work; choose 'auto' to have no such line");
    }

    private static boolean vectorPresent() {
        return ModuleLayer.boot().findModule(VECTOR_MODULE).isPresent();
    }
}
