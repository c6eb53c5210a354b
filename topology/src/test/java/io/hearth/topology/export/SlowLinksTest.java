package io.hearth.topology.export;

import static io.hearth.topology.export.ExportTest.node;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.InterfaceClass;
import io.hearth.topology.NodeProfile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SlowLinksTest {
    private static final ClusterTopology PAIR =
            ClusterTopology.empty().with(node(1), profile("studio")).with(node(2), profile("laptop"));

    private SlowLinks links = SlowLinks.NONE;
    private final List<String> news = new ArrayList<>();

    private static NodeProfile profile(String label) {
        return new NodeProfile(label, "", "", 4, 0, "scalar", "0.1.0");
    }

    private static ClusterTopology at(long megabits) {
        return at(megabits, InterfaceClass.WIFI);
    }

    private static ClusterTopology at(long megabits, InterfaceClass kind) {
        return PAIR.with(ConnectionProfile.of(node(1), node(2), kind, 1_000, "10.0.0.2:1")
                .throughput(megabits * 1_000_000 / 8));
    }

    private List<String> look(ClusterTopology topology, long nowNanos) {
        SlowLinks before = links;
        links = links.with(topology, nowNanos);
        news.addAll(links.news(before, topology));
        return links.list(topology).stream().map(SlowLink::text).toList();
    }

    @Test
    void aLinkIsSlowFromHalfItsRateUntilThreeQuarters() {
        assertEquals(List.of(), look(at(900), 0));
        assertEquals(List.of(), look(at(940), 1));
        assertEquals(List.of(), look(at(471), 2));
        assertEquals(List.of("studio -> laptop: 940 -> 95.0 Mbit/s"), look(at(95), 3));
        assertEquals(List.of("studio -> laptop: 940 -> 704 Mbit/s"), look(at(704), 4));
        assertEquals(List.of(), look(at(705), 5));
        assertEquals(List.of(), look(at(471), 6));
        assertEquals(
                List.of(
                        "a link became slow: studio -> laptop: 940 -> 95.0 Mbit/s",
                        "a link recovered: studio -> laptop, 705 Mbit/s"),
                news);
    }

    @Test
    void afterHalfAnHourTheLowerRateIsTheUsualOne() {
        look(at(940), 0);
        look(at(95), 10);
        assertEquals(1, look(at(95), 9 + SlowLinks.USUAL_NANOS).size());
        assertEquals(0, look(at(95), 10 + SlowLinks.USUAL_NANOS).size());
        assertEquals(1, look(at(40), 11 + SlowLinks.USUAL_NANOS).size());
    }

    @Test
    void aBusyMachineHasNoSlowLinkToItself() {
        look(at(40_000, InterfaceClass.LOOPBACK), 0);
        assertEquals(List.of(), look(at(700, InterfaceClass.LOOPBACK), 1));
        assertEquals(List.of(), news);
    }

    @Test
    void aLinkThatIsGoneIsForgotten() {
        look(at(940), 0);
        look(at(95), 1);
        assertEquals(List.of(), look(PAIR, 2));
        assertEquals(List.of(), look(at(95), 3));
        assertEquals(1, news.size());
    }
}
