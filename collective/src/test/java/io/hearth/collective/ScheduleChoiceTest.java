package io.hearth.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.engine.TestGroup;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.GroupLayout;
import io.hearth.collective.schedule.AllReduceAlgorithm;
import io.hearth.collective.schedule.BroadcastAlgorithm;
import io.hearth.collective.schedule.CostModel;
import io.hearth.collective.schedule.Islands;
import io.hearth.collective.schedule.LinkModel;
import io.hearth.collective.schedule.PairAlgorithm;
import io.hearth.collective.schedule.ReduceAlgorithm;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.PlanCosts;
import io.hearth.topology.plan.Route;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The choice of schedules, at sizes far from those at which two of them take the same time. */
final class ScheduleChoiceTest {
    private static final int SEGMENT = 128 * 1024;
    private static final long IN_TURN = CollectiveConfig.DEFAULTS.inTurnBytesMax();
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;

    static Stream<ScheduleChoice> choices() {
        return Stream.of(LinkModel.GIGABIT, LinkModel.LOOPBACK)
                .map(link -> new ScheduleChoice(new CostModel(link, SEGMENT, IN_TURN)));
    }

    @ParameterizedTest
    @MethodSource("choices")
    void smallBuffersTakeFewHopsAndLargeOnesTheRing(ScheduleChoice choice) {
        for (int world = 2; world <= 8; world++) {
            assertEquals(AllReduceAlgorithm.WHOLE_EXCHANGE, allReduce(choice, world, 0), "barrier of " + world);
            assertEquals(AllReduceAlgorithm.WHOLE_EXCHANGE, allReduce(choice, world, KIB), "1 KiB of " + world);
        }
        for (int world = 4; world <= 8; world++) {
            assertEquals(AllReduceAlgorithm.DIRECT, allReduce(choice, world, 18 * KIB * world), "middle of " + world);
        }
        for (int world = 3; world <= 16; world++) {
            assertEquals(AllReduceAlgorithm.RING, allReduce(choice, world, 16 * MIB), "16 MiB of " + world);
        }
        for (int world = 32; world <= 256; world *= 2) {
            assertEquals(AllReduceAlgorithm.TREE, allReduce(choice, world, KIB), "1 KiB of " + world);
        }
    }

    @Test
    void overLoopbackOneHopIsTheFastestUpTo32KibibytesInSmallWorlds() {
        var choice = new ScheduleChoice(new CostModel(LinkModel.LOOPBACK, SEGMENT, IN_TURN));
        for (int world = 2; world <= 4; world++) {
            assertEquals(AllReduceAlgorithm.WHOLE_EXCHANGE, allReduce(choice, world, 32 * KIB), "world " + world);
        }
    }

    @Test
    void aGroupOnOneMachineGoesByLoopbackUnlessItWasToldItsLinks() {
        CollectiveConfig usual = CollectiveConfig.DEFAULTS;
        assertEquals(
                LinkModel.GIGABIT,
                usual.choice(false, PlanCosts.UNKNOWN).model().link());
        assertEquals(
                LinkModel.LOOPBACK,
                usual.choice(true, PlanCosts.UNKNOWN).model().link());
        assertEquals(
                LinkModel.LOOPBACK,
                usual.choosingHere().choice(false, PlanCosts.UNKNOWN).model().link());
        var own = new LinkModel(1, 1, 1, 1, 1, 1);
        var configured = new CollectiveConfig(
                usual.allReduce(), usual.broadcast(), usual.reduce(), 8, 0, 0, usual.bucketBytes(), own);
        assertEquals(own, configured.choice(true, PlanCosts.UNKNOWN).model().link());
        assertEquals(
                own,
                configured
                        .choosingHere()
                        .choice(true, PlanCosts.UNKNOWN)
                        .model()
                        .link());
    }

    @Test
    void oneMachineIsOneIdentity() {
        PeerId machine = NodeIdentity.generate().peer();
        var one = new NodeId(machine, "a");
        var other = new NodeId(machine, "b");
        var elsewhere = new NodeId(NodeIdentity.generate().peer(), "a");
        assertTrue(mesh(one, other).isOnOneMachine());
        assertFalse(mesh(one, other, elsewhere).isOnOneMachine());
    }

