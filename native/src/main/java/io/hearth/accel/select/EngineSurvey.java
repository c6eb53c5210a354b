package io.hearth.accel.select;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineName;
import io.hearth.accel.gpu.ProvenMetal;
import io.hearth.accel.metal.MetalFault;
import io.hearth.accel.metal.MetalLibraries;
import io.hearth.accel.metal.MetalStatus;
import io.hearth.accel.vector.VectorSpeciesSize;
import io.hearth.core.SetupException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The engines of this process, the one that {@code auto} takes, and the reasons against the others.
 *
 * @param choice the choice of {@code auto}
 * @param engines all engines of this build, the plainest first
 * @param vectorBits width of a vector; empty where the Vector API is absent
 * @param failures of Metal in this process, by kind; a kind that never occurred is absent
 * @param lastFailure time and reason of the last failure of the GPU since it was measured, in any process
 */
public record EngineSurvey(
        Engines.Choice choice,
        List<EngineState> engines,
        OptionalInt vectorBits,
        SortedMap<MetalFault, Long> failures,
        Optional<String> lastFailure) {
    /**
     * One engine.
     *
     * @param exists whether an option can force it here
     * @param chosen whether {@code auto} takes it, for some calls at least
     * @param why one clause: a description, or why it is not chosen
     */
    public record EngineState(Engine engine, boolean exists, boolean chosen, String why) {}

    /** Copies the collections. */
    public EngineSurvey {
        engines = List.copyOf(engines);
        failures = Collections.unmodifiableSortedMap(new TreeMap<>(failures));
    }

    /**
     * Surveys this machine; opens and measures the GPU if there is one.
     *
     * @param store as {@link Engines#chosen} takes it
     */
    public static EngineSurvey here(CalibrationStore store) throws SetupException {
        return of(Engines.chosen(EngineName.AUTO, store), store);
    }

    /**
     * The same after a new measurement of the GPU, without regard to older figures.
     *
     * @throws SetupException this machine has no GPU; the message has the reason
     */
    public static EngineSurvey calibrated(CalibrationStore store) throws SetupException {
        return of(Engines.calibrated(store), store);
    }

    private static EngineSurvey of(Engines.Choice choice, CalibrationStore store) {
        Optional<MetalStatus> metal = MetalLibraries.absence().isPresent()
                ? Optional.empty()
                : Optional.of(ProvenMetal.here().status());
        boolean vector = Engines.vectorPresent();
        Optional<String> lastFailure =
                metal.isPresent() ? Calibrator.read(store).flatMap(Calibration::failure) : Optional.empty();
        return of(choice, vector ? OptionalInt.of(VectorSpeciesSize.bits()) : OptionalInt.empty(), metal, lastFailure);
    }

    static EngineSurvey of(
            Engines.Choice choice, OptionalInt vectorBits, Optional<MetalStatus> metal, Optional<String> lastFailure) {
        var engines = new ArrayList<EngineState>();
        Engine cpu = choice.division().cpu();
        engines.add(new EngineState(
                Engine.PORTABLE,
                true,
                cpu == Engine.PORTABLE,
                cpu == Engine.PORTABLE ? choice.why() : "the Vector API is faster"));
        engines.add(new EngineState(
                Engine.VECTOR,
                vectorBits.isPresent(),
                cpu == Engine.VECTOR,
                cpu == Engine.VECTOR ? choice.why() : "the Vector API is absent"));
        boolean usable = metal.map(MetalStatus::usable).orElse(false);
        engines.add(new EngineState(Engine.METAL, usable, choice.engine() == Engine.METAL, metalWhy(choice, metal)));
        return new EngineSurvey(
                choice, engines, vectorBits, metal.map(MetalStatus::faults).orElseGet(TreeMap::new), lastFailure);
    }

    private static String metalWhy(Engines.Choice choice, Optional<MetalStatus> metal) {
        if (metal.isEmpty()) {
            return MetalLibraries.absence().orElse("not looked for");
        }
        MetalStatus status = metal.get();
        if (!status.usable()) {
            return status.why();
        }
        return choice.engine() == Engine.METAL
                ? status.device() + ", where it was measured to be faster"
                : status.device() + " is not faster at any size";
    }
}
