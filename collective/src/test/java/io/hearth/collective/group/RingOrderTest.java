package io.hearth.collective.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.BroadcastStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.engine.CollectiveEngineTest;
import io.hearth.collective.engine.TestGroup;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Bytes;
import io.hearth.core.ReduceOp;
import io.hearth.election.Member;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hop order of the ring, computed from measured round trips. */
final class RingOrderTest {
    private static final EngineOptions OPTIONS = new EngineOptions(
            Duration.ofMinutes(1),
            CollectiveConfig.DEFAULTS
                    .by(AllReduceStrategy.RING)
                    .by(BroadcastStrategy.RING)
                    .cut(256, 1024),
            LossPolicy.RETRY,
            Duration.ofSeconds(10),
            CompressionStrategy.NONE);
    private static final long GOOD_NANOS = 300_000;
    private static final long BAD_NANOS = 20_000_000;

    private static List<NodeId> nodes(int count) {
        return IntStream.range(0, count).mapToObj(TestGroup::node).toList();
    }

    private static List<Member> members(List<NodeId> nodes) {
        return nodes.stream()
                .map(node -> new Member(node, 1, 1, Role.TRAINER, "g", 1))
                .toList();
    }

    /** All links are good, except the one between these two. */
    private static Map<NodeId, Long> measured(NodeId by, List<NodeId> nodes, NodeId one, NodeId other) {
        var nanos = new HashMap<NodeId, Long>();
        for (NodeId node : nodes) {
            if (!node.equals(by)) {
                boolean isBad = List.of(one, other).containsAll(List.of(by, node));
                nanos.put(node, isBad ? BAD_NANOS : GOOD_NANOS);
            }
        }
        return nanos;
    }

    private static Resolver.Report report(NodeId node, Map<NodeId, Long> nanos) {
        var status = new Status(0, 0, List.of(), Optional.empty()).measured(RoundTrips.of(nanos));
        return new Resolver.Report(members(List.of(node)).getFirst(), CollectiveMessages.encode(status));
    }

    private static List<Integer> resolved(List<NodeId> nodes, List<Resolver.Report> reports) throws Exception {
        Bytes resolution = new CollectiveResolver().resolve("g", members(nodes), reports);
        return CollectiveMessages.resolution(resolution).order();
    }

    @Test
    void theRingOfFourAvoidsTheOneBadPair() throws Exception {
        List<NodeId> nodes = nodes(4);
        List<Resolver.Report> reports = nodes.stream()
                .map(node -> report(node, measured(node, nodes, nodes.get(0), nodes.get(1))))
                .toList();
        assertEquals(List.of(0, 2, 1, 3), resolved(nodes, reports));
    }

    @Test
    void oneEndOfALinkIsEnoughToKnowIt() throws Exception {
        List<NodeId> nodes = nodes(4);
        List<Resolver.Report> reports = nodes.stream()
                .map(node -> report(
                        node, node.equals(nodes.get(3)) ? Map.of() : measured(node, nodes, nodes.get(0), nodes.get(3))))
                .toList();
        assertEquals(List.of(0, 1, 3, 2), resolved(nodes, reports));
    }

    @Test
    void linksAmongThoseWhoEnterDecideNothing() throws Exception {
        List<NodeId> nodes = nodes(4);
        List<Resolver.Report> kept = nodes.subList(0, 2).stream()
                .map(node -> report(node, measured(node, nodes, nodes.get(0), nodes.get(0))))
                .toList();
        assertEquals(List.of(), resolved(nodes, kept), "all known links are alike");
        List<Resolver.Report> badPair = nodes.subList(0, 2).stream()
                .map(node -> report(node, measured(node, nodes, nodes.get(1), nodes.get(2))))
                .toList();
        assertEquals(List.of(0, 1, 3, 2), resolved(nodes, badPair), "an unmeasured hop is no worse");
    }

    @Test
    void twoWhoBothReportedAndHaveNoLinkAreNoNeighbours() throws Exception {
        List<NodeId> nodes = nodes(4);
        var reports = new ArrayList<Resolver.Report>();
        for (NodeId node : nodes) {
            Map<NodeId, Long> nanos = measured(node, nodes, node, node);
            if (node.equals(nodes.get(2)) || node.equals(nodes.get(3))) {
                nanos.keySet().removeAll(nodes.subList(2, 4));
            }
            reports.add(report(node, nanos));
        }
        assertEquals(List.of(0, 2, 1, 3), resolved(nodes, reports));
    }

