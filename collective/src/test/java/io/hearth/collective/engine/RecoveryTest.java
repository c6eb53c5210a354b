package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.BroadcastStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.ReduceStrategy;
import io.hearth.collective.Work;
import io.hearth.collective.group.Resolution;
import io.hearth.collective.schedule.LinkModel;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.PeerLostException;
import io.hearth.core.ReduceOp;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.core.RootLostException;
import io.hearth.election.Resolver;
import io.hearth.identity.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Losses at every record, and the results of the remaining members. */
final class RecoveryTest {
    private static final EngineOptions RETRY = new EngineOptions(
            Duration.ofMinutes(1),
            CollectiveConfig.DEFAULTS.by(AllReduceStrategy.RING).cut(512, 1024),
            LossPolicy.RETRY,
            Duration.ofSeconds(10),
            CompressionStrategy.NONE);
    private static final int WORLD_MAX = Boolean.getBoolean("hearth.full") ? 4 : 3;
    private static final int STRIDE = Boolean.getBoolean("hearth.full") ? 1 : 3; // between the records that are lost
    private static final int STEPS = 3;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Outcome(float[] values, int contributors, RankOfWorld after) {}

    /** The numbers by which a script distributes its data. */
    private record RankOfWorld(int rank, int world) {
        static RankOfWorld of(DistributedContext context) {
            return new RankOfWorld(context.rank(), context.worldSize());
        }
    }

    private static RankOfWorld[] ranks(TestGroup group) {
        return group.nodes.stream()
                .map(node -> RankOfWorld.of(new DistributedContext(group.of(node))))
                .toArray(RankOfWorld[]::new);
    }

    /** Checks the rank of each of {@code kept} among {@code with}. */
    private static void checkRanks(List<Integer> with, List<Integer> kept, RankOfWorld[] ranks, String when) {
        for (int member : kept) {
            assertEquals(
                    new RankOfWorld(with.indexOf(member), with.size()), ranks[member], when + ", member " + member);
        }
    }

    /** Every way for sums; {@code ONE_SHOT} and {@code TWO_HOPS} are both {@link AllReduceStrategy#DIRECT}. */
    enum Way {
        RING,
        IN_PLACE,
        ONE_SHOT,
        TWO_HOPS,
        TREE,
        CENTRALIZED,
        HIERARCHICAL,
        HIERARCHICAL_IN_PLACE;

        /** Two on each machine, where this makes a difference. */
        private List<NodeId> nodes(int world) {
            return TestGroup.nodes(world, this == HIERARCHICAL || this == HIERARCHICAL_IN_PLACE ? 2 : 1);
        }

        private boolean isInPlace() {
            return this == IN_PLACE || this == HIERARCHICAL_IN_PLACE;
        }

        private EngineOptions options() {
            AllReduceStrategy strategy = switch (this) {
                case RING, IN_PLACE -> AllReduceStrategy.RING;
                case ONE_SHOT, TWO_HOPS -> AllReduceStrategy.DIRECT;
                case TREE -> AllReduceStrategy.TREE;
                case CENTRALIZED -> AllReduceStrategy.CENTRALIZED;
                case HIERARCHICAL, HIERARCHICAL_IN_PLACE -> AllReduceStrategy.HIERARCHICAL;
            };
            var bytesAreDear = new LinkModel(0, 1000, 0, 0, 1, 0);
            return RETRY.with(new CollectiveConfig(
                    strategy,
                    BroadcastStrategy.AUTO,
                    ReduceStrategy.AUTO,
                    512,
                    1024,
                    isInPlace() ? 0 : Long.MAX_VALUE,
                    1024 * 1024,
                    this == TWO_HOPS || this == HIERARCHICAL ? bytesAreDear : LinkModel.GIGABIT));
        }
    }

    /** The way in which a script makes its sums. */
    enum Manner {
        CALLED,
        /** Begun, and then played by the beginning thread as far as records are there. */
        BEGUN_EARLY,
        /** The same, as far as records come. */
        BEGUN_TOGETHER;

        private MemoryFabric.Looks looks() {
            return switch (this) {
                case CALLED -> MemoryFabric.Looks.NONE;
                case BEGUN_EARLY -> MemoryFabric.Looks.PRESENT;
                case BEGUN_TOGETHER -> MemoryFabric.Looks.COMING;
            };
        }

