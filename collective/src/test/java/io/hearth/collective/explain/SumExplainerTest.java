package io.hearth.collective.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.explain.SumExplanation.Basis;
import io.hearth.collective.explain.SumExplanation.Hop;
import io.hearth.collective.explain.SumExplanation.Pair;
import io.hearth.collective.explain.SumExplanation.Way;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.InterfaceClass;
import io.hearth.topology.NodeProfile;
import io.hearth.topology.plan.Gap;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntBinaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SumExplainerTest {
    private static final long MIB = 1L << 20;
    private static final long ROUND_TRIP_NANOS = 300_000;

    /** No link at all, as a rate. */
    private static final int NONE = -1;

    /** A link without a rate. */
    private static final int UNMEASURED = 0;

    private static NodeId node(int rank) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        Arrays.fill(key, (byte) (rank + 1));
        return new NodeId(PeerId.of(key), "trainer-0");
    }

    private static List<NodeId> nodes(int world) {
        return IntStream.range(0, world).mapToObj(SumExplainerTest::node).toList();
    }

    /** A topology with rates in MB/s for each direction. */
    private static ClusterTopology net(int world, IntBinaryOperator megabytes) {
        ClusterTopology net = ClusterTopology.empty();
        for (NodeId node : nodes(world)) {
            net = net.with(node, NodeProfile.UNKNOWN);
        }
        for (int from = 0; from < world; from++) {
            for (int to = 0; to < world; to++) {
                int rate = from == to ? NONE : megabytes.applyAsInt(from, to);
                if (rate != NONE) {
                    var link = ConnectionProfile.of(
                            node(from), node(to), InterfaceClass.ETHERNET, ROUND_TRIP_NANOS, "10.0.0." + to + ":1");
                    net = net.with(rate == UNMEASURED ? link : link.throughput(1_000_000L * rate));
                }
            }
        }
        return net;
    }

    private static IntBinaryOperator ports(int... ports) {
        return (from, to) -> Math.min(ports[from], ports[to]);
    }

    private static SumExplanation explain(int world, IntBinaryOperator megabytes, long bytes) {
        return SumExplainer.explain(nodes(world), net(world, megabytes), bytes, CollectiveConfig.DEFAULTS);
    }

    private static Way way(SumExplanation explained, String algorithm) {
        return explained.ways().stream()
                .filter(way -> way.algorithm().equals(algorithm))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void withOneSlowMemberADirectSumWins() {
        SumExplanation explained = explain(4, ports(100, 100, 100, 10), 64 * MIB);
        assertEquals(Basis.MEASURED, explained.basis());
        assertTrue(explained.isInPlace());
        Way chosen = explained.chosen().orElseThrow();
        Way ring = way(explained, "ring");
        assertEquals("direct", chosen.algorithm());
        double gain =
                (double) ring.nanos().orElseThrow() / (double) chosen.nanos().orElseThrow();
        assertEquals(1.5, gain, 0.2, "the bound for four ports is 1.5");
        assertTrue(chosen.reason().contains("ranks [3] own nothing"), chosen.reason());
        assertTrue(ring.reason().contains("10.0 MB/s"), ring.reason());
        assertEquals("islands", explained.runnerUp().orElseThrow().algorithm(), "three fast members, and the slow one");
        assertEquals(3, explained.ways().size());
        assertEquals(0, explained.plan().weights().get(3));
        assertEquals(12, explained.hopCount());
        assertEquals(6, explained.streams());
        Hop slow = explained.hops().stream()
                .filter(hop -> hop.from() == 3 && hop.to() == 0)
                .findFirst()
                .orElseThrow();
        assertEquals(1.0 / 3, slow.share(), 0.01, "rank 3 sends each owner its share, and owns nothing");
        assertEquals(10e6, (double) slow.bytesPerSecond().orElseThrow(), 0.01 * 10e6);
        assertEquals(List.of(), explained.gaps());
        assertEquals(List.of(), explained.unmeasured());
    }

    @Test
    void evenLinksKeepTheRingOfRanks() {
        SumExplanation explained = explain(4, ports(100, 100, 100, 100), 64 * MIB);
        assertEquals("ring", explained.chosen().orElseThrow().algorithm());
        assertEquals(
                List.of(new Pair(0, 1), new Pair(1, 2), new Pair(2, 3), new Pair(3, 0)),
                explained.hops().stream()
                        .map(hop -> new Pair(hop.from(), hop.to()))
                        .toList());
        assertTrue(explained.hops().stream().allMatch(hop -> hop.share() == 1.5));
        assertEquals(4, explained.streams());
        assertEquals("direct", explained.runnerUp().orElseThrow().algorithm());
    }

    @Test
    void theRingFollowsThePlannedOrder() {
        IntBinaryOperator rates = (from, to) -> from + to == 1 || from + to == 5 ? 5 : 100; // 0-1 and 2-3 are slow
        SumExplanation explained = explain(4, rates, 64 * MIB);
        Way ring = way(explained, "ring");
        assertFalse(ring.reason().contains("5.0 MB/s"), ring.reason());
        assertEquals("ring", explained.chosen().orElseThrow().algorithm());
        assertEquals(
                explained.plan().order(),
                explained.hops().stream().map(Hop::from).toList());
        assertTrue(explained.hops().stream().allMatch(hop -> rates.applyAsInt(hop.from(), hop.to()) == 100));
    }

    @Test
    void smallSumsUseWhatSmallSumsUse() {
        SumExplanation explained = explain(4, ports(100, 100, 100, 10), 256);
        assertFalse(explained.isInPlace());
        Way chosen = explained.chosen().orElseThrow();
        assertEquals("whole_exchange", chosen.algorithm());
        assertEquals("one round: each rank sends the whole buffer to 3 others", chosen.reason());
        assertEquals(12, explained.hopCount());
        assertTrue(explained.hops().stream().allMatch(hop -> hop.share() == 1));
        assertEquals(6, explained.ways().size(), "all algorithms are stated");
        long previous = 0;
        for (Way way : explained.ways().stream()
                .filter(each -> each.nanos().isPresent())
                .toList()) {
            assertTrue(
                    way.nanos().orElseThrow() >= previous,
                    () -> explained.ways().toString());
            previous = way.nanos().orElseThrow();
        }
    }

    @Test
    void twoSitesSumByIslands() {
        SumExplanation explained = explain(6, (from, to) -> from / 3 == to / 3 ? 100 : 10, 64 * MIB);
        Way islands = way(explained, "islands");
        assertTrue(islands.nanos().isPresent(), islands::toString);
        if (explained.chosen().orElseThrow().equals(islands)) {
            assertEquals(2 * 4 + 2, explained.hopCount(), "four members and their leaders, and two leaders");
        }
        assertEquals(6, explained.plan().islands().size());
        assertEquals(2, explained.plan().leaders().size());
    }

    @Test
    void twoMembersWithoutALinkAreNamedAndPlannedAround() {
        SumExplanation explained =
                explain(4, (from, to) -> from + to == 1 ? NONE : 100, 64 * MIB); // 0 and 1 do not reach each other
        assertEquals(List.of(new Gap(0, 1, true)), explained.gaps());
        assertEquals("ring", explained.chosen().orElseThrow().algorithm());
        assertTrue(explained.hops().stream().noneMatch(hop -> hop.from() + hop.to() == 1));
        Way direct = way(explained, "direct");
        assertEquals(OptionalLong.empty(), direct.nanos());
        assertEquals("each pair needs a link: ranks 0 and 1 cannot reach each other", direct.reason());
        SumExplanation small = explain(4, (from, to) -> from + to == 1 ? NONE : 100, 256);
        assertTrue(way(small, "whole_exchange").reason().endsWith("; rank 0 has no link to rank 1"));
    }

    @Test
    void partsThatCannotReachEachOtherHaveNoWay() {
        SumExplanation explained = explain(4, (from, to) -> from / 2 == to / 2 ? 100 : NONE, 64 * MIB);
        assertTrue(explained.chosen().isEmpty(), () -> explained.ways().toString());
        assertTrue(explained.runnerUp().isEmpty());
        assertEquals(4, explained.gaps().size());
        assertEquals(List.of(), explained.hops());
        assertTrue(way(explained, "ring").reason().startsWith("no ring of working links was found"));
    }

    @Test
    void aLinkThatOneEndDoesNotReportIsOneWay() {
        SumExplanation explained = explain(3, (from, to) -> from == 1 && to == 0 ? NONE : 100, 64 * MIB);
        assertEquals(List.of(new Pair(0, 1)), explained.oneWay());
        assertEquals(List.of(new Pair(1, 0)), explained.unmeasured());
        assertEquals(Basis.PARTLY, explained.basis());
        assertEquals(List.of(), explained.gaps());
    }

    @Test
    void withoutRatesTimesAreAssumedOnes() {
        SumExplanation explained = explain(3, (_, _) -> UNMEASURED, 64 * MIB);
        assertEquals(Basis.ROUND_TRIPS, explained.basis());
        assertFalse(explained.basis().isMeasured());
        assertEquals("ring", explained.chosen().orElseThrow().algorithm());
        assertEquals(
                "not considered until links are measured",
                way(explained, "direct").reason());
        assertEquals(6, explained.unmeasuredCount());
        assertTrue(
                explained.hops().stream().allMatch(hop -> hop.bytesPerSecond().isEmpty()));
    }

    @Test
    void nothingIsKnownOfMembersWithoutReports() {
        SumExplanation explained = explain(3, (_, _) -> NONE, 64 * MIB);
        assertEquals(Basis.NOTHING, explained.basis());
        assertEquals(List.of(0, 1, 2), explained.silent());
        assertEquals(List.of(), explained.gaps(), "no report is no statement that a link is missing");
        assertEquals("ring", explained.chosen().orElseThrow().algorithm());
        SumExplanation strangers =
                SumExplainer.explain(nodes(2), ClusterTopology.empty(), MIB, CollectiveConfig.DEFAULTS);
        assertEquals(Basis.NOTHING, strangers.basis());
    }

    @Test
    void unmeasuredLinksCountAsTheMedianAndAreListed() {
        SumExplanation explained = explain(3, (from, to) -> from + to == 1 ? UNMEASURED : 100, 64 * MIB);
        assertEquals(Basis.PARTLY, explained.basis());
        assertEquals(List.of(new Pair(0, 1), new Pair(1, 0)), explained.unmeasured());
        assertTrue(
                explained.hops().stream()
                        .filter(hop -> hop.from() + hop.to() == 1)
                        .allMatch(hop -> hop.bytesPerSecond().isEmpty()),
                "the median is no measurement");
    }

    @Test
    void oneMemberNeedsNoWay() {
        SumExplanation explained = explain(1, (_, _) -> NONE, 64 * MIB);
        assertEquals(Basis.ALONE, explained.basis());
        assertEquals(List.of(), explained.ways());
        assertEquals(List.of(), explained.silent());
        assertTrue(explained.chosen().isEmpty());
        assertThrows(
                IllegalArgumentException.class,
                () -> SumExplainer.explain(List.of(), ClusterTopology.empty(), 1, CollectiveConfig.DEFAULTS));
    }

    @Test
    void onOneMachineMeasurementsDoNotCount() {
        PeerId machine = node(0).peer();
        List<NodeId> members = List.of(new NodeId(machine, "trainer-0"), new NodeId(machine, "trainer-1"));
        ClusterTopology net = ClusterTopology.empty()
                .with(members.get(0), NodeProfile.UNKNOWN)
                .with(members.get(1), NodeProfile.UNKNOWN)
                .with(ConnectionProfile.of(members.get(0), members.get(1), InterfaceClass.LOOPBACK, 50_000, "a")
                        .throughput(3_000_000_000L))
                .with(ConnectionProfile.of(members.get(1), members.get(0), InterfaceClass.LOOPBACK, 50_000, "b")
                        .throughput(3_000_000_000L));
        SumExplanation explained = SumExplainer.explain(members, net, 64 * MIB, CollectiveConfig.DEFAULTS);
        assertEquals(Basis.ONE_MACHINE, explained.basis());
        assertEquals("ring", explained.chosen().orElseThrow().algorithm());
        assertTrue(explained.runnerUp().isEmpty());
    }

    @Test
    void listsAreBounded() {
        int world = 18;
        SumExplanation explained = explain(world, (_, _) -> UNMEASURED, 256);
        assertEquals(world * (world - 1), explained.unmeasuredCount());
        assertEquals(SumExplanation.PAIRS_MAX, explained.unmeasured().size());
        assertTrue(explained.hops().size() <= SumExplanation.HOPS_MAX);
    }
}