    @Test
    void nothingMeasuredAndSmallWorldsGoByRank() throws Exception {
        for (int world = 1; world <= 5; world++) {
            List<NodeId> nodes = nodes(world);
            List<Resolver.Report> silent =
                    nodes.stream().map(node -> report(node, Map.of())).toList();
            assertEquals(List.of(), resolved(nodes, silent));
            assertEquals(List.of(), resolved(nodes, List.of()));
        }
        List<NodeId> two = nodes(2);
        assertEquals(
                List.of(),
                resolved(two, List.of(report(two.get(0), measured(two.get(0), two, two.get(0), two.get(1))))));
    }

    @Test
    void thePlanOfTheLargestGroupFitsTwoViewsIntoAFrame() throws Exception {
        List<NodeId> nodes = nodes(255);
        var random = new SplittableRandom(3);
        var reports = new ArrayList<Resolver.Report>();
        for (NodeId node : nodes.subList(0, 40)) {
            var nanos = new HashMap<NodeId, Long>();
            nodes.forEach(other -> nanos.put(other, 1 + random.nextLong(100_000_000)));
            reports.add(report(node, nanos));
        }
        assertTrue(reports.getFirst().status().size() < 2_500, "a report is small");
        Bytes resolution = new CollectiveResolver().resolve("g", members(nodes), reports);
        List<Integer> order = CollectiveMessages.resolution(resolution).order();
        assertEquals(
                IntStream.range(0, 255).boxed().toList(),
                order.stream().sorted().toList());
        assertTrue(resolution.size() < 300, "got " + resolution.size());
    }

    @Test
    void whatIsNoPermutationOfTheRanksMeansRankOrder() {
        List<NodeId> nodes = nodes(4);
        for (List<Integer> wrong : List.of(
                List.<Integer>of(),
                List.of(0, 1, 2),
                List.of(0, 1, 2, 2),
                List.of(1, 2, 3, 4),
                List.of(0, 1, 2, 3, 4),
                List.of(3, 2, 1, 0, 0))) {
            assertEquals(nodes, RingPlan.ring(nodes, wrong), wrong.toString());
        }
        assertEquals(
                List.of(nodes.get(0), nodes.get(2), nodes.get(3), nodes.get(1)),
                RingPlan.ring(nodes, List.of(0, 2, 3, 1)));
        assertThrows(IllegalArgumentException.class, () -> Resolution.NOTHING.ordered(List.of(-1)));
        assertThrows(IllegalArgumentException.class, () -> Resolution.NOTHING.ordered(List.of(256)));
        assertThrows(IllegalArgumentException.class, () -> Resolution.NOTHING.ordered(Collections.nCopies(257, 0)));
        assertThrows(
                IllegalArgumentException.class,
                () -> new GroupLayout("l", "f", nodes, Collections.nCopies(4, nodes.get(0))));
    }

    @Test
    void aWrongOrderInAViewLeavesAGroupThatWorks() throws Exception {
        try (var group = new TestGroup(3, OPTIONS, List.of(2, 2, 0))) {
            group.start((rank, context) -> {
                        float[] values = CollectiveEngineTest.input(rank, 100);
                        context.allReduce(values, ReduceOp.SUM);
                        assertArrayEquals(CollectiveEngineTest.sum(CollectiveEngineTest.ranks(3), 100), values);
                    })
                    .joinWell();
        }
    }