        private CollectiveResult sum(DistributedContext context, float[] values, ReduceOp op)
                throws CollectiveException, InterruptedException {
            return this == CALLED
                    ? context.allReduce(values, op)
                    : context.allReduceAsync(values, op).await();
        }
    }

    /** Runs some all-reduces, kills {@code victim} before its record {@code after}; true if it died at all. */
    private static boolean killDuringSums(
            Way way, Manner manner, int world, int victim, int after, int count, ReduceOp op) throws Exception {
        List<Integer> order = CollectiveEngineTest.ranks(world).reversed();
        try (var group = new TestGroup(way.nodes(world), way.options(), order)) {
            group.fabric.tellsRoom(way.isInPlace());
            group.fabric.looks(manner.looks());
            var results = new Outcome[world][STEPS];
            NodeId dead = group.nodes.get(victim);
            group.fabric.killAfter(dead, after, () -> group.told.add("killed"));
            var done = new AtomicIntegerArray(world);
            TestGroup.Run run = group.start((rank, context) -> {
                for (int step = 0; step < STEPS; step++) {
                    float[] values = CollectiveEngineTest.input(rank + 100 * step, count);
                    CollectiveResult result = manner.sum(context, values, op);
                    results[rank][step] = new Outcome(values, result.contributors(), RankOfWorld.of(context));
                }
                if (done.incrementAndGet(0) == world) {
                    group.told.add("all done");
                }
            });
            String what = group.awaitOne("killed", "all done");
            List<NodeId> kept = group.without(dead);
            if (what.equals("killed")) {
                group.change(kept);
                group.end(dead);
            }
            Map<Integer, Throwable> thrown = run.join();
            thrown.remove(victim);
            assertEquals(Map.of(), thrown, () -> "rank " + victim + " killed after " + after + ", " + way);
            if (what.equals("killed")) {
                checkSums(world, victim, count, op, results);
            }
            return what.equals("killed");
        }
    }

