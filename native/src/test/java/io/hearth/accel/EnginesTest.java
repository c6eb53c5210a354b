package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.metal.MetalStatus;
import io.hearth.core.SetupException;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class EnginesTest {
    @Test
    void theBestHereIsVectorBecauseTheTestJvmHasTheModule() {
        Engines.Choice choice = Engines.best();
        assertEquals(Engine.VECTOR, choice.engine());
        assertTrue(choice.why().contains("Vector API is present"), choice.why());
    }

    @Test
    void withoutTheModuleThePortableOneIsChosenAndTheReasonNamesTheFlag() {
        Engines.Choice choice = Engines.best(false);
        assertEquals(Engine.PORTABLE, choice.engine());
        assertTrue(choice.why().contains("--add-modules jdk.incubator.vector"), choice.why());
    }

    @ParameterizedTest
    @CsvSource({"auto,VECTOR", "cpu,PORTABLE", "portable,PORTABLE", "vector,VECTOR", "Vector,VECTOR"})
    void aNameForcesAnEngine(String name, Engine expected) throws SetupException {
        assertEquals(expected, Engines.named(name).engine());
    }

    @ParameterizedTest
    @CsvSource({"vector,false,--add-modules", "cuda,true,unknown engine 'cuda'", "'',true,unknown engine ''"})
    void anEngineThatCannotRunIsRefusedWithTheRemedy(String name, boolean vectorPresent, String why) {
        String message = assertThrows(
                        SetupException.class, () -> Engines.named(name, vectorPresent, EnginesTest::noMetal))
                .toString();
        assertTrue(message.contains(why), message);
        assertTrue(message.contains("'auto'"), message);
    }

    @Test
    void metalIsTakenWhenItIsNamedAndWorks() throws SetupException {
        var works = new MetalStatus("Stand-in GPU", true, "opened", 0, 0, new TreeMap<>());
        Engines.Choice choice = Engines.named("metal", true, () -> works);
        assertEquals(Engine.METAL, choice.engine());
        assertTrue(choice.why().contains("Stand-in GPU"), choice.why());
    }

    @ParameterizedTest
    @CsvSource({"true,VECTOR", "false,PORTABLE"})
    void whereMetalDoesNotWorkTheBestOtherEngineIsTakenAndTheLineSaysWhatWhyAndWhatToDo(
            boolean vectorPresent, Engine expected) throws SetupException {
        Engines.Choice choice = Engines.named("Metal", vectorPresent, EnginesTest::noMetal);
        assertEquals(expected, choice.engine());
        for (String part : new String[] {"'metal'", "no Mac", expected.label(), "'auto'"}) {
            assertTrue(choice.why().contains(part), choice.why());
        }
    }

    @Test
    void metalIsNotEvenOpenedUnlessItIsNamed() throws SetupException {
        for (String name : new String[] {"auto", "cpu", "vector"}) {
            Engines.named(name, true, () -> {
                throw new AssertionError("opened for " + name);
            });
        }
    }

    private static MetalStatus noMetal() {
        return new MetalStatus("", false, "no Mac", 0, 0, new TreeMap<>());
    }

    @ParameterizedTest
    @EnumSource
    void everyThreadGetsAReducerOfItsOwn(Engine engine) {
        Reducer reducer = engine.newReducer();
        assertNotSame(reducer, engine.newReducer());
        assertEquals(engine.label(), reducer.name());
    }
}
