package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.Work;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.GroupDecision;
import io.hearth.collective.group.OpenCall;
import io.hearth.collective.group.Resolution;
import io.hearth.collective.group.StatusReport;
import io.hearth.collective.group.SubgroupId;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.PeerLostException;
import io.hearth.core.ReduceOp;
import io.hearth.core.ReenterableException;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.election.Member;
import io.hearth.election.Role;
import io.hearth.identity.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Collectives among some ranks of a group, with the group's own between them, and losses at each record. */
final class SubgroupsTest {
    private static final int WORLD = 4;
    private static final int COUNT = 300;
    private static final int ROUNDS = 2;
    private static final int STRIDE = Boolean.getBoolean("hearth.full") ? 1 : 5; // between the records that are lost
    private static final EngineOptions OPTIONS = EngineOptions.DEFAULTS
            .within(Duration.ofMinutes(1))
            .with(CollectiveConfig.DEFAULTS.by(AllReduceStrategy.RING).cut(512, 1024));

    /** A mesh of two rows and two columns, as a script with two kinds of parallelism makes it. */
    private record MeshOfRanks(
            DistributedContext row, DistributedContext column, List<Integer> ofRow, List<Integer> ofColumn) {
        static MeshOfRanks of(int rank, DistributedContext whole) throws CollectiveException {
            Optional<DistributedContext> row = Optional.empty();
            Optional<DistributedContext> column = Optional.empty();
            for (List<Integer> ranks : List.of(List.of(0, 1), List.of(2, 3))) {
                row = row.or(() -> splits(whole, ranks));
            }
            for (List<Integer> ranks : List.of(List.of(2, 0), List.of(3, 1))) { // in another order
                column = column.or(() -> splits(whole, ranks));
            }
            return new MeshOfRanks(
                    row.orElseThrow(),
                    column.orElseThrow(),
                    rank < 2 ? List.of(0, 1) : List.of(2, 3),
                    rank % 2 == 0 ? List.of(2, 0) : List.of(3, 1));
        }

        private static Optional<DistributedContext> splits(DistributedContext whole, List<Integer> ranks) {
            try {
                return whole.split(ranks);
            } catch (CollectiveException bug) {
                throw new AssertionError(bug);
            }
        }
    }

