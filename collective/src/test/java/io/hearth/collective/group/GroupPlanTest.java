package io.hearth.collective.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.BroadcastStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.engine.CollectiveEngineTest;
import io.hearth.collective.engine.TestGroup;
import io.hearth.collective.wire.ResolutionMessage;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Bytes;
import io.hearth.core.ReduceOp;
import io.hearth.election.Member;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.identity.NodeId;
import io.hearth.topology.LinkReport;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.PlanCosts;
import io.hearth.topology.plan.Structure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hop order of the ring, computed from measured round trips. */
final class GroupPlanTest {
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

    private static LinkReport links(Map<NodeId, Long> nanos) {
        var links = new TreeMap<NodeId, LinkReport.Measured>();
        nanos.forEach((node, time) -> links.put(node, new LinkReport.Measured(time, 0, 0)));
        return new LinkReport(links);
    }

    private static Resolver.Report report(NodeId node, Map<NodeId, Long> nanos) {
        var status = new Status(0, 0, List.of(), Optional.empty()).measured(MeasuredLinks.of(links(nanos)));
        return new Resolver.Report(members(List.of(node)).getFirst(), CollectiveMessages.encode(status));
    }

    private static List<Integer> resolved(List<NodeId> nodes, List<Resolver.Report> reports) throws Exception {
        Bytes resolution = new CollectiveResolver().resolve("g", members(nodes), reports);
        return CollectiveMessages.resolution(resolution).plan().order();
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
        assertTrue(reports.getFirst().status().size() < 3_500, "a report is small");
        Bytes resolution = new CollectiveResolver().resolve("g", members(nodes), reports);
        List<Integer> order = CollectiveMessages.resolution(resolution).plan().order();
        assertEquals(
                IntStream.range(0, 255).boxed().toList(),
                order.stream().sorted().toList());
        assertTrue(resolution.size() < 400, "got " + resolution.size());
    }

    @Test
    void aPlanForAnotherWorldMeansRankOrder() {
        List<NodeId> nodes = nodes(4);
        assertEquals(Plan.NONE, GroupPlan.fitting(ordered(0, 2, 1), 4));
        Plan fits = ordered(0, 2, 3, 1);
        assertEquals(fits, GroupPlan.fitting(fits, 4));
        assertEquals(
                List.of(nodes.get(0), nodes.get(2), nodes.get(3), nodes.get(1)),
                new GroupLayout("l", "f", nodes, fits).ring());
        assertEquals(nodes, new GroupLayout("l", "f", nodes, Plan.NONE).ring());
        assertThrows(IllegalArgumentException.class, () -> new GroupLayout("l", "f", nodes, ordered(0, 2, 1)));
    }

    private static Plan ordered(Integer... order) {
        return new Plan(List.of(order), List.of(), List.of(), PlanCosts.UNKNOWN);
    }

    /** Three ranks of 1 Gbit/s and one of 100 Mbit/s. */
    private static LinkReport rates(NodeId by, List<NodeId> nodes, NodeId slow) {
        var links = new TreeMap<NodeId, LinkReport.Measured>();
        for (NodeId node : nodes) {
            if (!node.equals(by)) {
                long rate = node.equals(slow) || by.equals(slow) ? 12_000_000 : 118_000_000;
                links.put(node, new LinkReport.Measured(GOOD_NANOS, rate, rate));
            }
        }
        return new LinkReport(links);
    }

    @Test
    void aSlowRankOwnsNothingOfADirectSum() throws Exception {
        List<NodeId> nodes = nodes(4);
        List<Resolver.Report> reports = new ArrayList<>();
        for (NodeId node : nodes) {
            var status = new Status(0, 0, List.of(), Optional.empty())
                    .measured(MeasuredLinks.of(rates(node, nodes, nodes.get(2))));
            reports.add(new Resolver.Report(members(List.of(node)).getFirst(), CollectiveMessages.encode(status)));
        }
        Plan plan = CollectiveMessages.resolution(new CollectiveResolver().resolve("g", members(nodes), reports))
                .plan();
        assertEquals(0, plan.weights().get(2));
        assertEquals(Structure.DIRECT, plan.costs().fastest(4, 1L << 26).orElseThrow());
    }

