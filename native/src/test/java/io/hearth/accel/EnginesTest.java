package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
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
    @CsvSource({
        "metal,true,not in this build",
        "vector,false,--add-modules",
        "cuda,true,unknown engine 'cuda'",
        "'',true,unknown engine ''"
    })
    void anEngineThatCannotRunIsRefusedWithTheRemedy(String name, boolean vectorPresent, String why) {
        String message = assertThrows(SetupException.class, () -> Engines.named(name, vectorPresent))
                .toString();
        assertTrue(message.contains(why), message);
        assertTrue(message.contains("'auto'"), message);
    }

    @ParameterizedTest
    @EnumSource
    void everyThreadGetsAReducerOfItsOwn(Engine engine) {
        Reducer reducer = engine.newReducer();
        assertNotSame(reducer, engine.newReducer());
        assertEquals(engine.label(), reducer.name());
    }
}
