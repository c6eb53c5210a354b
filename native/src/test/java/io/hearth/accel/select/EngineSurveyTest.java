package io.hearth.accel.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.KernelKind;
import io.hearth.accel.metal.MetalFault;
import io.hearth.accel.metal.MetalStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class EngineSurveyTest {
    private static final MetalStatus GPU = new MetalStatus("Apple M9", true, "opened", 0, 0, new TreeMap<>());

    private static String letters(List<EngineSurvey.EngineState> places) {
        var text = new StringBuilder();
        places.forEach(place -> text.append(place.exists() ? 'e' : '-').append(place.chosen() ? 'c' : '-'));
        return text.toString();
    }

    @Test
    void withoutTheVectorApiPortableIsChosenAndVectorSaysWhyItIsNot() {
        EngineSurvey survey =
                EngineSurvey.of(Engines.best(false), OptionalInt.empty(), Optional.empty(), Optional.empty());
        assertEquals("ec----", letters(survey.engines()));
        assertTrue(survey.engines().get(0).why().contains("--add-modules"));
        assertEquals("the Vector API is absent", survey.engines().get(1).why());
    }

    @Test
    void aGpuThatWinsSomewhereIsChosenBesideTheCpu() {
        var division = new EngineChoice(Engine.VECTOR, Map.of(KernelKind.SUM_FLOAT32, 1L << 22));
        var choice = new Engines.Choice(Engine.METAL, "Apple M9 where it was measured to be faster", division);
        EngineSurvey survey = EngineSurvey.of(choice, OptionalInt.of(128), Optional.of(GPU), Optional.empty());
        assertEquals("e-ecec", letters(survey.engines()));
    }

    @Test
    void aGpuThatNeverWinsExistsAndIsNotChosen() {
        EngineSurvey survey =
                EngineSurvey.of(Engines.best(true), OptionalInt.of(128), Optional.of(GPU), Optional.empty());
        assertEquals("e-ece-", letters(survey.engines()));
        assertTrue(survey.engines().get(2).why().contains("not faster"));
    }

    @Test
    void failuresAreCountedAndAGpuThatFailedForGoodDoesNotExist() {
        var faults = new TreeMap<>(Map.of(MetalFault.WRONG_BITS, 1L));
        var failed = new MetalStatus("Apple M9", false, "FLOAT32 SUM at 3", 4, 1, faults);
        EngineSurvey survey =
                EngineSurvey.of(Engines.best(true), OptionalInt.of(128), Optional.of(failed), Optional.empty());
        assertEquals("e-ec--", letters(survey.engines()));
        assertEquals(faults, survey.failures());
        assertEquals("FLOAT32 SUM at 3", survey.engines().get(2).why());
    }
}