    /** A sum of one rank: the values, and the ranks that contributed. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Sum(float[] values, int contributors, int rankAfter, int worldAfter) {
        static Sum of(DistributedContext context, int rank, int number) throws CollectiveException {
            float[] values = CollectiveEngineTest.input(rank + 100 * number, COUNT);
            CollectiveResult result = context.allReduce(values, ReduceOp.SUM);
            return new Sum(values, result.contributors(), context.rank(), context.worldSize());
        }
    }

    @Test
    void rowsAndColumnsSumBesideTheWhole() throws Exception {
        try (var group = new TestGroup(WORLD, OPTIONS)) {
            group.start((rank, context) -> {
                        MeshOfRanks mesh = MeshOfRanks.of(rank, context);
                        assertEquals(
                                mesh.ofColumn().indexOf(rank), mesh.column().rank());
                        assertEquals(2, mesh.row().worldSize());
                        for (int number = 0; number < 3; number++) {
                            checkSum(mesh.ofRow(), number, Sum.of(mesh.row(), rank, number));
                            checkSum(mesh.ofColumn(), number, Sum.of(mesh.column(), rank, number));
                            checkSum(CollectiveEngineTest.ranks(WORLD), number, Sum.of(context, rank, number));
                        }
                        float[] fromFirst = {rank};
                        mesh.column().broadcast(fromFirst, 0);
                        assertEquals(mesh.ofColumn().getFirst(), (int) fromFirst[0]);
                        int peer = mesh.row().rank() == 0 ? 1 : 0;
                        float[] got = new float[1];
                        if (peer == 1) {
                            mesh.row().send(new float[] {rank}, peer);
                            mesh.row().receive(got, peer);
                        } else {
                            mesh.row().receive(got, peer);
                            mesh.row().send(new float[] {rank}, peer);
                        }
                        assertEquals(mesh.ofRow().get(peer), (int) got[0]);
                    })
                    .joinWell();
        }
    }

    private static void checkSum(List<Integer> of, int number, Sum sum) {
        assertEquals(of.size(), sum.contributors());
        float[] expected = CollectiveEngineTest.sum(
                of.stream().map(rank -> rank + 100 * number).toList(), COUNT);
        assertArrayEquals(expected, sum.values(), "number " + number);
    }

    @ParameterizedTest
    @EnumSource(LossPolicy.class)
    void aLossAtAnyRecordLeavesEachSubgroupWithOneResult(LossPolicy policy) throws Exception {
        for (int victim = 0; victim < WORLD; victim++) {
            int after = 0;
            while (killDuringRounds(policy, victim, after)) {
                after += STRIDE;
            }
            assertTrue(after > ROUNDS * STRIDE, "the last kill was after " + after);
        }
    }

    /** Every sum of a rank, in order: row, column, whole, row, ...; empty for one that failed because of a loss. */
    private static boolean killDuringRounds(LossPolicy policy, int victim, int after) throws Exception {
        try (var group = new TestGroup(WORLD, OPTIONS.onLoss(policy))) {
            NodeId dead = group.nodes.get(victim);
            group.fabric.killAfter(dead, after, () -> group.told.add("killed"));
            List<List<Optional<Sum>>> sums = IntStream.range(0, WORLD)
                    .<List<Optional<Sum>>>mapToObj(_ -> new ArrayList<>())
                    .toList();
            var done = new AtomicInteger();
            List<MeshOfRanks> meshes = new ArrayList<>(); // before a loss, after which ranks 0 to 3 are not there
            for (int rank = 0; rank < WORLD; rank++) {
                meshes.add(MeshOfRanks.of(rank, new DistributedContext(group.engine(rank))));
            }
            TestGroup.Run run = group.start((rank, context) -> {
                MeshOfRanks mesh = meshes.get(rank);
                for (int round = 0; round < ROUNDS; round++) {
                    for (DistributedContext on : List.of(mesh.row(), mesh.column(), context)) {
                        sums.get(rank).add(sum(on, rank, sums.get(rank).size()));
                    }
                }
                if (done.incrementAndGet() == WORLD) {
                    group.told.add("all done");
                }
            });
            boolean isKilled = group.awaitOne("killed", "all done").equals("killed");
            if (isKilled) {
                group.change(group.without(dead));
                group.end(dead);
            }
            Map<Integer, Throwable> thrown = run.join();
            thrown.remove(victim);
            assertEquals(Map.of(), thrown, () -> "rank " + victim + " killed after " + after);
            for (int number = 0; number < 3 * ROUNDS && isKilled; number++) {
                checkOne(number, victim, sums, "victim " + victim + " after " + after + ", number " + number);
            }
            return isKilled;
        }
    }

    private static Optional<Sum> sum(DistributedContext on, int rank, int number) throws CollectiveException {
        try {
            return Optional.of(Sum.of(on, rank, number));
        } catch (PeerLostException lost) {
            return Optional.empty(); // with failFast, on all ranks alike
        }
    }

    private static void checkOne(int number, int victim, List<List<Optional<Sum>>> sums, String when) {
        List<List<Integer>> groups = switch (number % 3) {
            case 0 -> List.of(List.of(0, 1), List.of(2, 3));
            case 1 -> List.of(List.of(2, 0), List.of(3, 1));
            default -> List.of(CollectiveEngineTest.ranks(WORLD));
        };
        for (List<Integer> all : groups) {
            List<Integer> kept = all.stream().filter(rank -> rank != victim).toList();
            Optional<Sum> first = sums.get(kept.getFirst()).get(number);
            for (int rank : kept) {
                Optional<Sum> own = sums.get(rank).get(number);
                assertEquals(first.isPresent(), own.isPresent(), when);
                if (own.isPresent()) {
                    List<Integer> with = own.get().contributors() == all.size() ? all : kept;
                    assertEquals(first.get().contributors(), own.get().contributors(), when);
                    checkSum(with, number, own.get());
                    assertEquals(with.indexOf(rank), own.get().rankAfter(), when);
                    assertEquals(with.size(), own.get().worldAfter(), when);
                }
            }
        }
    }