    private static void checkSums(int world, int victim, int count, ReduceOp op, Outcome[][] results) {
        List<Integer> survivors =
                IntStream.range(0, world).filter(rank -> rank != victim).boxed().toList();
        for (int step = 0; step < STEPS; step++) {
            int number = step;
            Outcome first = results[survivors.getFirst()][step];
            List<Integer> contributors = first.contributors() == world ? CollectiveEngineTest.ranks(world) : survivors;
            assertEquals(contributors.size(), first.contributors());
            int offset = 100 * step;
            float[] expected = CollectiveEngineTest.sum(
                    contributors.stream().map(rank -> rank + offset).toList(), count);
            if (op == ReduceOp.AVG) {
                for (int i = 0; i < count; i++) {
                    expected[i] /= contributors.size();
                }
            }
            var ranks = new RankOfWorld[world];
            survivors.forEach(rank -> ranks[rank] = results[rank][number].after());
            checkRanks(contributors, survivors, ranks, "after step " + step);
            for (int survivor : survivors) {
                assertArrayEquals(expected, results[survivor][step].values(), "step " + step + " rank " + survivor);
                assertEquals(first.contributors(), results[survivor][step].contributors());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void survivorsOfALossAtAnyRecordEndWithTheSameRightSums(Way way) throws Exception {
        for (int world = 2; world <= WORLD_MAX; world++) {
            killEachAtEachRecord(way, Manner.CALLED, world, 600);
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void aSmallCallSurvivesALossAtAnyRecordToo(Way way) throws Exception {
        for (Manner manner : Manner.values()) {
            if (manner == Manner.CALLED || !way.isInPlace()) { // a sum in place is never played by the beginning thread
                killEachAtEachRecord(way, manner, 3, 5);
            }
        }
    }

    private static void killEachAtEachRecord(Way way, Manner manner, int world, int count) throws Exception {
        for (int victim = 0; victim < world; victim++) {
            int after = 0;
            while (killDuringSums(
                    way, manner, world, victim, after, count, after % 2 == 0 ? ReduceOp.AVG : ReduceOp.SUM)) {
                after += STRIDE;
            }
            assertTrue(after >= STEPS, "the last kill was after " + after);
        }
    }

    /** Loses the last record from rank 0 to rank 1 of an all-reduce: ranks 0 and 2 return, rank 1 never gets all. */
    private static TestGroup oneFinishedAndOneNot(EngineOptions options) {
        var group = new TestGroup(3, options);
        var sent = new AtomicInteger();
        NodeId first = group.nodes.getFirst();
        group.fabric.tamper((from, header) -> from.equals(first) && sent.incrementAndGet() == 4 ? null : header);
        return group;
    }

    private static void killRankZeroOnceTheOthersReturned(TestGroup group) {
        group.awaitTold("returned 0", "returned 2");
        group.fabric.kill(group.nodes.getFirst());
        group.awaitTold("broken 1");
    }

    @Test
    void aResultThatOneMemberReturnedGoesToTheOtherWithItsContributors() throws Exception {
        for (LossPolicy policy : LossPolicy.values()) {
            try (var group = oneFinishedAndOneNot(RETRY.onLoss(policy))) {
                var contributors = new AtomicIntegerArray(3);
                TestGroup.Run run = group.start((rank, context) -> {
                    float[] values = CollectiveEngineTest.input(rank, 50);
                    contributors.set(
                            rank, context.allReduce(values, ReduceOp.SUM).contributors());
                    assertArrayEquals(CollectiveEngineTest.sum(CollectiveEngineTest.ranks(3), 50), values);
                    group.told.add("returned " + rank);
                });
                killRankZeroOnceTheOthersReturned(group);
                Resolution resolution = group.change(group.without(group.nodes.getFirst()));
                group.end(group.nodes.getFirst());
                assertEquals(List.of(new Resolution.Forward(1, group.nodes.get(2), 3, 200)), resolution.forwards());
                assertEquals(Map.of(), run.join(List.of(1, 2)));
                assertEquals(3, contributors.get(1), "the lost one had contributed");
                assertEquals(3, contributors.get(2));
            }
        }
    }

    @Test
    void aForwardedNumberLeavesAllWhoGoOnWithTheRanksWithWhichItRan() throws Exception {
        try (var group = oneFinishedAndOneNot(RETRY)) {
            var forwarded = new RankOfWorld[3];
            var next = new RankOfWorld[3];
            TestGroup.Run run = group.start((rank, context) -> {
                context.allReduce(CollectiveEngineTest.input(rank, 50), ReduceOp.SUM);
                forwarded[rank] = RankOfWorld.of(context);
                group.told.add("returned " + rank);
                if (rank != 0) {
                    context.barrier();
                    next[rank] = RankOfWorld.of(context);
                }
            });
            killRankZeroOnceTheOthersReturned(group);
            group.change(group.without(group.nodes.getFirst()));
            group.end(group.nodes.getFirst());
            assertEquals(Map.of(), run.join(List.of(1, 2)));
            checkRanks(List.of(0, 1, 2), List.of(1, 2), forwarded, "after the forward");
            checkRanks(List.of(1, 2), List.of(1, 2), next, "after the next number");
        }
    }

    @Test
    void viewsThatComeBetweenTwoNumbersChangeNoRankUntilTheNextEnds() throws Exception {
        try (var group = new TestGroup(4, RETRY)) {
            NodeId dead = group.nodes.get(1);
            List<Integer> all = CollectiveEngineTest.ranks(4);
            List<Integer> kept = List.of(0, 2, 3);
            var viewsCame = new CountDownLatch(1);
            var after = new RankOfWorld[4];
            TestGroup.Run run = group.start((rank, context) -> {
                context.barrier();
                if (rank != 1) {
                    viewsCame.await();
                    context.barrier();
                    after[rank] = RankOfWorld.of(context);
                }
            });
            run.join(List.of(1));
            group.awaitTold("progress 0 1", "progress 2 1", "progress 3 1");
            group.fabric.kill(dead);
            group.change(group.without(dead), () -> checkRanks(all, kept, ranks(group), "between"));
            group.change(List.of(group.nodes.get(3), group.nodes.get(0), group.nodes.get(2)));
            checkRanks(all, kept, ranks(group), "two views later");
            viewsCame.countDown();
            assertEquals(Map.of(), run.join(kept));
            checkRanks(List.of(3, 0, 2), kept, after, "after the next number");
        }
    }

    /** By the time of its turn another member may have the number of the root. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aBegunBroadcastKeepsTheRootThatItsCallerMeant(int root) throws Exception {
        try (var group = new TestGroup(3, RETRY)) {
            NodeId dead = group.nodes.getFirst();
            float[][] values = {{100}, {111}, {222}};
            TestGroup.Run run = group.start((rank, context) -> {
                context.barrier();
                if (rank == 0) {
                    return;
                }
                Work sum = context.begin(ranks -> ranks.allReduce(new float[50], ReduceOp.SUM));
                Work copy = context.begin(ranks -> ranks.broadcast(values[rank], root));
                group.told.add("began " + rank);
                assertEquals(2, sum.await().contributors());
                copy.await();
            });
            run.join(List.of(0));
            group.awaitTold("began 1", "began 2");
            group.fabric.kill(dead);
            group.change(group.without(dead));
            Map<Integer, Throwable> thrown = run.join(List.of(1, 2));
            if (root == 1) {
                assertEquals(Map.of(), thrown);
                assertArrayEquals(new float[][] {{100}, {111}, {111}}, values);
            } else {
                assertInstanceOf(RootLostException.class, thrown.get(1));
                assertInstanceOf(RootLostException.class, thrown.get(2));
                assertArrayEquals(new float[][] {{100}, {111}, {222}}, values);
            }
        }
    }

    @Test
    void whoHasNotCalledYetWhenAMemberIsLostMakesTheSameFirstCallAsTheOthers() throws Exception {
        try (var group = new TestGroup(3, RETRY)) {
            NodeId dead = group.nodes.get(2);
            var viewsCame = new CountDownLatch(1);
            TestGroup.Run run = group.start((rank, context) -> {
                if (rank == 1) {
                    viewsCame.await();
                }
                if (rank != 2) {
                    float[] values = {rank + 1};
                    context.allReduce(values, ReduceOp.SUM);
                    assertEquals(3, values[0]);
                }
            });
            group.awaitTold("progress 0 0");
            group.fabric.kill(dead);
            group.change(group.without(dead));
            viewsCame.countDown();
            assertEquals(Map.of(), run.join(List.of(0, 1)));
        }
    }

    @Test
    void aRootThatIsLostBetweenTwoNumbersIsLostForAllAndTheNextRanksAreWithoutIt() throws Exception {
        try (var group = new TestGroup(3, RETRY)) {
            NodeId dead = group.nodes.getFirst();
            var viewsCame = new CountDownLatch(1);
            var after = new RankOfWorld[3];
            TestGroup.Run run = group.start((rank, context) -> {
                context.barrier();
                if (rank == 0) {
                    return;
                }
                if (rank == 2) {
                    viewsCame.await(); // calls when the view is installed; rank 1 called long before
                }
                float[] values = {rank};
                assertThrows(RootLostException.class, () -> context.broadcast(values, 0));
                assertEquals(rank, values[0]);
                after[rank] = RankOfWorld.of(context);
                context.broadcast(values, 0);
                assertEquals(1, values[0]);
            });
            run.join(List.of(0));
            group.awaitTold("progress 1 1", "progress 2 1");
            group.fabric.kill(dead);
            group.change(group.without(dead));
            viewsCame.countDown();
            assertEquals(Map.of(), run.join(List.of(1, 2)));
            checkRanks(List.of(1, 2), List.of(1, 2), after, "after the lost root");
        }
    }

    @Test
    void aForwardWhoseOnlyHolderDiesRunsAgain() throws Exception {
        try (var group = oneFinishedAndOneNot(RETRY)) {
            var contributors = new AtomicIntegerArray(3);
            TestGroup.Run run = group.start((rank, context) -> {
                float[] values = CollectiveEngineTest.input(rank, 50);
                contributors.set(rank, context.allReduce(values, ReduceOp.SUM).contributors());
                if (rank == 1) {
                    assertArrayEquals(CollectiveEngineTest.input(1, 50), values);
                }
                group.told.add("returned " + rank);
            });
            killRankZeroOnceTheOthersReturned(group);
            List<Resolver.Report> reports = group.freeze(group.without(group.nodes.getFirst()));
            assertEquals(1, group.decide(reports).forwards().size());
            group.fabric.kill(group.nodes.get(2)); // the forward is decided, but its only sender is dead
            group.install(List.of(group.nodes.get(1)));
            group.change(List.of(group.nodes.get(1)));
            assertEquals(Map.of(), run.join(List.of(1)));
            assertEquals(1, contributors.get(1));
        }
    }

    @Test
    void failFastEndsOpenCallsOnAllSurvivorsNamingTheLost() throws Exception {
        try (var group = new TestGroup(3, RETRY.onLoss(LossPolicy.FAIL_FAST))) {
            NodeId dead = group.nodes.get(1);
            group.fabric.killAfter(dead, 2, () -> group.told.add("killed"));
            TestGroup.Run run = group.start((rank, context) -> {
                PeerLostException lost = null;
                try {
                    context.allReduce(new float[3000], ReduceOp.SUM);
                } catch (PeerLostException expected) {
                    lost = expected;
                }
                context.barrier(); // the remaining members may continue
                if (lost != null) {
                    throw lost;
                }
            });
            group.awaitTold("killed");
            group.change(group.without(dead));
            group.end(dead);
            Map<Integer, Throwable> thrown = run.join();
            for (int rank : List.of(0, 2)) {
                Throwable error = Optional.ofNullable(thrown.get(rank)).orElseThrow();
                assertEquals(PeerLostException.class, error.getClass());
                assertTrue(String.valueOf(error.getMessage()).contains(dead.shortText()), error.toString());
            }
        }
    }

    @Test
    void aFrozenGroupReturnsNothingAndResumesInPlaceWhenItsListStays() throws Exception {
        try (var group = new TestGroup(3, RETRY)) {
            group.freeze(group.nodes);
            TestGroup.Run run = group.start((rank, context) -> {
                float[] values = CollectiveEngineTest.input(rank, 2000);
                context.allReduce(values, ReduceOp.SUM);
                assertArrayEquals(CollectiveEngineTest.sum(CollectiveEngineTest.ranks(3), 2000), values);
                group.told.add("end");
            });
            group.awaitTold("progress 0 0", "progress 1 0", "progress 2 0"); // all have called
            assertEquals(0, group.fabric.records());
            List<Resolver.Report> reports = group.freeze(group.nodes);
            group.decide(reports);
            group.install(group.nodes);
            run.joinWell();
            assertEquals(0, group.engine(0).metricsSnapshot().repeatedAfterLoss());
        }
    }

    @Test
    void viewChangesAtEveryRecordRepeatNothingWhileTheListStays() throws Exception {
        for (int at = 1; at < 40; at++) {
            try (var group = new TestGroup(3, RETRY)) {
                int when = at;
                var seen = new AtomicInteger();
                group.fabric.tamper((from, header) -> {
                    if (seen.incrementAndGet() == when) {
                        group.told.add("now");
                    }
                    return header;
                });
                TestGroup.Run run = group.start((rank, context) -> {
                    float[] values = CollectiveEngineTest.input(rank, 2000);
                    context.allReduce(values, ReduceOp.SUM);
                    assertArrayEquals(CollectiveEngineTest.sum(CollectiveEngineTest.ranks(3), 2000), values);
                });
                group.awaitTold("now");
                group.change(group.nodes);
                run.joinWell();
                assertEquals(0, group.engine(0).metricsSnapshot().repeatedAfterLoss());
            }
        }
    }

    @Test
    void aStreamThatBreaksBetweenMembersThatStayIsSetUpAnewAndNothingIsLost() throws Exception {
        for (int world : new int[] {2, 3}) {
            try (var group = new TestGroup(world, RETRY)) {
                var seen = new AtomicInteger();
                group.fabric.tamper((from, header) -> {
                    if (seen.incrementAndGet() == 12) {
                        group.fabric.cut(group.nodes.get(0), group.nodes.get(1));
                    }
                    return header;
                });
                TestGroup.Run run = group.start((rank, context) -> {
                    for (int step = 0; step < 3; step++) {
                        float[] values = CollectiveEngineTest.input(rank, 2000);
                        CollectiveResult result = context.allReduce(values, ReduceOp.SUM);
                        assertEquals(world, result.contributors());
                        assertArrayEquals(CollectiveEngineTest.sum(CollectiveEngineTest.ranks(world), 2000), values);
                    }
                });
                group.awaitTold("broken");
                group.change(group.nodes);
                run.joinWell();
            }
        }
    }

    @Test
    void aRemovedMemberIsToldSo() throws Exception {
        try (var group = new TestGroup(2, RETRY)) {
            TestGroup.Run run = group.start((rank, context) -> {
                context.barrier();
                if (rank == 0) {
                    context.barrier();
                }
            });
            run.join(List.of(1));
            group.awaitTold("progress 0 1");
            group.engine(0).removed(new RemovedFromClusterException("epoch 9 goes on without this node"));
            assertEquals(
                    RemovedFromClusterException.class,
                    Optional.ofNullable(run.join().get(0)).orElseThrow().getClass());
        }
    }
}