    private static Mesh mesh(NodeId... members) {
        return new Mesh(new GroupLayout("", "", List.of(members), Plan.NONE), members[0]);
    }

    @ParameterizedTest
    @MethodSource("choices")
    void whatIsAskedForIsPlayed(ScheduleChoice choice) {
        for (long bytes : new long[] {0, 100 * KIB, 64 * MIB}) {
            assertEquals(AllReduceAlgorithm.RING, four(choice, AllReduceStrategy.RING, bytes));
            assertEquals(AllReduceAlgorithm.TREE, four(choice, AllReduceStrategy.TREE, bytes));
            assertEquals(AllReduceAlgorithm.STAR, four(choice, AllReduceStrategy.CENTRALIZED, bytes));
            assertEquals(BroadcastAlgorithm.RING, choice.broadcast(BroadcastStrategy.RING, 4, bytes));
            assertEquals(BroadcastAlgorithm.TREE, choice.broadcast(BroadcastStrategy.TREE, 4, bytes));
            assertEquals(ReduceAlgorithm.RING, choice.reduce(ReduceStrategy.RING, 4, bytes));
            assertEquals(ReduceAlgorithm.TREE, choice.reduce(ReduceStrategy.TREE, 4, bytes));
            assertEquals(ReduceAlgorithm.STAR, choice.reduce(ReduceStrategy.CENTRALIZED, 4, bytes));
        }
        for (AllReduceStrategy asked : List.of(AllReduceStrategy.DIRECT, AllReduceStrategy.HIERARCHICAL)) {
            assertEquals(AllReduceAlgorithm.WHOLE_EXCHANGE, four(choice, asked, KIB));
            assertEquals(AllReduceAlgorithm.DIRECT, four(choice, asked, 64 * MIB));
        }
    }

    private static AllReduceAlgorithm four(ScheduleChoice choice, AllReduceStrategy asked, long bytes) {
        return choice.allReduce(asked, 4, Optional.empty(), bytes);
    }

    @ParameterizedTest
    @MethodSource("choices")
    void islandsAreTakenWhereThereAreSome(ScheduleChoice choice) {
        Optional<Islands> pairs = Optional.of(new Islands(List.of(0, 0, 2, 2)));
        AllReduceStrategy asked = AllReduceStrategy.HIERARCHICAL;
        assertEquals(AllReduceAlgorithm.WHOLE_EXCHANGE, choice.allReduce(asked, 4, pairs, 0));
        assertEquals(AllReduceAlgorithm.ISLANDS, choice.allReduce(asked, 4, pairs, MIB));
        assertEquals(AllReduceAlgorithm.RING, choice.allReduce(AllReduceStrategy.AUTO, 4, pairs, 16 * MIB));
        Optional<Islands> rooms = Optional.of(Islands.byPlace(
                IntStream.range(0, 64).mapToObj(rank -> rank / 8).toList()));
        assertEquals(
                AllReduceAlgorithm.ISLANDS,
                choice.allReduce(AllReduceStrategy.AUTO, 64, rooms, 16 * KIB),
                "few messages for each of 64");
        for (long bytes = 0; bytes < 64 * MIB; bytes = 4 * bytes + KIB) {
            assertNotEquals(AllReduceAlgorithm.ISLANDS, allReduce(choice, 64, bytes));
        }
    }