    @Test
    void aResultThatOneMemberReturnedGoesToTheOthersOfItsSubgroup() throws Exception {
        List<Integer> some = List.of(1, 2, 3);
        try (var group = new TestGroup(WORLD, OPTIONS)) {
            NodeId first = group.nodes.get(1);
            var sent = new AtomicInteger();
            // The last record from rank 1 to rank 2 is lost: ranks 1 and 3 return, rank 2 never gets all.
            group.fabric.tamper((from, header) -> from.equals(first) && sent.incrementAndGet() == 4 ? null : header);
            TestGroup.Run run = group.start((rank, context) -> {
                Optional<DistributedContext> subgroup = context.split(some);
                if (subgroup.isPresent()) {
                    float[] values = CollectiveEngineTest.input(rank, 50);
                    assertEquals(
                            3, subgroup.get().allReduce(values, ReduceOp.SUM).contributors());
                    assertArrayEquals(CollectiveEngineTest.sum(some, 50), values);
                    group.told.add("returned " + rank);
                }
            });
            group.awaitTold("returned 1", "returned 3");
            group.fabric.kill(first);
            group.awaitTold("broken 2");
            List<NodeId> kept = group.without(first);
            GroupDecision decision = group.decideAll(group.freeze(kept));
            group.install(kept);
            group.end(first);
            SubgroupId id = SubgroupId.of(
                    group.lineage(),
                    some.stream()
                            .map(group.nodes::get)
                            .map(node -> new Member(node, 1, 1, Role.TRAINER, TestGroup.GROUP, 1))
                            .toList(),
                    0);
            assertEquals(
                    List.of(new Resolution.Forward(1, group.nodes.get(3), 3, 200)),
                    decision.of(id).forwards());
            assertEquals(Map.of(), run.join(List.of(0, 2, 3)));
        }
    }

    @Test
    void aSubgroupThatIsMadeDuringAViewChangeWaitsForIt() throws Exception {
        try (var group = new TestGroup(3, OPTIONS)) {
            NodeId dead = group.nodes.getFirst();
            List<NodeId> kept = group.without(dead);
            var reports = group.freeze(kept);
            var begun = new CountDownLatch(2);
            TestGroup.Run run = group.start((rank, context) -> {
                if (rank == 0) {
                    return;
                }
                DistributedContext subgroup = context.split(List.of(0, 1, 2)).orElseThrow();
                begun.countDown();
                float[] values = {rank};
                assertEquals(2, subgroup.allReduce(values, ReduceOp.SUM).contributors());
                assertEquals(3, values[0]);
            });
            begun.await();
            group.decide(reports);
            group.install(kept);
            assertEquals(Map.of(), run.join(List.of(1, 2)));
        }
    }

    @Test
    void aMemberThatTheGroupLostIsNoMemberOfTheSubgroupWhenItComesBack() throws Exception {
        try (var group = new TestGroup(3, OPTIONS)) {
            NodeId back = group.nodes.get(2);
            var subgroups = new ArrayList<DistributedBackend>();
            for (int rank = 0; rank < 3; rank++) {
                subgroups.add(group.engine(rank).split(List.of(0, 1, 2)).orElseThrow());
            }
            group.change(group.without(back));
            group.of(back).removed(new RemovedFromClusterException("others went on"));
            group.admit(back);
            group.start((rank, _) -> {
                        var subgroup = new DistributedContext(subgroups.get(rank));
                        float[] values = {rank + 1};
                        if (rank == 2) {
                            CollectiveException error = assertThrows(
                                    CollectiveException.class, () -> subgroup.allReduce(values, ReduceOp.SUM));
                            assertTrue(String.valueOf(error.getMessage()).contains("others went on"), error.toString());
                        } else {
                            subgroup.allReduce(values, ReduceOp.SUM);
                            assertEquals(3, values[0]);
                            assertEquals(2, subgroup.worldSize());
                        }
                    })
                    .joinWell();
        }
    }

