package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.EngineChoice.Sample;
import io.hearth.core.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EngineChoiceTest {
    private static final KernelKind KIND = KernelKind.SUM_FLOAT32;
    private static final List<KernelKind> KINDS = List.of(KIND, KernelKind.ADD_INT8, KernelKind.SELECT_FLOAT32);

    /** One letter for each size from 1 KiB on, doubled each time: M where Metal wins, c where it does not. */
    private static List<Sample> samples(String letters) {
        var samples = new ArrayList<Sample>();
        for (int i = 0; i < letters.length(); i++) {
            samples.add(new Sample(KIND, 1024L << i, 1000, letters.charAt(i) == 'M' ? 800 : 801));
        }
        return samples;
    }

    @ParameterizedTest
    @CsvSource({
        "ccccc, -1",
        "ccccM, 16384",
        "cccMM, 8192",
        "MMMMM, 1024",
        "cMcMM, 8192",
        "MMMMc, -1",
        "McMcM, 16384",
        "'', -1",
    })
    void theGpuBeginsBehindTheLargestSizeAtWhichItDoesNotWin(String letters, long from) {
        EngineChoice choice = EngineChoice.of(Engine.VECTOR, samples(letters), Map.of());
        assertEquals(from < 0 ? Long.MAX_VALUE : from, choice.metalFrom(KIND));
        assertEquals(Long.MAX_VALUE, choice.metalFrom(KernelKind.ADD_INT8), "it was not measured");
    }

    @Test
    void belowAndFromTheCrossoverOn() {
        EngineChoice choice = EngineChoice.of(Engine.PORTABLE, samples("ccM"), Map.of());
        assertEquals(Engine.PORTABLE, choice.engine(KIND, 4095));
        assertEquals(Engine.METAL, choice.engine(KIND, 4096));
        assertEquals(Engine.METAL, choice.engine(KIND, Long.MAX_VALUE - 1));
    }

    /** A size that was measured twice is the GPU's only if it won twice. */
    @Test
    void aWinByChanceIsNone() {
        var samples = samples("cMM");
        samples.add(new Sample(KIND, 2048, 1000, 801));
        assertEquals(4096, EngineChoice.of(Engine.VECTOR, samples, Map.of()).metalFrom(KIND));
    }

    /** c where both are about as fast, C where the CPU wins by the gain that the GPU needs elsewhere. */
    @ParameterizedTest
    @CsvSource({
        "cccc, 1000, 2048",
        "CCCC, 1000, -1",
        "CCcM, 1250, 4096",
        "MMMM, 1250, 1024",
        "cccc, 1250, 2048",
        "cccC, 1250, -1",
    })
    void whereTheGpuWasTakenItStaysUntilTheCpuWins(String letters, long metalNanos, long from) {
        var samples = new ArrayList<Sample>();
        for (int i = 0; i < letters.length(); i++) {
            long nanos = switch (letters.charAt(i)) {
                case 'M' -> 800;
                case 'C' -> 1250;
                default -> metalNanos - 1;
            };
            samples.add(new Sample(KIND, 1024L << i, 1000, nanos));
        }
        EngineChoice choice = EngineChoice.of(Engine.VECTOR, samples, Map.of(KIND, 2048L));
        assertEquals(from < 0 ? Long.MAX_VALUE : from, choice.metalFrom(KIND));
    }

    @Test
    void neverWhereItLost() {
        for (long seed = 0; seed < 200; seed++) {
            var random = new SplittableRandom(seed);
            var samples = new ArrayList<Sample>();
            for (int i = random.nextInt(40); i > 0; i--) {
                KernelKind kind = KINDS.get(random.nextInt(KINDS.size()));
                samples.add(new Sample(kind, 1L << random.nextInt(20), 1 + random.nextInt(9), 1 + random.nextInt(9)));
            }
            EngineChoice choice = EngineChoice.of(Engine.VECTOR, samples, Map.of());
            for (Sample sample : samples) {
                boolean wins = sample.metalNanos() <= EngineChoice.GAIN * sample.cpuNanos();
                assertTrue(
                        wins || choice.engine(sample.kind(), sample.bytes()) == Engine.VECTOR,
                        "seed " + seed + " " + sample);
            }
            choice.metalFrom()
                    .forEach((kind, from) -> assertTrue(
                            samples.stream().anyMatch(sample -> sample.kind() == kind && sample.bytes() == from),
                            "only from a size that was measured"));
        }
    }

    @Test
    void whatIsForcedIsForcedForAllKernels() {
        for (KernelKind kind : KernelKind.values()) {
            assertEquals(Engine.METAL, EngineChoice.from(Engine.VECTOR, 7).engine(kind, 7));
            assertEquals(Engine.VECTOR, EngineChoice.from(Engine.VECTOR, 7).engine(kind, 6));
            assertEquals(Engine.VECTOR, EngineChoice.never(Engine.VECTOR).engine(kind, Long.MAX_VALUE - 1));
        }
    }

    @Test
    void metalIsNoCpuAndFiguresArePositive() {
        assertThrows(IllegalArgumentException.class, () -> EngineChoice.never(Engine.METAL));
        assertThrows(IllegalArgumentException.class, () -> new Sample(KIND, 0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Sample(KIND, 1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new Sample(KIND, 1, 1, 0));
    }

    @Test
    void everyKindIsFoundByItsNameAndTypesThatOnlyTheCpuDoesHaveNone() {
        for (KernelKind kind : KernelKind.values()) {
            assertEquals(Optional.of(kind), KernelKind.named(kind.text()));
        }
        assertEquals(Optional.of(KernelKind.SUM_BFLOAT16), KernelKind.combining(DataType.BFLOAT16));
        assertEquals(Optional.empty(), KernelKind.combining(DataType.FLOAT64));
    }
}
