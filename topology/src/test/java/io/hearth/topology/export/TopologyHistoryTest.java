package io.hearth.topology.export;

import static io.hearth.topology.export.ExportTest.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.InterfaceClass;
import io.hearth.topology.NodeLoad;
import io.hearth.topology.NodeProfile;
import io.hearth.topology.PathProfile;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TopologyHistoryTest {
    private static final long GIGABIT = 117_500_000;
    private static final ClusterTopology PAIR =
            ClusterTopology.empty().with(node(1), profile("studio")).with(node(2), profile("macbook"));

    private static NodeProfile profile(String label) {
        return new NodeProfile(label, "", "", 4, 0, "scalar", "0.1.0");
    }

    private static ConnectionProfile link(InterfaceClass kind, long bytesPerSecond) {
        ConnectionProfile unmeasured = ConnectionProfile.of(node(1), node(2), kind, 1_000, "10.0.0.2:1");
        return bytesPerSecond == 0 ? unmeasured : unmeasured.throughput(bytesPerSecond);
    }

    private static List<String> changes(ClusterTopology... topologies) {
        TopologyHistory history = TopologyHistory.EMPTY;
        for (ClusterTopology each : topologies) {
            history = history.with(each, 0);
        }
        return history.entries().stream().map(TopologyHistory.Entry::change).toList();
    }

    @Test
    void nodesComeAndGo() {
        assertEquals(
                List.of("studio joined", "macbook joined", "studio left"),
                changes(ClusterTopology.empty(), PAIR.without(node(2)), PAIR, PAIR, PAIR.without(node(1))));
    }

    @Test
    void aLinkComesChangesAndGoes() {
        assertEquals(
                List.of(
                        "studio joined; macbook joined",
                        "studio -> macbook: new link, ETHERNET",
                        "studio -> macbook: 940 Mbit/s",
                        "studio -> macbook: 940 -> 95.0 Mbit/s",
                        "studio -> macbook: ETHERNET -> WIFI",
                        "studio -> macbook: rate not measured",
                        "studio -> macbook: link lost"),
                changes(
                        PAIR,
                        PAIR.with(link(InterfaceClass.ETHERNET, 0)),
                        PAIR.with(link(InterfaceClass.ETHERNET, GIGABIT)),
                        PAIR.with(link(InterfaceClass.ETHERNET, 11_875_000)),
                        PAIR.with(link(InterfaceClass.WIFI, 11_875_000)),
                        PAIR.with(link(InterfaceClass.WIFI, 0)),
                        PAIR));
    }

    @ParameterizedTest
    @CsvSource({"1000, 1200, false", "1000, 1201, true", "1000, 800, false", "1000, 799, true", "1000, 1000, false"})
    void aRateCountsFromMoreThanAFifth(long before, long after, boolean expected) {
        assertEquals(
                expected,
                TopologyDifference.between(
                                PAIR.with(link(InterfaceClass.WIFI, before)),
                                PAIR.with(link(InterfaceClass.WIFI, after)))
                        .isPresent());
    }

    @Test
    void aSlowDriftCountsToo() {
        TopologyHistory history = TopologyHistory.EMPTY.with(PAIR.with(link(InterfaceClass.WIFI, 1_000_000)), 0);
        int kept = 0;
        for (int rate = 999; rate >= 500; rate--) {
            history = history.with(PAIR.with(link(InterfaceClass.WIFI, rate * 1_000L)), rate);
            kept = history.entries().size();
        }
        assertEquals(4, kept, "1000, 799, 639 and 511 kB/s");
    }

    @Test
    void loadsAndRoundTripsDoNotCount() {
        ClusterTopology calm = PAIR.with(link(InterfaceClass.WIFI, 0));
        ClusterTopology busy = calm.with(node(1), profile("studio").loaded(new NodeLoad(90, Optional.empty())))
                .with(ConnectionProfile.of(node(1), node(2), InterfaceClass.WIFI, 900_000, "10.0.0.2:1"));
        TopologyHistory history = TopologyHistory.EMPTY.with(calm, 0);
        assertSame(history, history.with(busy, 1));
        assertEquals(
                Optional.of("den: new profile"), TopologyDifference.between(PAIR, PAIR.with(node(1), profile("den"))));
    }

    /** Which path is best may change with each measurement. */
    @Test
    void classesOfAllPathsCountTogether() {
        PathProfile cable = PathProfile.of("10.0.0.2:1", InterfaceClass.ETHERNET, "", 10, 0);
        PathProfile radio = PathProfile.of("10.0.1.2:1", InterfaceClass.WIFI, "", 20, 0);
        ClusterTopology both = PAIR.with(new ConnectionProfile(node(1), node(2), List.of(cable, radio)));
        ClusterTopology swapped =
                PAIR.with(new ConnectionProfile(node(1), node(2), List.of(cable, radio.refreshed(5, 0))));
        assertEquals(Optional.empty(), TopologyDifference.between(both, swapped));
        assertEquals(
                Optional.of("studio -> macbook: ETHERNET+WIFI -> WIFI"),
                TopologyDifference.between(both, PAIR.with(new ConnectionProfile(node(1), node(2), List.of(radio)))));
    }

    @Test
    void aLongLineIsCut() {
        ClusterTopology many = ClusterTopology.empty();
        for (int i = 0; i < 7; i++) {
            many = many.with(node(i), profile("node " + i));
        }
        assertEquals(List.of("node 0 joined; node 1 joined; node 2 joined; node 3 joined; and 3 more"), changes(many));
    }

    @Test
    void onlyTheNewestAreKept() {
        TopologyHistory history = TopologyHistory.EMPTY;
        for (int i = 0; i < 3 * TopologyHistory.ENTRIES_MAX; i++) {
            history = history.with(i % 2 == 0 ? PAIR : PAIR.without(node(1)), i);
        }
        assertEquals(
                IntStream.range(2 * TopologyHistory.ENTRIES_MAX, 3 * TopologyHistory.ENTRIES_MAX)
                        .mapToObj(i -> (long) i)
                        .toList(),
                history.entries().stream()
                        .map(TopologyHistory.Entry::epochMillis)
                        .toList());
        TopologyHistory full = history;
        assertThrows(
                IllegalArgumentException.class,
                () -> new TopologyHistory(java.util.stream.Stream.concat(
                                full.entries().stream(), full.entries().stream().limit(1))
                        .toList()));
    }
}
