package io.hearth.accel.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.EngineName;
import io.hearth.accel.KernelKind;
import io.hearth.accel.Reducer;
import io.hearth.accel.metal.MetalStatus;
import io.hearth.core.SetupException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EnginesTest {
    /** A machine that a test defines. */
    private record Machine(boolean possible, boolean usable, Map<KernelKind, Long> metalFrom) implements Engines.Metal {
        static final Machine LINUX = new Machine(false, false, Map.of());

        @Override
        public Optional<String> absence() {
            return possible ? Optional.empty() : Optional.of("no Mac");
        }

        @Override
        public MetalStatus status() {
            if (!possible) {
                throw new AssertionError("opened where there is none");
            }
            return usable
                    ? new MetalStatus("Stand-in GPU", true, "opened", 0, 0, new TreeMap<>())
                    : new MetalStatus("", false, "no GPU", 0, 0, new TreeMap<>());
        }

        @Override
        public EngineChoice calibrated(Engine cpu) {
            if (!possible) {
                throw new AssertionError("measured without a GPU");
            }
            return new EngineChoice(cpu, metalFrom);
        }
    }

    /** Fails on any use. */
    private static final Engines.Metal UNTOUCHED = new Engines.Metal() {
        @Override
        public Optional<String> absence() {
            throw new AssertionError("looked for");
        }

        @Override
        public MetalStatus status() {
            throw new AssertionError("opened");
        }

        @Override
        public EngineChoice calibrated(Engine cpu) {
            throw new AssertionError("measured");
        }
    };

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
    @EnumSource
    void everyNameIsReadAsItIsWritten(EngineName name) {
        assertEquals(name, EngineName.parse(name.text()));
        assertEquals(name, EngineName.parse(name.name()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cuda", "", "metal "})
    void anUnknownNameIsRefusedWithThoseThatThereAre(String name) {
        String message = assertThrows(IllegalArgumentException.class, () -> EngineName.parse(name))
                .toString();
        assertTrue(message.contains("'" + name + "'"), message);
        assertTrue(message.contains("auto, cpu, portable, vector and metal"), message);
    }

    @ParameterizedTest
    @CsvSource({
        "CPU,true,VECTOR",
        "CPU,false,PORTABLE",
        "PORTABLE,true,PORTABLE",
        "PORTABLE,false,PORTABLE",
        "VECTOR,true,VECTOR"
    })
    void aNameForcesAnEngineAndTheGpuIsLeftAlone(EngineName name, boolean vectorPresent, Engine expected)
            throws SetupException {
        Engines.Choice choice = Engines.chosen(name, vectorPresent, UNTOUCHED);
        assertEquals(expected, choice.engine());
        assertEquals(EngineChoice.never(expected), choice.division());
    }

    @ParameterizedTest
    @CsvSource({"VECTOR,--add-modules", "METAL,no Mac"})
    void anEngineThatDoesNotExistHereIsRefusedInOneLine(EngineName name, String why) {
        String message =
                String.valueOf(assertThrows(SetupException.class, () -> Engines.chosen(name, false, Machine.LINUX))
                        .getMessage());
        for (String part : new String[] {"'" + name.text() + "'", "does not exist here", why, "'auto'"}) {
            assertTrue(message.contains(part), message);
        }
        assertEquals(1, message.lines().count());
    }

    @Test
    void metalThatDoesNotOpenIsRefusedWithItsReason() {
        String message = assertThrows(
                        SetupException.class,
                        () -> Engines.chosen(EngineName.METAL, true, new Machine(true, false, Map.of())))
                .toString();
        assertTrue(message.contains("no GPU"), message);
    }

    @Test
    void metalByNameDoesAllThatItCan() throws SetupException {
        Engines.Choice choice = Engines.chosen(EngineName.METAL, true, new Machine(true, true, Map.of()));
        assertEquals(Engine.METAL, choice.engine());
        assertEquals(EngineChoice.from(Engine.VECTOR, EngineChoice.FORCED_BYTES_MIN), choice.division());
        assertTrue(choice.why().contains("Stand-in GPU"), choice.why());
    }

    @Test
    void withoutAMacAutoMeasuresNothing() throws SetupException {
        assertEquals(Engines.best(true), Engines.chosen(EngineName.AUTO, true, Machine.LINUX));
        assertEquals(Engines.best(false), Engines.chosen(EngineName.AUTO, false, Machine.LINUX));
    }

    @Test
    void autoDividesTheWorkAsItWasMeasured() throws SetupException {
        var from = Map.of(KernelKind.SUM_FLOAT32, 1L << 20);
        Engines.Choice choice = Engines.chosen(EngineName.AUTO, true, new Machine(true, true, from));
        assertEquals(Engine.METAL, choice.engine());
        assertEquals(new EngineChoice(Engine.VECTOR, from), choice.division());
    }

    @ParameterizedTest
    @CsvSource({"true,Stand-in GPU is not faster", "false,no GPU"})
    void autoSaysWhyItLeavesAGpuAlone(boolean usable, String why) throws SetupException {
        Engines.Choice choice = Engines.chosen(EngineName.AUTO, true, new Machine(true, usable, Map.of()));
        assertEquals(Engine.VECTOR, choice.engine());
        assertTrue(choice.why().contains(why), choice.why());
    }

    @ParameterizedTest
    @EnumSource
    void everyThreadGetsAReducerOfItsOwn(Engine engine) {
        Reducer reducer = Engines.newReducer(engine);
        assertNotSame(reducer, Engines.newReducer(engine));
        assertEquals(engine.label(), reducer.name());
    }
}
