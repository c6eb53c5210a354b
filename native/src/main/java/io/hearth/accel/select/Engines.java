package io.hearth.accel.select;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.EngineName;
import io.hearth.accel.Reducer;
import io.hearth.accel.gpu.MetalReducer;
import io.hearth.accel.gpu.ProvenMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLibraries;
import io.hearth.accel.metal.MetalStatus;
import io.hearth.accel.portable.PortableCodecKernels;
import io.hearth.accel.portable.PortableReducer;
import io.hearth.accel.vector.VectorCodecKernels;
import io.hearth.accel.vector.VectorReducer;
import io.hearth.core.SetupException;
import java.time.InstantSource;
import java.util.Optional;

/** Chooses the reduction engine of this process, once, and says why. */
public final class Engines {
    private static final String BY_NAME = "asked for by name";

    private Engines() {}

    /**
     * An engine and the reason for it. The caller logs it.
     *
     * @param engine makes one reducer per thread
     * @param why one clause, for instance {@code fastest here: the Vector API is present}
     * @param division the calls that are the GPU's; none unless the engine is METAL
     */
    public record Choice(Engine engine, String why, EngineChoice division) {
        private static Choice cpu(Engine engine, String why) {
            return new Choice(engine, why, EngineChoice.never(engine));
        }

        /** A reducer of the chosen engine, for one thread at a time. */
        public Reducer newReducer() {
            return engine == Engine.METAL ? reducerOn(ProvenMetal.here(), division) : Engines.newReducer(engine);
        }

        /** The codecs' loops of the chosen engine; threads may share them. */
        public CodecKernels codecKernels() {
            return engine == Engine.METAL ? newReducer().codecKernels() : Engines.codecKernels(engine);
        }
    }

    /** The GPU of this machine as far as a choice needs it. */
    interface Metal {
        /** The reason why a machine of this kind has no Metal at all; empty if it may have one. Cheap. */
        Optional<String> absence();

        /** Opens the GPU and compares its kernels with the portable engine, if that was not done before. */
        MetalStatus status();

        /** Measures the GPU, or returns what was measured before. */
        EngineChoice calibrated(Engine cpu);
    }

    /** The choice of {@code auto} after a new measurement of the GPU, without regard to older figures. */
    static Choice calibrated(CalibrationStore store) throws SetupException {
        Metal metal = here(store, true);
        Optional<String> absence = metal.absence();
        if (absence.isPresent()) {
            throw noGpu(absence.get());
        }
        MetalStatus status = metal.status();
        if (!status.usable()) {
            throw noGpu(status.why());
        }
        return fastest(metal, best());
    }

    private static SetupException noGpu(String why) {
        return new SetupException("there is no GPU to measure here: " + why + "; the CPU does all sums");
    }

    /** A reducer of that engine with its own scratch memory, for one thread at a time. */
    public static Reducer newReducer(Engine engine) {
        return switch (engine) {
            case PORTABLE -> new PortableReducer();
            case VECTOR -> new VectorReducer();
            case METAL -> forcedMetal(best().engine(), BY_NAME).newReducer();
        };
    }

    /** The codecs' loops of that engine; threads may share them. */
    public static CodecKernels codecKernels(Engine engine) {
        return switch (engine) {
            case PORTABLE -> new PortableCodecKernels();
            case VECTOR -> new VectorCodecKernels();
            case METAL -> forcedMetal(best().engine(), BY_NAME).codecKernels();
        };
    }

    /** The fastest engine of the CPU that works in this JVM. */
    public static Choice best() {
        return best(vectorPresent());
    }

    /**
     * The engine of that name. For {@code auto} on a machine with Metal the kernels are measured, which takes some seconds unless
     * {@code store} has the figures; elsewhere nothing is measured or stored.
     *
     * @param store where those figures are kept; borrowed
     * @throws SetupException the engine does not exist here; the message has the reason and the remedy
     */
    public static Choice chosen(EngineName name, CalibrationStore store) throws SetupException {
        return chosen(name, vectorPresent(), here(store, false));
    }

    /**
     * A reducer on a GPU that the caller opened, such as a stand-in: for tests and measurements, since a process opens its own GPU once.
     *
     * @param metal shared with others; its owner closes it after the last call
     * @param division which calls are the GPU's
     */
    public static Reducer reducerOn(MetalEngine metal, EngineChoice division) {
        return new MetalReducer(metal, newReducer(division.cpu()), division);
    }

    static Choice best(boolean vectorPresent) {
        return vectorPresent
                ? Choice.cpu(Engine.VECTOR, "fastest here: the Vector API is present")
                : Choice.cpu(Engine.PORTABLE, vectorAbsent() + " to have it");
    }

    static Choice chosen(EngineName name, boolean vectorPresent, Metal metal) throws SetupException {
        return switch (name) {
            case AUTO -> metal.absence().isPresent() ? best(vectorPresent) : fastest(metal, best(vectorPresent));
            case CPU -> best(vectorPresent);
            case PORTABLE -> Choice.cpu(Engine.PORTABLE, BY_NAME);
            case VECTOR -> {
                if (!vectorPresent) {
                    throw new SetupException(
                            "engine 'vector' does not exist here: " + vectorAbsent() + ", or choose 'auto'");
                }
                yield Choice.cpu(Engine.VECTOR, BY_NAME);
            }
            case METAL -> forced(metal, best(vectorPresent).engine());
        };
    }

    private static Choice fastest(Metal metal, Choice cpu) {
        MetalStatus status = metal.status();
        if (!status.usable()) {
            return Choice.cpu(cpu.engine(), cpu.why() + "; not Metal: " + status.why());
        }
        EngineChoice division = metal.calibrated(cpu.engine());
        return division.metalFrom().isEmpty()
                ? Choice.cpu(cpu.engine(), cpu.why() + "; " + status.device() + " is not faster at any size")
                : new Choice(
                        Engine.METAL,
                        status.device() + " where it was measured to be faster, '"
                                + cpu.engine().label() + "' elsewhere",
                        division);
    }

    private static Choice forced(Metal metal, Engine cpu) throws SetupException {
        Optional<String> absence = metal.absence();
        if (absence.isPresent()) {
            throw noMetal(absence.get());
        }
        MetalStatus status = metal.status();
        if (!status.usable()) {
            throw noMetal(status.why());
        }
        return forcedMetal(cpu, "asked for by name: " + status.device());
    }

    /** The GPU for every kernel that it has, from {@link EngineChoice#FORCED_BYTES_MIN} on. */
    static Choice forcedMetal(Engine cpu, String why) {
        return new Choice(Engine.METAL, why, EngineChoice.from(cpu, EngineChoice.FORCED_BYTES_MIN));
    }

    private static SetupException noMetal(String why) {
        return new SetupException("engine 'metal' does not exist here: " + why + "; choose 'auto'");
    }

    private static String vectorAbsent() {
        return "the Vector API is absent; start java with --add-modules " + VectorModule.NAME;
    }

    private static Metal here(CalibrationStore store, boolean again) {
        return new Metal() {
            @Override
            public Optional<String> absence() {
                return MetalLibraries.absence();
            }

            @Override
            public MetalStatus status() {
                return ProvenMetal.here().status();
            }

            @Override
            public EngineChoice calibrated(Engine cpu) {
                var calibrator = new Calibrator(
                        ProvenMetal.here(), cpu, Calibrator.SIZES, System::nanoTime, InstantSource.system());
                return again ? calibrator.again(store) : calibrator.choice(store);
            }
        };
    }

    static boolean vectorPresent() {
        return VectorModule.isPresent();
    }
}
