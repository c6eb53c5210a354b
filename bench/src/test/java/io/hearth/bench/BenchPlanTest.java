package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.accel.EngineName;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.compression.CompressionStrategy;
import io.hearth.transport.DataTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class BenchPlanTest {
    private static BenchPlan plan(BenchPlace place, BenchCipher cipher, Optional<Path> trace) {
        return new BenchPlan(
                place,
                SizeSpec.parseList("4KiB:7,1MiB:3"),
                AllReduceStrategy.TREE,
                CompressionStrategy.parse("int8"),
                DataTransport.TCP,
                EngineName.VECTOR,
                cipher,
                Duration.ofMinutes(1),
                trace);
    }

    @Test
    void aRankIsToldAllThatTheProtocolOfThePeersHas() {
        var place = BenchPlace.lab(List.of("10.77.0.1", "10.77.0.2"));
        assertEquals(
                List.of(
                        ("bench rank --rank 1 --peers 10.77.0.1:17000,10.77.0.2:17001 --sizes 4096:7,1048576:3 --iface eth0"
                                        + " --algorithm tree --transport tcp --engine vector --compression int8:64 --cipher copy --trace /t/all.rank1")
                                .split(" ")),
                plan(place, BenchCipher.COPY, Optional.of(Path.of("/t/all"))).arguments(1));
    }

    @Test
    void onLoopbackEachRankHasAPortOfItsOwn() throws Exception {
        var place = BenchPlace.loopback(3, "lo");
        assertEquals(3, place.addresses().stream().distinct().count());
        assertEquals(List.of(), plan(place, BenchCipher.AEAD, Optional.empty()).traceParts());
    }

    @Test
    void groupsThatStartAtTheSameTimeGetDifferentPorts() throws Exception {
        var addresses = new ArrayList<String>();
        for (int group = 0; group < 100; group++) {
            addresses.addAll(BenchPlace.loopback(4, "lo").addresses());
        }
        assertEquals(400, addresses.stream().distinct().count());
    }

    @Test
    void aLonelyRankHasNothingToMeasure() {
        assertThrows(
                IllegalArgumentException.class,
                () -> plan(BenchPlace.lab(List.of("10.77.0.1")), BenchCipher.AEAD, Optional.empty()));
    }
}