    @Test
    void aPlanThatCannotBeReadMeansRankOrder() throws Exception {
        ResolutionMessage message = ResolutionMessage.newBuilder()
                .setFirst(1)
                .setPlan(ByteString.copyFrom(new byte[] {9, 9, 9}))
                .build();
        assertEquals(
                Plan.NONE,
                CollectiveMessages.resolution(Bytes.of(message.toByteArray())).plan());
    }

    @Test
    void aPlanForAnotherWorldInAViewLeavesAGroupThatWorks() throws Exception {
        try (var group = new TestGroup(3, OPTIONS, List.of(0, 3, 1, 2))) {
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
            Collections.shuffle(order.subList(1, world), random);
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
            group.measured = node -> links(measured(node, group.nodes, group.nodes.get(1), group.nodes.get(2)));
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
            assertEquals(List.of(0, 1, 3, 2), group.change(kept).plan().order());
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
            nanos = Math.min(nanos, LinkReport.ROUND_TRIP_NANOS_MAX);
            long read = MeasuredLinks.decode(
                            MeasuredLinks.of(links(Map.of(node, nanos))).encode())
                    .link(MeasuredLinks.tag(node))
                    .orElseThrow()
                    .roundTripNanos();
            assertTrue(read <= nanos && nanos - read <= nanos / 4, nanos + " was read as " + read);
            assertEquals(Long.numberOfLeadingZeros(nanos), Long.numberOfLeadingZeros(read));
        }
    }

    @Test
    void ratesAreKeptToAThousandth() {
        var random = new SplittableRandom(8);
        NodeId node = TestGroup.node(1);
        for (int i = 0; i < 10_000; i++) {
            long rate = (long) Math.pow(10, random.nextDouble(2, 10.8));
            var report = new LinkReport(new TreeMap<>(Map.of(node, new LinkReport.Measured(0, rate, 1))));
            MeasuredLinks.Link read = MeasuredLinks.decode(
                            MeasuredLinks.of(report).encode())
                    .link(MeasuredLinks.tag(node))
                    .orElseThrow();
            assertEquals((double) rate, (double) read.outBytesPerSecond(), Math.max(1, rate * 0.001));
            assertTrue(read.inBytesPerSecond() > 0, "a measured rate is not unknown");
            assertEquals(0, read.roundTripNanos());
        }
    }

    @Test
    void linksWithoutMeasurementsAreDroppedAndBadOnesRejected() {
        MeasuredLinks none = MeasuredLinks.of(links(Map.of(TestGroup.node(0), 0L)));
        assertEquals(MeasuredLinks.NONE, none);
        int entry = 13;
        byte[] twice = new byte[2 * entry];
        twice[8] = 1;
        twice[entry + 8] = 1;
        assertThrows(IllegalArgumentException.class, () -> MeasuredLinks.decode(twice), "one tag twice");
        byte[] step = new byte[entry];
        step[8] = (byte) 253;
        assertThrows(IllegalArgumentException.class, () -> MeasuredLinks.decode(step), "step 253");
        for (int rate : new int[] {0x7C00, 0x7E00, 0xBC00}) { // infinite, NaN, -1
            byte[] wrong = new byte[entry];
            wrong[9] = (byte) (rate >>> 8);
            assertThrows(IllegalArgumentException.class, () -> MeasuredLinks.decode(wrong), "rate " + rate);
        }
        assertThrows(IllegalArgumentException.class, () -> MeasuredLinks.decode(new byte[entry - 1]));
        assertThrows(IllegalArgumentException.class, () -> MeasuredLinks.decode(new byte[entry * 257]));
    }
}
