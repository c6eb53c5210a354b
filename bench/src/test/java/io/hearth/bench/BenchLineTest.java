package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.accel.EngineName;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.compression.CompressionStrategy;
import io.hearth.transport.DataTransport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BenchLineTest {
    private static RankTimes rank(int rank, long bytes, boolean ok, double cpu, String way, Double... seconds) {
        return new RankTimes(
                rank,
                bytes,
                ok,
                cpu,
                "RingAllReduce",
                rank == 0 ? Optional.of(new Chosen("int8:64", 3.25)) : Optional.empty(),
                new TreeMap<>(Map.of(1 - rank, way)),
                new RankMemory((2L - rank) << 20, (rank + 3L) << 20),
                List.of(0.5, 0.25 + rank, 0.125, 4.0 - rank),
                List.of(seconds));
    }

    private static BenchLine line(RankTimes... ranks) {
        return BenchLine.of(plan(CompressionStrategy.NONE), List.of(ranks));
    }

    private static BenchPlan plan(CompressionStrategy compression) {
        var place = new BenchPlace("loopback", List.of("127.0.0.1:1", "127.0.0.1:2"), "lo");
        return new BenchPlan(
                place,
                List.of(),
                AllReduceStrategy.AUTO,
                compression,
                DataTransport.AUTO,
                EngineName.CPU,
                BenchCipher.AEAD,
                Duration.ofMinutes(1),
                Optional.empty());
    }

    @Test
    void anIterationLastsUntilItsSlowestRankIsDone() {
        var line = line(
                rank(1, 1_000_000, true, 0.006, "tcp", 0.040, 0.010, 0.010),
                rank(0, 1_000_000, true, 0.003, "tcp", 0.010, 0.020, 0.030));
        assertEquals(0.030, line.medianSeconds());
        assertEquals(0.040, line.p95Seconds());
        assertEquals(3.0, line.cpuSecondsPerGb(), 1e-9);
        assertEquals(2.0 * 1 / 2 * 1e6 / 0.030 / 1e9, line.busBandwidthGbPerSecond(), 1e-12);
    }

    @Test
    void whatComesBeforeTheWarmUpIsToldApart() {
        var line = line(rank(0, 4, true, 0, "tcp", 0.1), rank(1, 4, true, 0, "tcp", 0.1));
        assertEquals(0.5, line.firstSeconds());
        assertEquals(1.25, line.coldSeconds(), "the median of 1.25, 0.125 and 4");
        assertEquals(500, line.toJson().get("first_ms").getAsDouble());
        assertEquals(1250, line.toJson().get("cold_ms").getAsDouble());
        assertEquals(100, line.toJson().get("median_ms").getAsDouble());
    }

    @Test
    void oneWrongSumMakesTheLineWrong() {
        assertFalse(line(rank(0, 4, true, 0, "tcp", 1.0), rank(1, 4, false, 0, "tcp", 1.0))
                .ok());
    }

    @Test
    void memoryIsToldByRankAndItsWorstForPeople() {
        var line = line(rank(1, 4, true, 0, "tcp", 1.0), rank(0, 4, true, 0, "tcp", 1.0));
        assertEquals(2, line.extraMebibytes());
        assertEquals("[2.0,1.0]", line.toJson().get("extra_MiB").toString());
        assertEquals("[3.0,4.0]", line.toJson().get("heap_MiB").toString());
    }

    @Test
    void theTransportIsTheOneThatWasUsed() {
        var line = line(rank(0, 4, true, 0, "shm", 1.0), rank(1, 4, true, 0, "shm", 1.0));
        assertEquals("shm", line.toJson().get("transport").getAsString());
        assertEquals("auto", line.toJson().get("transport_asked").getAsString());
        assertEquals("cpu", line.toJson().get("engine_asked").getAsString());
        assertEquals("{\"0-1\":\"shm\"}", line.toJson().get("pairs").toString());
    }

    @Test
    void pairsThatAreNotAlikeAreMixed() {
        var ways = new PairWays(new TreeMap<>(Map.of("0-1", "shm", "0-2", "tcp")));
        assertEquals("mixed", ways.word());
        assertEquals("mixed", PairWays.word(List.of(DataTransport.SHM, DataTransport.TCP)));
        assertEquals("tcp", PairWays.word(List.of(DataTransport.TCP)));
        assertEquals("none", PairWays.word(List.of()));
    }

    @Test
    void aRanksLineIsReadAsItWasWritten() {
        for (int rank = 0; rank < 2; rank++) {
            var times = rank(rank, 4096, true, 0.25, "shm", 0.5, 0.125);
            assertEquals(times, RankTimes.parse(times.toJson().toString()));
        }
    }

    @Test
    void whatAutoChoseIsToldWithItsGain() {
        List<RankTimes> ranks = List.of(rank(0, 4, true, 0, "tcp", 1.0), rank(1, 4, true, 0, "tcp", 1.0));
        BenchLine line = BenchLine.of(plan(CompressionStrategy.parse("auto:int8")), ranks);
        assertEquals("auto:int8", line.toJson().get("compression").getAsString());
        assertEquals("int8:64", line.toJson().get("chosen").getAsString());
        assertEquals(3.25, line.toJson().get("predicted_gain").getAsDouble());
        assertEquals("RingAllReduce as int8:64", line.way());
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
