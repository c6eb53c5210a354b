package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.Reducer;
import io.hearth.accel.select.Engines;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveMetrics;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.Operation;
import io.hearth.collective.OperationCounts;
import io.hearth.collective.exchange.Wire;
import io.hearth.collective.group.GroupActivity;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.DeadlineExceededException;
import io.hearth.core.HearthException;
import io.hearth.core.LeftGroupException;
import io.hearth.core.LineageLostException;
import io.hearth.core.NotEnoughRanksException;
import io.hearth.core.PeerLostException;
import io.hearth.core.ReduceOp;
import io.hearth.core.ReenterableException;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.core.SetupException;
import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;
import io.hearth.transport.RecordHeader;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Engines on streams in memory, without losses. */
public final class CollectiveEngineTest {
    private static final EngineOptions SMALL_SEGMENTS = new EngineOptions(
            Duration.ofMinutes(1),
            CollectiveConfig.DEFAULTS.by(AllReduceStrategy.RING).cut(256, 1024),
            LossPolicy.RETRY,
            Duration.ofSeconds(10),
            CompressionStrategy.NONE);

    public static float[] input(int rank, int count) {
        var random = new SplittableRandom(rank * 7919L + count);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextInt(-1000, 1001);
        }
        return values;
    }

    public static float[] sum(List<Integer> ranks, int count) {
        float[] sum = new float[count];
        for (int rank : ranks) {
            float[] values = input(rank, count);
            for (int i = 0; i < count; i++) {
                sum[i] += values[i];
            }
        }
        return sum;
    }

    public static List<Integer> ranks(int world) {
        return IntStream.range(0, world).boxed().toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void sumsAreRightAndTheSameBytesOnAllRanks(int world) throws Exception {
        try (var group = new TestGroup(world, SMALL_SEGMENTS)) {
            int[] counts = {0, 1, 2, 3, 7, 64, 1000, 10_007};
            float[][][] results = new float[world][counts.length][];
            group.start((rank, context) -> {
                        assertEquals(rank, context.rank());
                        assertEquals(world, context.worldSize());
                        for (int i = 0; i < counts.length; i++) {
                            float[] values = input(rank, counts[i]);
                            CollectiveResult result = context.allReduce(values, ReduceOp.SUM);
                            assertEquals(world, result.contributors());
                            results[rank][i] = values;
                        }
                        context.barrier();
                        CollectiveMetrics counted = context.metricsSnapshot();
                        assertEquals(
                                counts.length, counted.of(Operation.ALL_REDUCE).completed());
                        assertEquals(1, counted.of(Operation.BARRIER).completed());
                        assertEquals(OperationCounts.NONE, counted.of(Operation.GATHER));
                    })
                    .joinWell();
            for (int i = 0; i < counts.length; i++) {
                for (int rank = 0; rank < world; rank++) {
                    assertArrayEquals(sum(ranks(world), counts[i]), results[rank][i]);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void averagesOfAwkwardNumbersAreBitIdentical(int world) throws Exception {
        try (var group = new TestGroup(world, SMALL_SEGMENTS)) {
            float[][] results = new float[world][];
            group.start((rank, context) -> {
                        var random = new SplittableRandom(rank);
                        float[] values = new float[1009];
                        for (int i = 0; i < values.length; i++) {
                            values[i] = (float) (random.nextDouble() - 0.5) * (1 << random.nextInt(24));
                        }
                        context.allReduce(values, ReduceOp.AVG);
                        results[rank] = values;
                    })
                    .joinWell();
            for (int rank = 1; rank < world; rank++) {
                assertArrayEquals(results[0], results[rank]);
            }
        }
    }

    /** What operators see of a training: each kind of call for itself, with its failures, its time and the bytes that this rank sent. */
    @Test
    void everyKindOfCallIsCountedForItself() throws Exception {
        try (var group = new TestGroup(2, SMALL_SEGMENTS)) {
            group.start((rank, context) -> {
                        context.broadcast(new float[1000], 0);
                        context.broadcast(new float[1000], 0);
                        if (rank == 0) {
                            context.send(new float[250], 1);
                        } else {
                            context.receive(new float[250], 0);
                        }
                        assertThrows(
                                CollectiveMismatchException.class,
                                () -> context.allReduce(new float[1 + rank], ReduceOp.SUM));
                        CollectiveMetrics counted = context.metricsSnapshot();
                        OperationCounts broadcasts = counted.of(Operation.BROADCAST);
                        assertEquals(2, broadcasts.completed());
                        assertEquals(rank == 0, broadcasts.sentBytes() > 2 * 4000);
                        assertTrue(broadcasts.seconds() > 0);
                        assertEquals(
                                rank == 0 ? 1 : 0, counted.of(Operation.SEND).completed());
                        assertEquals(
                                rank == 0 ? 1000 : 0, counted.of(Operation.SEND).sentBytes());
                        assertEquals(
                                rank == 1 ? 1 : 0, counted.of(Operation.RECEIVE).completed());
                        OperationCounts sums = counted.of(Operation.ALL_REDUCE);
                        assertEquals(0, sums.completed());
                        assertEquals(1, sums.failed());
                        assertEquals(OperationCounts.NONE, counted.of(Operation.BARRIER));
                    })
                    .joinWell();
        }
    }

    @Test
    void aBroadcastReachesAll() throws Exception {
        for (int world : new int[] {1, 2, 3, 4}) {
            try (var group = new TestGroup(world, SMALL_SEGMENTS)) {
                group.start((rank, context) -> {
                            for (int root = 0; root < world; root++) {
                                float[] values = input(rank + 10 * root, 501);
                                context.broadcast(values, root);
                                assertArrayEquals(input(root + 10 * root, 501), values);
                            }
                        })
                        .joinWell();
            }
        }
    }

    @Test
    void ranksThatAskForDifferentThingsAllHearWhoAskedForWhatAndGoOn() throws Exception {
        for (int world : new int[] {2, 3, 4, 5}) {
            try (var group = new TestGroup(world, SMALL_SEGMENTS)) {
                Map<Integer, Throwable> thrown = group.start((rank, context) -> {
                            CollectiveException error = null;
                            try {
                                int count = rank == 1 ? 20_001 : 1000;
                                context.allReduce(new float[count], rank == 2 ? ReduceOp.MAX : ReduceOp.SUM);
                            } catch (CollectiveMismatchException mismatch) {
                                error = mismatch;
                            }
                            float[] values = input(rank, 100);
                            context.allReduce(values, ReduceOp.SUM); // the group still works
                            assertArrayEquals(sum(ranks(world), 100), values);
                            if (error != null) {
                                throw error;
                            }
                        })
                        .join();
                assertEquals(world, thrown.size());
                for (Throwable error : thrown.values()) {
                    assertEquals(CollectiveMismatchException.class, error.getClass());
                    assertTrue(String.valueOf(error.getMessage()).contains("asked for all-reduce"), error.toString());
                    assertTrue(String.valueOf(error.getMessage()).contains("all ranks must"), error.toString());
                }
            }
        }
    }

    @Test
    void aDeadlineEndsTheCallAndNamesWhomItWaitedFor() throws Exception {
        try (var group = new TestGroup(3, SMALL_SEGMENTS)) {
            var lateDone = new CountDownLatch(1);
            Map<Integer, Throwable> thrown = group.start((rank, context) -> {
                        if (rank == 2) {
                            lateDone.await(); // never calls in time
                            return;
                        }
                        try {
                            context.allReduce(
                                    new float[10],
                                    ReduceOp.SUM,
                                    CollectiveOptions.DEFAULTS.within(Duration.ofMillis(500)));
                        } finally {
                            if (rank == 1) {
                                lateDone.countDown();
                            }
                        }
                    })
                    .join();
            assertEquals(List.of(0, 1), List.copyOf(thrown.keySet()));
            for (Throwable error : thrown.values()) {
                assertEquals(DeadlineExceededException.class, error.getClass());
                assertTrue(String.valueOf(error.getMessage()).contains("waited for rank 2 ("), error.toString());
            }
            group.awaitTold("gaveUp");
        }
    }

    @Test
    void aSegmentThatIsNotTheOneDueEndsTheStreamAndNamesItsSender() throws Exception {
        try (var group = new TestGroup(3, SMALL_SEGMENTS)) {
            group.fabric.tamper((from, header) -> header.kind() == Wire.SEGMENT && from.equals(group.nodes.get(1))
                    ? new RecordHeader(
                            header.length(), header.kind(), header.chunk(), header.collective(), header.offset() + 8)
                    : header);
            var run = group.start((rank, context) -> context.allReduce(new float[1000], ReduceOp.SUM));
            String line = group.awaitTold("broken 2");
            assertTrue(line.contains("rank 1"), line);
            assertTrue(line.contains("was due"), line);
            group.engines.values().forEach(CollectiveEngine::close);
            assertEquals(3, run.join().size());
        }
    }

    @Test
    void aSecondThreadIsRefusedWithoutHarmToTheFirst() throws Exception {
        try (var group = new TestGroup(2, SMALL_SEGMENTS)) {
            var inside = new CountDownLatch(1);
            var refused = new CountDownLatch(1);
            var run = group.start((rank, context) -> {
                if (rank == 1) {
                    refused.await();
                } else {
                    inside.countDown();
                }
                context.barrier();
            });
            inside.await();
            boolean sawRefusal = false;
            while (!sawRefusal) {
                if (group.engine(0).phase() == GroupPhase.FRESH) {
                    Thread.onSpinWait();
                    continue;
                }
                try {
                    new DistributedContext(group.engine(0)).barrier();
                } catch (IllegalStateException second) {
                    sawRefusal = true;
                }
            }
            refused.countDown();
            run.joinWell();
        }
    }

    @Test
    void closeEndsOpenCallsWithATypedErrorAndLeavesNoThread() throws Exception {
        var group = new TestGroup(3, SMALL_SEGMENTS);
        var run = group.start((rank, context) -> {
            context.barrier();
            if (rank != 0) {
                context.allReduce(new float[5000], ReduceOp.SUM);
            }
        });
        run.join(List.of(0));
        group.awaitTold("progress 1 1", "progress 2 1");
        group.close();
        Map<Integer, Throwable> thrown = run.join();
        for (Throwable error : thrown.values()) {
            assertTrue(error instanceof CollectiveException, error.toString());
            assertTrue(String.valueOf(error.getMessage()).contains("closed"), error.toString());
        }
        assertEquals(2, thrown.size());
        assertFalse(Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith("hearth-")
                        && thread.getName().endsWith(TestGroup.GROUP)
                        && thread.isAlive()));
    }

    /** In a small call the calling thread reduces, in a large one the receiver thread. */
    @ParameterizedTest
    @ValueSource(ints = {10, 40_000})
    void aBugInADataThreadEndsTheCallAndThisMemberAndIsNotTriedAgainForEver(int count) throws Exception {
        Reducer good = Engines.best().newReducer();
        Reducer bad = new CallingReducer(good, () -> {
            throw new IllegalStateException("planted");
        });
        try (var group = new TestGroup(3, SMALL_SEGMENTS, List.of(), rank -> rank == 1 ? bad : good)) {
            var run = group.start((rank, context) -> {
                float[] values = input(rank, count);
                try {
                    context.allReduce(values, ReduceOp.SUM);
                } finally {
                    assertArrayEquals(input(rank, count), values, "input is intact");
                }
            });
            Throwable bug = Optional.ofNullable(run.join(List.of(1)).get(1)).orElseThrow();
            assertEquals("planted", bug.getMessage());
            group.awaitTold("gaveUp 1 ");
            ReenterableException over =
                    assertThrows(ReenterableException.class, () -> new DistributedContext(group.engine(1)).barrier());
            assertTrue(String.valueOf(over.getMessage()).contains("planted"), over.toString());
        }
    }

    @Test
    void aDeadlineOfForeverIsOne() throws Exception {
        try (var group = new TestGroup(2, SMALL_SEGMENTS)) {
            var forever = CollectiveOptions.DEFAULTS.within(ChronoUnit.FOREVER.getDuration());
            group.start((rank, context) -> context.barrier(forever)).joinWell();
        }
    }

    @Test
    void anInterruptedCallerLeavesTheGroup() throws Exception {
        try (var group = new TestGroup(2, SMALL_SEGMENTS)) {
            Map<Integer, Throwable> thrown = group.start((rank, context) -> {
                        if (rank == 0) {
                            Thread.currentThread().interrupt();
                            try {
                                context.barrier();
                            } finally {
                                assertTrue(Thread.interrupted(), "the interrupt is kept");
                            }
                        }
                    })
                    .join();
            assertTrue(thrown.get(0) instanceof LeftGroupException, String.valueOf(thrown.get(0)));
        }
    }

    @Test
    void aGroupStartsOnceAllOfItAskedAndWithTheMembersOfThatMoment() throws Exception {
        try (var group = new TestGroup(3, SMALL_SEGMENTS)) {
            NodeId lost = group.nodes.get(2);
            TestGroup.Run run = group.start((rank, context) -> {
                if (rank < 2) {
                    assertEquals(CollectiveEngine.Started.TOGETHER, start(group, rank, 3));
                    assertEquals(3, context.worldSize());
                    context.barrier();
                }
            });
            group.awaitTold("progress 0 0 FRESH", "progress 1 0 FRESH");
            group.change(group.without(lost));
            assertEquals(GroupPhase.FRESH, group.engine(0).phase(), "still open");
            group.engine(2).removed(new RemovedFromClusterException("it was silent"));
            group.admit(lost);
            assertEquals(CollectiveEngine.Started.TOGETHER, start(group, 2, 1));
            new DistributedContext(group.engine(2)).barrier();
            run.joinWell();
        }
    }

    @Test
    void aStartThatMeetsAStepLeadsIntoThatStep() throws Exception {
        for (int least = 2; least <= 3; least++) {
            int asked = least;
            try (var group = new TestGroup(2, SMALL_SEGMENTS)) {
                group.start((rank, context) -> {
                            context.share("weights", new float[] {rank});
                            if (rank == 1) {
                                group.engine(1).hear(GroupActivity.IDLE, asked == 3, false);
                                assertEquals(CollectiveEngine.Started.BY_STEP, start(group, 1, asked));
                                assertFalse(context.isInGroup() || context.isMaster());
                                assertThrows(IllegalStateException.class, context::rank);
                                assertThrows(CollectiveException.class, context::barrier);
                            }
                            assertEquals(0, context.beginStep().step());
                            assertEquals(2, context.worldSize());
                            assertEquals(rank == 0, context.isMaster());
                        })
                        .joinWell();
            }
        }
    }

    @Test
    void aStartIsTakenBackWhenOthersBeginStepsElsewhere() throws Exception {
        try (var group = new TestGroup(1, SMALL_SEGMENTS)) {
            group.engine(0).hear(GroupActivity.WORKING, false, false);
            TestGroup.Run run =
                    group.start((rank, _) -> assertEquals(CollectiveEngine.Started.BY_STEP, start(group, rank, 1)));
            while (group.engine(0).activity() != GroupActivity.STARTING) {
                Thread.onSpinWait();
            }
            group.engine(0).hear(GroupActivity.STEPPING, false, false);
            run.joinWell();
            assertEquals(GroupPhase.FRESH, group.engine(0).phase());
        }
    }

    @Test
    void aStartWithTooFewEndsAtItsDeadlineAndMayBeTriedAgain() throws Exception {
        try (var group = new TestGroup(1, SMALL_SEGMENTS)) {
            var late = assertThrows(
                    NotEnoughRanksException.class,
                    () -> group.engine(0).start(2, CollectiveOptions.DEFAULTS.within(Duration.ofMillis(50))));
            assertTrue(String.valueOf(late.getMessage()).endsWith("1 rank is there, and it needs 2"), late.toString());
            group.awaitTold("gaveUp 0");
            group.change(group.nodes);
            assertEquals(CollectiveEngine.Started.TOGETHER, start(group, 0, 1));
        }
    }

    private static CollectiveEngine.Started start(TestGroup group, int rank, int least) throws Exception {
        return group.engine(rank).start(least, CollectiveOptions.DEFAULTS);
    }

    /** The type of an error shows whether a script may recover by beginning a step, at the failed call and at all later ones. */
    @Test
    void whatTookARankOutOfItsGroupKeepsItsTypeAndOnlyThatIsReenterable() throws Exception {
        var reasons = new LinkedHashMap<HearthException, Class<? extends CollectiveException>>();
        reasons.put(new RemovedFromClusterException("others went on"), RemovedFromClusterException.class);
        reasons.put(new LineageLostException("votes are gone"), LineageLostException.class);
        reasons.put(new LeftGroupException("interrupted"), LeftGroupException.class);
        reasons.put(new PeerLostException("rank 1 is lost"), PeerLostException.class);
        reasons.put(new SetupException("the disk is full"), CollectiveException.class);
        for (var reason : reasons.entrySet()) {
            try (var group = new TestGroup(1, SMALL_SEGMENTS)) {
                var context = new DistributedContext(group.engine(0));
                context.barrier();
                group.engine(0).removed(reason.getKey());
                for (int call = 0; call < 2; call++) {
                    var thrown = assertThrows(CollectiveException.class, context::barrier);
                    assertEquals(reason.getValue(), thrown.getClass());
                    assertEquals(
                            reason.getKey() instanceof ReenterableException, thrown instanceof ReenterableException);
                }
            }
        }
    }
}