    @Test
    void planComesBeforeMachinesAndOnlyWhoAsksGetsThese() {
        List<NodeId> members = TestGroup.nodes(5, 2);
        var mesh = new Mesh(new GroupLayout("", "", members, Plan.NONE), members.getFirst());
        Optional<Islands> machines = Optional.of(new Islands(List.of(0, 0, 2, 2, 4)));
        assertEquals(machines, mesh.islands(AllReduceStrategy.HIERARCHICAL));
        for (AllReduceStrategy other : AllReduceStrategy.values()) {
            if (other != AllReduceStrategy.HIERARCHICAL) {
                assertEquals(Optional.empty(), mesh.islands(other));
            }
        }
        List<Integer> plan = List.of(1, 1, 4, 4, 4);
        var planned = new Mesh(new GroupLayout("", "", members, islands(plan)), members.getFirst());
        assertEquals(Optional.of(new Islands(plan)), planned.islands(AllReduceStrategy.HIERARCHICAL));
        assertEquals(Optional.of(new Islands(plan)), planned.islands(AllReduceStrategy.AUTO));
        assertEquals(Optional.empty(), planned.islands(AllReduceStrategy.DIRECT));
        for (int perMachine : new int[] {1, 5}) {
            List<NodeId> alike = TestGroup.nodes(5, perMachine);
            var flat = new Mesh(new GroupLayout("", "", alike, Plan.NONE), alike.getFirst());
            assertEquals(Optional.empty(), flat.islands(AllReduceStrategy.HIERARCHICAL), perMachine + " on a machine");
        }
        assertThrows(
                IllegalArgumentException.class, () -> new GroupLayout("", "", members, islands(List.of(0, 0, 2, 2))));
    }

    private static Plan islands(List<Integer> leaders) {
        return new Plan(List.of(), List.of(), leaders, PlanCosts.UNKNOWN);
    }

    private static Route perByte(double nanos) {
        return new Route(100_000, (long) (nanos * 1000));
    }

    private static ScheduleChoice measured(double ring, double direct, Route islands) {
        var costs = new PlanCosts(perByte(ring), perByte(direct), islands, perByte(80));
        return new ScheduleChoice(new CostModel(LinkModel.GIGABIT, costs, SEGMENT, IN_TURN));
    }

    @Test
    void measuredLinksDecideHowALargeSumTravels() {
        ScheduleChoice even = measured(8, 12, Route.UNKNOWN);
        assertEquals(AllReduceAlgorithm.RING, even.inPlace(AllReduceStrategy.AUTO, 4, Optional.empty(), 64 * MIB));
        ScheduleChoice slowRank = measured(80, 80, Route.UNKNOWN); // it owns nothing of a direct sum
        assertEquals(
                AllReduceAlgorithm.DIRECT, slowRank.inPlace(AllReduceStrategy.AUTO, 4, Optional.empty(), 64 * MIB));
        Optional<Islands> sites = Optional.of(new Islands(List.of(0, 0, 2, 2)));
        ScheduleChoice twoSites = measured(160, 160, perByte(80));
        assertEquals(AllReduceAlgorithm.ISLANDS, twoSites.inPlace(AllReduceStrategy.AUTO, 4, sites, 64 * MIB));
        assertEquals(AllReduceAlgorithm.RING, twoSites.inPlace(AllReduceStrategy.RING, 4, sites, 64 * MIB));
    }

    @Test
    void whatNeedsABrokenLinkIsNotChosen() {
        var costs = new PlanCosts(perByte(8), Route.NEVER, Route.NEVER, perByte(8));
        var choice = new ScheduleChoice(new CostModel(LinkModel.GIGABIT, costs, SEGMENT, IN_TURN));
        assertEquals(AllReduceAlgorithm.RING, choice.inPlace(AllReduceStrategy.AUTO, 4, Optional.empty(), 64 * MIB));
        var none = new PlanCosts(Route.NEVER, Route.NEVER, Route.NEVER, Route.NEVER);
        assertEquals(
                AllReduceAlgorithm.RING,
                new ScheduleChoice(new CostModel(LinkModel.GIGABIT, none, SEGMENT, IN_TURN))
                        .inPlace(AllReduceStrategy.AUTO, 4, Optional.empty(), 64 * MIB),
                "nothing is possible: the usual choice");
    }

    @Test
    void untilLinksAreMeasuredALargeSumGoesRoundTheRing() {
        var choice = new ScheduleChoice(new CostModel(LinkModel.GIGABIT, SEGMENT, IN_TURN));
        assertEquals(AllReduceAlgorithm.RING, choice.inPlace(AllReduceStrategy.AUTO, 4, Optional.empty(), 64 * MIB));
    }