    @Test
    void aMemberThatCameBackReportsNothingOfItsFormerSubgroups() throws Exception {
        try (var group = new TestGroup(2, OPTIONS)) {
            NodeId back = group.nodes.get(1);
            for (int rank = 0; rank < 2; rank++) {
                assertTrue(group.engine(rank).split(List.of(0, 1)).isPresent());
            }
            group.change(group.without(back));
            group.of(back).removed(new RemovedFromClusterException("others went on"));
            group.admit(back);
            List<StatusReport> reports = new ArrayList<>();
            for (var report : group.freeze(group.nodes)) {
                reports.add(CollectiveMessages.statusReport(report.status()));
            }
            assertEquals(1, reports.get(0).subgroups().size());
            assertEquals(Map.of(), reports.get(1).subgroups(), "its numbers may be those of another time");
        }
    }

    @Test
    void subgroupsThatComeAndGoLeaveNothing() throws Exception {
        try (var group = new TestGroup(2, OPTIONS)) {
            group.start((_, context) -> {
                        for (int round = 0; round < 10 * StatusReport.SUBGROUPS_MAX; round++) {
                            DistributedContext some =
                                    context.split(List.of(1, 0)).orElseThrow();
                            some.barrier();
                            some.closeSubgroup();
                            context.barrier();
                        }
                    })
                    .joinWell();
            for (var report : group.freeze(group.nodes)) {
                int left = CollectiveMessages.statusReport(report.status())
                        .subgroups()
                        .size();
                assertTrue(left <= 1, "the last one may be left, got " + left);
            }
        }
    }

    @Test
    void afterASubgroupsCallTheGroupNeedsNoLostMemberOfItsStart() throws Exception {
        try (var group = new TestGroup(3, OPTIONS)) {
            NodeId dead = group.nodes.get(2);
            var viewsCame = new CountDownLatch(1);
            TestGroup.Run run = group.start((rank, context) -> {
                group.engine(rank).start(3, CollectiveOptions.DEFAULTS);
                DistributedContext all = context.split(List.of(0, 1, 2)).orElseThrow();
                all.barrier();
                if (rank < 2) {
                    group.told.add("ready " + rank);
                    viewsCame.await();
                    context.barrier();
                    assertEquals(2, context.worldSize());
                }
            });
            run.join(List.of(2));
            group.awaitTold("ready 0", "ready 1");
            group.fabric.kill(dead);
            group.change(group.without(dead));
            viewsCame.countDown();
            assertEquals(Map.of(), run.join(List.of(0, 1)));
        }
    }

    @Test
    void anOpenCallIsNamedAndCanEndAsAMismatch() throws Exception {
        try (var group = new TestGroup(2, OPTIONS)) {
            CollectiveEngine engine = group.engine(0);
            assertEquals(Optional.empty(), engine.openCall());
            DistributedBackend subgroup = engine.split(List.of(0, 1)).orElseThrow();
            assertTrue(engine.hasSubgroups());
            assertThrows(CollectiveMismatchException.class, () -> {
                Thread watch = Thread.ofPlatform().start(() -> {
                    Optional<OpenCall> open = engine.openCall();
                    while (open.isEmpty()) {
                        Thread.onSpinWait();
                        open = engine.openCall();
                    }
                    engine.mismatched(
                            open.get(),
                            "they wait for each other: " + open.get().text());
                });
                try {
                    subgroup.barrier(CollectiveOptions.DEFAULTS);
                } finally {
                    watch.join();
                }
            });
            assertTrue(group.awaitTold("gaveUp 0").contains("they wait for each other: "));
        }
    }

