package io.hearth.topology;

import static io.hearth.topology.Nodes.PROFILE;
import static io.hearth.topology.Nodes.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.NodeId;
import io.hearth.topology.plan.LinkMatrix;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class ClusterTopologyTest {
    private static final long MILLI = 1_000_000;

    @Test
    void aRemovedNodeTakesItsLinksAlongAndComesBackWithout() {
        ClusterTopology three = mesh(3);
        assertEquals(6, three.links().size());
        ClusterTopology two = three.without(node(2));
        assertEquals(2, two.nodes().size());
        assertEquals(2, two.links().size());
        assertEquals(2, two.graph().edgeSet().size());
        ClusterTopology again = two.with(node(2), PROFILE);
        assertEquals(3, again.nodes().size());
        assertEquals(2, again.links().size());
        assertTrue(again.link(node(2), node(1)).isEmpty());
        assertEquals(6, three.links().size(), "a value changed");
    }

    @Test
    void aNewMeasurementReplacesTheFormer() {
        ClusterTopology two = mesh(2).with(link(0, 1, 7 * MILLI)).with(link(0, 1, 9 * MILLI));
        assertEquals(2, two.links().size());
        assertEquals(9 * MILLI, two.link(node(0), node(1)).orElseThrow().roundTripNanos());
        assertEquals(
                9.0 * MILLI,
                two.graph().getEdgeWeight(two.link(node(0), node(1)).orElseThrow()));
        assertEquals(MILLI, two.link(node(1), node(0)).orElseThrow().roundTripNanos(), "the other direction changed");
        assertEquals(two.link(node(0), node(1)), two.slowestLink());
    }

    @Test
    void aNewProfileKeepsTheLinks() {
        var other = new NodeProfile("cellar", "macOS 26", "aarch64", 12, 0, "metal", "0.1.0");
        ClusterTopology two = mesh(2).with(node(1), other);
        assertEquals(2, two.links().size());
        assertEquals(other, two.profile(node(1)).orElseThrow());
    }

    @Test
    void aLinkNeedsBothItsEnds() {
        assertThrows(IllegalArgumentException.class, () -> mesh(2).with(link(0, 5, 1)));
        assertThrows(
                IllegalArgumentException.class, () -> ClusterTopology.of(List.of(node(0)), List.of(link(0, 5, 1))));
        assertThrows(IllegalArgumentException.class, () -> link(1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> link(0, 1, 0));
    }

    @Test
    void theGraphCannotBeChangedFromOutside() {
        assertThrows(UnsupportedOperationException.class, () -> mesh(2).graph().addVertex(node(9)));
    }

    @Test
    void valuesAreEqualWhateverTheOrderOfTheirMaking() {
        ClusterTopology one = mesh(3);
        ClusterTopology other = ClusterTopology.empty()
                .with(node(2), PROFILE)
                .with(node(0), PROFILE)
                .with(node(1), PROFILE);
        for (ConnectionProfile link : one.links().reversed()) {
            other = other.with(link);
        }
        assertEquals(one, other);
        assertEquals(one.hashCode(), other.hashCode());
        assertEquals(one.links(), other.links());
        assertNotEquals(one, other.without(node(0), node(1)));
    }

    /** Compares any sequence of changes with plain maps. */
    @Test
    void countsStayRightWhateverComesAndGoes() {
        for (long seed = 0; seed < 50; seed++) {
            var random = new SplittableRandom(seed);
            ClusterTopology topology = ClusterTopology.empty();
            var nodes = new TreeSet<NodeId>();
            var links = new TreeMap<String, ConnectionProfile>();
            for (int i = 0; i < 200; i++) {
                ClusterTopology former = topology;
                List<ConnectionProfile> before = former.links();
                NodeId from = node(random.nextInt(6));
                NodeId to = node(random.nextInt(6));
                switch (random.nextInt(4)) {
                    case 0 -> {
                        topology = topology.with(from, PROFILE);
                        nodes.add(from);
                    }
                    case 1 -> {
                        topology = topology.without(from);
                        nodes.remove(from);
                        links.values()
                                .removeIf(link ->
                                        link.from().equals(from) || link.to().equals(from));
                    }
                    case 2 -> {
                        topology = topology.without(from, to);
                        links.remove(from + ">" + to);
                    }
                    default -> {
                        if (nodes.contains(from) && nodes.contains(to) && !from.equals(to)) {
                            var link = ConnectionProfile.of(
                                    from, to, InterfaceClass.ETHERNET, 1 + random.nextInt(1000), "10.0.0.1:1");
                            topology = topology.with(link);
                            links.put(from + ">" + to, link);
                        }
                    }
                }
                assertEquals(nodes, topology.nodes(), "seed " + seed);
                assertEquals(nodes, topology.graph().vertexSet(), "seed " + seed);
                assertEquals(links.size(), topology.links().size(), "seed " + seed);
                assertTrue(topology.links().containsAll(links.values()), "seed " + seed);
                assertEquals(topology.links(), List.copyOf(topology.graph().edgeSet()), "seed " + seed);
                assertEquals(before, former.links(), "a value changed, seed " + seed);
                assertEquals(ClusterTopology.of(nodes, links.values()).links(), topology.links(), "seed " + seed);
            }
        }
    }

    @Test
    void theRingFollowsRankOrderWhereLinksAreEqualOrUnknown() {
        List<NodeId> byRank = List.of(node(2), node(0), node(3), node(1));
        assertEquals(byRank, mesh(4).ringOrder(byRank));
        assertEquals(byRank, ClusterTopology.empty().ringOrder(byRank));
        assertEquals(List.of(node(0), node(1), node(2), node(3)), mesh(4).ringOrder());
        assertEquals(List.of(), ClusterTopology.empty().ringOrder());
        assertThrows(IllegalArgumentException.class, () -> mesh(2).ringOrder(List.of(node(1), node(1))));
    }

    @Test
    void jitterDoesNotMoveTheRing() {
        ClusterTopology four = mesh(4);
        var random = new SplittableRandom(3);
        for (ConnectionProfile link : mesh(4).links()) {
            four = four.with(ConnectionProfile.of(
                    link.from(), link.to(), link.kind(), 60_000 + random.nextInt(130_000), link.path()));
        }
        assertEquals(List.of(node(0), node(1), node(2), node(3)), four.ringOrder());
    }

    @Test
    void theRingAvoidsALongRoundTrip() {
        ClusterTopology four = mesh(4).with(link(0, 1, 30 * MILLI)).with(link(1, 0, 30 * MILLI));
        assertEquals(List.of(node(0), node(2), node(1), node(3)), four.ringOrder());
    }

    @Test
    void bandwidthDecidesOnceAllLinksHaveIt() {
        ClusterTopology four = mesh(4).with(link(0, 1, 30 * MILLI)).with(link(1, 0, 30 * MILLI));
        ClusterTopology measured = four;
        for (ConnectionProfile link : four.links()) {
            boolean slow = link.from().equals(node(1)) && link.to().equals(node(2));
            measured = measured.with(link.throughput(slow ? 12_000_000 : 117_000_000));
        }
        assertEquals(List.of(node(0), node(1), node(3), node(2)), measured.ringOrder());
        ClusterTopology partly = measured.with(link(0, 1, 30 * MILLI));
        assertEquals(List.of(node(0), node(2), node(1), node(3)), partly.ringOrder(), "units were mixed");
    }

    @Test
    void oneUnmeasuredBandwidthMakesRoundTripsDecide() {
        ClusterTopology measured = mesh(4);
        for (ConnectionProfile link : mesh(4).links()) {
            boolean first = link.from().equals(node(0)) && link.to().equals(node(1));
            measured = first ? measured : measured.with(link.throughput(117_000_000));
        }
        assertEquals(List.of(node(0), node(1), node(2), node(3)), measured.ringOrder(), "units were mixed");
    }

    @Test
    void theMatrixHoldsWhatIsKnownByRank() {
        NodeId one = node(1);
        NodeId two = node(2);
        var sibling = new NodeId(one.peer(), "trainer-0");
        ClusterTopology topology = ClusterTopology.of(
                List.of(one, two, sibling),
                List.of(ConnectionProfile.of(two, one, InterfaceClass.ETHERNET, 300, "")
                        .throughput(7)));
        LinkMatrix links = topology.linkMatrix(List.of(two, one, sibling));
        assertEquals(300, links.roundTripNanos(0, 1));
        assertEquals(7, links.bytesPerSecond(0, 1));
        assertEquals(0, links.bytesPerSecond(1, 0));
        assertTrue(links.reachable(1, 0), "unknown is not unreachable");
        assertEquals(links.machine(1), links.machine(2));
        assertNotEquals(links.machine(0), links.machine(1));
        assertEquals(List.of(), topology.ringOrder(List.of()));
    }

    @Test
    void roundTripsAreSmoothed() {
        ConnectionProfile link = link(0, 1, 8 * MILLI);
        assertEquals(9 * MILLI, link.roundTrip(16 * MILLI).roundTripNanos());
        assertEquals(7 * MILLI, link.roundTrip(0).roundTripNanos());
        assertEquals(1, link(0, 1, 1).roundTrip(0).roundTripNanos());
    }

    private static ClusterTopology mesh(int n) {
        var links = new ArrayList<ConnectionProfile>();
        ClusterTopology topology = ClusterTopology.empty();
        for (int i = 0; i < n; i++) {
            topology = topology.with(node(i), PROFILE);
            for (int j = 0; j < n; j++) {
                if (i != j) {
                    links.add(link(i, j, MILLI));
                }
            }
        }
        for (ConnectionProfile link : links) {
            topology = topology.with(link);
        }
        return topology;
    }

    private static ConnectionProfile link(int from, int to, long roundTripNanos) {
        return ConnectionProfile.of(
                node(from), node(to), InterfaceClass.ETHERNET, roundTripNanos, "10.0.0." + to + ":1");
    }
}