    @ParameterizedTest
    @MethodSource("choices")
    void theOtherCollectivesGoRoundTheRingOnlyWhenLarge(ScheduleChoice choice) {
        for (int world = 3; world <= 16; world++) {
            assertEquals(BroadcastAlgorithm.TREE, choice.broadcast(BroadcastStrategy.AUTO, world, KIB));
            assertEquals(BroadcastAlgorithm.RING, choice.broadcast(BroadcastStrategy.AUTO, world, 16 * MIB));
            assertEquals(ReduceAlgorithm.RING, choice.reduce(ReduceStrategy.AUTO, world, 16 * MIB));
            assertEquals(PairAlgorithm.DIRECT, choice.allGather(world, KIB));
            assertEquals(PairAlgorithm.RING, choice.allGather(world, 16 * MIB));
            assertEquals(PairAlgorithm.DIRECT, choice.reduceScatter(world, KIB));
            assertEquals(PairAlgorithm.RING, choice.reduceScatter(world, 16 * MIB));
        }
        assertEquals(ReduceAlgorithm.STAR, choice.reduce(ReduceStrategy.AUTO, 3, 64));
        assertEquals(ReduceAlgorithm.TREE, choice.reduce(ReduceStrategy.AUTO, 16, 64));
    }

    @ParameterizedTest
    @MethodSource("choices")
    void moreBytesNeverTakeLess(ScheduleChoice choice) {
        for (AllReduceAlgorithm algorithm : AllReduceAlgorithm.values()) {
            double before = 0;
            for (long bytes = 0; bytes < 1L << 40; bytes = bytes * 5 / 4 + 1) {
                double nanos = choice.model().allReduceNanos(algorithm, 5, bytes);
                assertTrue(nanos >= before, algorithm + " of " + bytes + " bytes");
                before = nanos;
            }
            assertEquals(0, choice.model().allReduceNanos(algorithm, 1, MIB), "nothing to do alone");
        }
    }

    @Test
    void costsAreThoseOfTheFormulas() {
        var model = new CostModel(new LinkModel(1000, 10, 1, 50, 2, 7000), 8, 60);
        assertEquals(
                1000 + (2 * 5 - 1) * 100 + 2 * 2 * 10 * 40 + 2 * 40,
                model.allReduceNanos(AllReduceAlgorithm.WHOLE_EXCHANGE, 3, 40),
                1e-6);
        assertEquals(
                4 * (1000 + 80) + 2 * 8,
                model.allReduceNanos(AllReduceAlgorithm.RING, 3, 24),
                1e-6,
                "one segment a chunk, 32 bytes to the next");
        assertEquals(
                2 * 1000 + (4 * 5 - 2) * 100 + 4 * 2 * 10 * 40 + 2 * 40 + 7000,
                model.allReduceNanos(AllReduceAlgorithm.DIRECT, 3, 120),
                1e-6,
                "80 bytes to one need a second thread");
        assertEquals(
                100
                        + (2 * 1000 + (2 * 15 - 2) * 100 + 2 * 10 * 120 + 2 * 10 * 8 + 2 * 120)
                        + (2 * 1000 + (2 * 8 - 2) * 100 + 2 * 10 * 60 + 60)
                        + 7000,
                model.allReduceNanos(new Islands(List.of(0, 0, 0, 3)), 120),
                1e-6,
                "an island of three and one of one");
        assertThrows(IllegalArgumentException.class, () -> new CostModel(LinkModel.LOOPBACK, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new LinkModel(1, 1, 1, 1, 0.5, 1));
        assertThrows(IllegalArgumentException.class, () -> new LinkModel(Double.NaN, 1, 1, 1, 1, 1));
    }

    private static AllReduceAlgorithm allReduce(ScheduleChoice choice, int world, long bytes) {
        return choice.allReduce(AllReduceStrategy.AUTO, world, Optional.empty(), bytes);
    }
}