    @Test
    void callsThatWereBegunRunInOneOrder() throws Exception {
        try (var group = new TestGroup(2, OPTIONS)) {
            group.start((rank, context) -> {
                        DistributedContext subgroup =
                                context.split(List.of(1, 0)).orElseThrow();
                        float[] one = {rank};
                        float[] two = {rank};
                        List<Work> works = new ArrayList<>();
                        for (int round = 0; round < 20; round++) {
                            works.add(subgroup.begin(ranks -> ranks.allReduce(one, ReduceOp.SUM)));
                            works.add(context.begin(ranks -> ranks.allReduce(two, ReduceOp.SUM)));
                        }
                        for (Work work : works) {
                            work.await();
                        }
                        assertEquals(1 << 19, one[0]);
                        assertEquals(1 << 19, two[0]);
                        context.barrier();
                    })
                    .joinWell();
        }
    }

    @Test
    void aDeadlineInASubgroupTakesItsMemberOutOfTheGroup() throws Exception {
        try (var group = new TestGroup(2, OPTIONS)) {
            DistributedBackend subgroup = group.engine(0).split(List.of(0, 1)).orElseThrow();
            CollectiveOptions soon = CollectiveOptions.DEFAULTS.within(Duration.ofMillis(50));
            CollectiveException late = assertThrows(CollectiveException.class, () -> subgroup.barrier(soon));
            assertInstanceOf(ReenterableException.class, late);
            assertTrue(group.awaitTold("gaveUp 0").contains("did not complete before its deadline"));
        }
    }

    @Test
    void aMemberThatIsOutOfItsGroupMakesNoSubgroup() throws Exception {
        try (var group = new TestGroup(2, OPTIONS)) {
            CollectiveEngine engine = group.engine(0);
            CollectiveOptions soon = CollectiveOptions.DEFAULTS.within(Duration.ofMillis(50));
            assertThrows(ReenterableException.class, () -> engine.barrier(soon));
            assertThrows(ReenterableException.class, () -> engine.split(List.of(0, 1)));
        }
    }

    @Test
    void aClosedEngineHasNoMoreSubgroups() throws Exception {
        try (var group = new TestGroup(2, OPTIONS)) {
            group.engine(0).fail(new CollectiveException("ended by its owner"));
            var refused = assertThrows(
                    CollectiveException.class, () -> group.engine(0).split(List.of(0, 1)));
            assertTrue(String.valueOf(refused.getMessage()).contains("ended by its owner"), refused.toString());
        }
    }

    @Test
    void whatIsWrongIsRejectedAtOnce() throws Exception {
        try (var group = new TestGroup(2, OPTIONS)) {
            CollectiveEngine engine = group.engine(0);
            for (List<Integer> wrong : List.of(List.<Integer>of(), List.of(0, 0), List.of(0, 2), List.of(-1))) {
                assertThrows(IllegalArgumentException.class, () -> engine.split(wrong), () -> "ranks " + wrong);
            }
            assertEquals(Optional.empty(), engine.split(List.of(1)));
            DistributedBackend alone = engine.split(List.of(0)).orElseThrow();
            assertThrows(IllegalStateException.class, () -> alone.beginStep(CollectiveOptions.DEFAULTS));
            assertThrows(IllegalStateException.class, () -> alone.share("weights", List.of()));
            assertThrows(IllegalStateException.class, () -> alone.resumeAt(1));
            assertThrows(IllegalStateException.class, () -> new DistributedContext(engine).closeSubgroup());
            new DistributedContext(alone).barrier();
            List<DistributedBackend> more = new ArrayList<>();
            for (int made = 1; made < StatusReport.SUBGROUPS_MAX; made++) {
                more.add(engine.split(List.of(0)).orElseThrow());
            }
            IllegalStateException full = assertThrows(IllegalStateException.class, () -> engine.split(List.of(0)));
            assertTrue(String.valueOf(full.getMessage()).contains("close those"), full.toString());
            more.forEach(DistributedBackend::close);
            group.start((_, context) -> context.barrier()).joinWell();
            assertTrue(engine.split(List.of(0)).isPresent(), "those that were closed are gone");
        }
    }
}