    private static float[] awkward(int rank, int count) {
        var random = new SplittableRandom(rank);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) (random.nextDouble() - 0.5) * (1 << random.nextInt(24));
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 6})
    void inAnyOrderSumsAreRightAndTheSameBytesOnAllRanks(int world) throws Exception {
        var order = new ArrayList<>(CollectiveEngineTest.ranks(world));
        var random = new Random(world);
        var codec = new CompressionStrategy.TopK(0.1);
        float[] encoded = new float[0];
        for (int round = 0; round < 8; round++) {
            List<Integer> hops = List.copyOf(order);
            float[][] sums = new float[world][];
            float[][] sparse = new float[world][];
            try (var group = new TestGroup(world, OPTIONS, hops)) {
                group.start((rank, context) -> {
                            assertEquals(rank, context.rank());
                            for (int count : new int[] {0, 1, 7, 1000}) {
                                float[] values = CollectiveEngineTest.input(rank, count);
                                context.allReduce(values, ReduceOp.SUM);
                                assertArrayEquals(
                                        CollectiveEngineTest.sum(CollectiveEngineTest.ranks(world), count), values);
                            }
                            sums[rank] = awkward(rank, 1009);
                            context.allReduce(sums[rank], ReduceOp.AVG);
                            sparse[rank] = awkward(rank, 500);
                            context.allReduce(sparse[rank], ReduceOp.SUM, CollectiveOptions.DEFAULTS.as(codec));
                            for (int root = 0; root < world; root++) {
                                float[] values = {rank};
                                context.broadcast(values, root);
                                assertEquals(root, values[0]);
                            }
                        })
                        .joinWell();
                for (int rank = 1; rank < world; rank++) {
                    assertArrayEquals(sums[0], sums[rank], "order " + hops);
                    assertArrayEquals(sparse[0], sparse[rank], "order " + hops);
                }
                if (round == 0) {
                    encoded = sparse[0];
                }
                assertArrayEquals(encoded, sparse[0], "encodings are added by rank, whatever the hops");
                checkHops(group, hops);
            }
            Collections.shuffle(order, random);
        }
    }

    private static void checkHops(TestGroup group, List<Integer> hops) {
        int world = hops.size();
        for (int one = 0; one < world; one++) {
            for (int other = 0; other < one; other++) {
                boolean neighbours = one - other == 1 || one - other == world - 1;
                assertEquals(
                        neighbours,
                        group.fabric.connected(group.nodes.get(hops.get(one)), group.nodes.get(hops.get(other))),
                        hops + ": " + hops.get(one) + " and " + hops.get(other));
            }
        }
    }

    @Test
    void aViewChangeTakesTheRingAwayFromABadLinkAndTheSumGoesOn() throws Exception {
        try (var group = new TestGroup(5, OPTIONS)) {
            List<NodeId> kept = group.nodes.subList(0, 4);
            group.measured = node -> measured(node, group.nodes, group.nodes.get(1), group.nodes.get(2));
            NodeId dead = group.nodes.get(4);
            group.fabric.killAfter(dead, 3, () -> group.told.add("killed"));
            TestGroup.Run run = group.start((rank, context) -> {
                float[] values = CollectiveEngineTest.input(rank, 700);
                context.allReduce(values, ReduceOp.SUM);
                if (rank < 4) {
                    assertArrayEquals(CollectiveEngineTest.sum(CollectiveEngineTest.ranks(4), 700), values);
                    assertEquals(rank, context.rank(), "hops are not ranks");
                }
            });
            group.awaitTold("killed");
            assertEquals(List.of(0, 1, 3, 2), group.change(kept).order());
            group.end(dead);
            assertEquals(Map.of(), run.join(CollectiveEngineTest.ranks(4)));
            assertFalse(group.fabric.connected(dead, group.nodes.get(1)));
        }
    }

    @Test
    void timesAreKeptToAQuarterAndOrdersOfMagnitudeNeverBlur() {
        var random = new SplittableRandom(7);
        for (int i = 0; i < 10_000; i++) {
            long nanos = 1 + (random.nextLong() >>> (1 + random.nextInt(62)));
            NodeId node = TestGroup.node(1);
            long read = RoundTrips.decode(RoundTrips.of(Map.of(node, nanos)).encode())
                    .nanos(RoundTrips.tag(node))
                    .orElseThrow();
            assertTrue(read <= nanos && nanos - read <= nanos / 4, nanos + " was read as " + read);
            assertEquals(Long.numberOfLeadingZeros(nanos), Long.numberOfLeadingZeros(read));
        }
    }

    @Test
    void roundTripsOfManyNodesAreCutAndBadOnesRefused() {
        var nanos = new HashMap<NodeId, Long>();
        for (int i = 0; i < 300; i++) {
            nanos.put(new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "t-" + i), 5L);
        }
        nanos.put(TestGroup.node(0), 0L);
        RoundTrips most = RoundTrips.of(nanos);
        assertEquals(RoundTrips.NODES_MAX, most.steps().size());
        assertEquals(most, RoundTrips.decode(most.encode()));
        byte[] twice = new byte[18];
        twice[8] = 1;
        twice[17] = 1;
        assertThrows(IllegalArgumentException.class, () -> RoundTrips.decode(twice), "one tag twice");
        assertThrows(IllegalArgumentException.class, () -> RoundTrips.decode(new byte[9]), "step 0");
        assertThrows(IllegalArgumentException.class, () -> RoundTrips.decode(new byte[8]));
        assertThrows(IllegalArgumentException.class, () -> RoundTrips.decode(new byte[9 * 257]));
    }
}
