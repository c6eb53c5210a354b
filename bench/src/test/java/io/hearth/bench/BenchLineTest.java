package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.transport.DataTransport;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BenchLineTest {
    @Test
    void anIterationLastsUntilItsSlowestRankIsDone() {
        var line = BenchLine.of(
                "loopback",
                DataTransport.TCP,
                List.of(
                        new RankTimes(0, 1_000_000, true, 0.003, "RingAllReduce", List.of(0.010, 0.020, 0.030)),
                        new RankTimes(1, 1_000_000, true, 0.006, "RingAllReduce", List.of(0.040, 0.010, 0.010))));
        assertEquals(0.030, line.medianSeconds());
        assertEquals(0.040, line.p95Seconds());
        assertEquals(3.0, line.cpuSecondsPerGb(), 1e-9);
        assertEquals(2.0 * 1 / 2 * 1e6 / 0.030 / 1e9, line.busBandwidthGbPerSecond(), 1e-12);
    }

    @Test
    void oneWrongSumMakesTheLineWrong() {
        var line = BenchLine.of(
                "loopback",
                DataTransport.TCP,
                List.of(
                        new RankTimes(0, 4, true, 0, "RingAllReduce", List.of(1.0)),
                        new RankTimes(1, 4, false, 0, "RingAllReduce", List.of(1.0))));
        assertFalse(line.ok());
    }

    @Test
    void aRanksLineIsReadAsItWasWritten() {
        var times = new RankTimes(3, 4096, true, 0.25, "RingAllReduce", List.of(0.5, 0.125));
        assertEquals(times, RankTimes.parse(times.toJson().toString()));
    }

    @Test
    void sizesAreReadWithUnitsAndIterations() {
        assertEquals(
                List.of(new SizeSpec(4096, 7), new SizeSpec(64 << 20, 3)), SizeSpec.parseList("4KiB:7, 67108864:3"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-4", "0", "5", "4:0", "4:-1", "x", "4,4", "99999999999999999999", "8GiB", "4:x"})
    void badSizesAreRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> SizeSpec.parseList(text));
    }
}
