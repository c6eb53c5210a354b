package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Work;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.DataType;
import io.hearth.core.DeadlineExceededException;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Small sums that are begun in shared memory: on the beginning thread as far as records are there, then on the queue's. */
final class PromptSumTest {
    private static final int COUNT = 100;
    private static final int WORLD = 2;
    private static final String QUEUE = "hearth-calls-" + TestGroup.GROUP;

    private static float[] input(int rank) {
        return CollectiveEngineTest.input(rank, COUNT);
    }

    private static float[] sum() {
        return CollectiveEngineTest.sum(CollectiveEngineTest.ranks(WORLD), COUNT);
    }

    private static Work begin(CollectiveEngine engine, float[] values, CollectiveOptions how) throws Exception {
        return engine.allReduceAsync(MemorySegment.ofArray(values), DataType.FLOAT32, ReduceOp.SUM, how);
    }

    private static Work begin(CollectiveEngine engine, float[] values) throws Exception {
        return begin(engine, values, CollectiveOptions.DEFAULTS);
    }

    /** A group whose streams are open, which a first call does. */
    private static TestGroup group(MemoryFabric.Looks looks, EngineOptions options) throws Exception {
        var group = new TestGroup(WORLD, options);
        group.fabric.looks(looks);
        group.start((rank, context) -> context.allReduce(input(rank), ReduceOp.SUM))
                .joinWell();
        return group;
    }

    /** Records the threads on which collectives end. */
    private static CollectiveTrace ends(Queue<String> threads) {
        return onEnd(() -> threads.add(Thread.currentThread().getName()));
    }

    private static CollectiveTrace onEnd(Runnable then) {
        return new CollectiveTrace() {
            @Override
            public void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {}

            @Override
            public void ended(Collective collective) {
                then.run();
            }
        };
    }

    @Test
    void aSumWhoseRecordsComeEndsOnTheThreadThatBeginsIt() throws Exception {
        var threads = new ConcurrentLinkedQueue<String>();
        try (var group = group(MemoryFabric.Looks.COMING, EngineOptions.DEFAULTS)) {
            group.engine(1).trace(ends(threads));
            group.start((rank, _) -> {
                        for (int i = 0; i < 3; i++) {
                            float[] values = input(rank);
                            Work work = begin(group.engine(rank), values);
                            assertTrue(work.isDone());
                            assertEquals(WORLD, work.await().contributors());
                            assertArrayEquals(sum(), values);
                        }
                    })
                    .joinWell();
        }
        assertEquals(List.of("rank-1", "rank-1", "rank-1"), List.copyOf(threads));
    }

    @Test
    void aSumThatWouldWaitLeavesTheWaitToTheQueuesThread() throws Exception {
        var threads = new ConcurrentLinkedQueue<String>();
        var begun = new CountDownLatch(1);
        try (var group = group(MemoryFabric.Looks.PRESENT, EngineOptions.DEFAULTS)) {
            group.engine(0).trace(ends(threads));
            group.engine(1).trace(ends(threads));
            group.start((rank, _) -> {
                        float[] values = input(rank);
                        if (rank == 1) {
                            begun.await();
                        }
                        Work work = begin(group.engine(rank), values);
                        assertEquals(rank == 1, work.isDone(), "the later one finds the earlier one's values");
                        begun.countDown();
                        assertEquals(WORLD, work.await().contributors());
                        assertArrayEquals(sum(), values);
                    })
                    .joinWell();
        }
        assertEquals(List.of(QUEUE, "rank-1"), threads.stream().sorted().toList());
    }

    @Test
    void whatIsBegunBehindAWaitingOneKeepsItsOrder() throws Exception {
        var begun = new CountDownLatch(1);
        try (var group = group(MemoryFabric.Looks.PRESENT, EngineOptions.DEFAULTS)) {
            group.start((rank, context) -> {
                        if (rank == 1) {
                            begun.await();
                        }
                        float[] first = input(rank);
                        float[] second = {rank + 1};
                        float[] third = input(rank);
                        Work one = begin(group.engine(rank), first);
                        Work two = begin(group.engine(rank), second);
                        Work three = context.begin(ranks -> ranks.allReduce(third, ReduceOp.SUM));
                        begun.countDown();
                        context.barrier();
                        assertTrue(
                                one.isDone() && two.isDone() && three.isDone(), "a call waits for all that were begun");
                        assertArrayEquals(sum(), first);
                        assertArrayEquals(new float[] {3}, second);
                        assertArrayEquals(sum(), third);
                    })
                    .joinWell();
        }
    }

    @Test
    void otherSizesEndItOnAllRanks() throws Exception {
        for (MemoryFabric.Looks looks : MemoryFabric.Looks.values()) {
            try (var group = group(looks, EngineOptions.DEFAULTS)) {
                group.start((rank, _) -> {
                            float[] values = new float[COUNT + rank];
                            Work work = begin(group.engine(rank), values);
                            assertThrows(CollectiveMismatchException.class, work::await, () -> looks + " " + rank);
                            float[] next = input(rank);
                            begin(group.engine(rank), next).await();
                            assertArrayEquals(sum(), next);
                        })
                        .joinWell();
            }
        }
    }

    @Test
    void aViewChangeLetsItBeginAtOnceAndGoOnAfterwards() throws Exception {
        try (var group = group(MemoryFabric.Looks.COMING, EngineOptions.DEFAULTS)) {
            var reports = group.freeze(group.nodes);
            var begun = new CountDownLatch(WORLD);
            TestGroup.Run run = group.start((rank, _) -> {
                float[] values = input(rank);
                Work work = begin(group.engine(rank), values);
                assertFalse(work.isDone());
                begun.countDown();
                work.await();
                assertArrayEquals(sum(), values);
            });
            begun.await();
            group.decide(reports);
            group.install(group.nodes);
            run.joinWell();
        }
    }

    @Test
    void aPauseOfTheNodeLetsItBeginAtOnceToo() throws Exception {
        try (var group = group(MemoryFabric.Looks.COMING, EngineOptions.DEFAULTS)) {
            var begun = new CountDownLatch(1);
            group.engine(0).rest(true);
            TestGroup.Run run = group.start((rank, _) -> {
                float[] values = input(rank);
                Work work = begin(group.engine(rank), values);
                if (rank == 0) {
                    assertFalse(work.isDone());
                    begun.countDown();
                }
                work.await();
                assertArrayEquals(sum(), values);
            });
            begun.await();
            group.engine(0).rest(false);
            run.joinWell();
        }
    }

    @Test
    void aCloseEndsItWhileItWaits() throws Exception {
        try (var group = group(MemoryFabric.Looks.PRESENT, EngineOptions.DEFAULTS)) {
            float[] values = input(0);
            Work work = begin(group.engine(0), values);
            Work behind = begin(group.engine(0), input(0));
            group.engine(0).close();
            for (Work ended : List.of(work, behind)) {
                var closed = assertThrows(CollectiveException.class, ended::await);
                assertTrue(String.valueOf(closed.getMessage()).contains("closed"), closed.getMessage());
            }
            assertArrayEquals(input(0), values);
        }
    }

    @Test
    void itsDeadlineHoldsWhileItWaits() throws Exception {
        try (var group = group(MemoryFabric.Looks.PRESENT, EngineOptions.DEFAULTS)) {
            float[] values = input(0);
            Work work = begin(group.engine(0), values, CollectiveOptions.DEFAULTS.within(Duration.ofMillis(20)));
            assertThrows(DeadlineExceededException.class, work::await);
            assertArrayEquals(input(0), values);
        }
    }

    @Test
    void whoIsLostWhileItWaitsIsLeftOut() throws Exception {
        try (var group = group(MemoryFabric.Looks.PRESENT, EngineOptions.DEFAULTS)) {
            float[] values = input(0);
            Work work = begin(group.engine(0), values);
            group.fabric.kill(group.nodes.get(1));
            group.awaitTold("broken 0");
            group.change(group.without(group.nodes.get(1)));
            assertEquals(1, work.await().contributors());
            assertArrayEquals(input(0), values);
            Work alone = begin(group.engine(0), values);
            assertEquals(1, alone.await().contributors());
        }
    }

    /** The first two ranks by hop learn of the difference in the second of two schedules. */
    @Test
    void otherSizesEndASumOfTwoSchedulesToo() throws Exception {
        var options = EngineOptions.DEFAULTS.with(
                CollectiveConfig.DEFAULTS.by(AllReduceStrategy.DIRECT).cut(512, 1024));
        for (int odd = 0; odd < 3; odd++) {
            for (MemoryFabric.Looks looks : MemoryFabric.Looks.values()) {
                int different = odd;
                try (var group = new TestGroup(3, options, List.of(0, 2, 1))) {
                    group.fabric.looks(looks);
                    group.start((_, context) -> context.allToAll(new float[3], new float[3], 1))
                            .joinWell();
                    group.start((rank, _) -> {
                                Work work = begin(group.engine(rank), new float[rank == different ? 1 : 2]);
                                assertThrows(CollectiveMismatchException.class, work::await);
                                float[] next = {rank, 1};
                                begin(group.engine(rank), next).await();
                                assertArrayEquals(new float[] {3, 3}, next, looks + ", " + different);
                            })
                            .joinWell();
                }
            }
        }
    }

    @Test
    void anInterruptOfTheBeginningThreadLeavesItToTheQueues() throws Exception {
        try (var group = group(MemoryFabric.Looks.COMING, EngineOptions.DEFAULTS)) {
            var interrupted = new CountDownLatch(1);
            group.fabric.after(group.fabric.records(), () -> {
                Thread.currentThread().interrupt();
                interrupted.countDown();
            });
            group.start((rank, _) -> {
                        if (rank == 1) {
                            interrupted.await();
                        }
                        float[] values = input(rank);
                        Work work = begin(group.engine(rank), values);
                        assertEquals(rank == 0, Thread.interrupted());
                        assertEquals(WORLD, work.await().contributors());
                        assertArrayEquals(sum(), values);
                    })
                    .joinWell();
            assertEquals(
                    List.of(),
                    group.told.stream()
                            .filter(line -> line.startsWith("broken") || line.startsWith("gaveUp"))
                            .toList());
        }
    }

    @Test
    void anErrorOfAListenerLeavesTheGroupUsable() throws Exception {
        try (var group = group(MemoryFabric.Looks.COMING, EngineOptions.DEFAULTS)) {
            group.engine(0).trace(onEnd(() -> {
                throw new AssertionError("planted");
            }));
            group.start((rank, _) -> {
                        Work work = begin(group.engine(rank), input(rank));
                        if (rank == 0) {
                            assertEquals(
                                    "planted",
                                    assertThrows(AssertionError.class, work::await)
                                            .getMessage());
                            group.engine(0).trace(CollectiveTrace.NONE);
                        }
                        float[] values = input(rank);
                        begin(group.engine(rank), values).await();
                        assertArrayEquals(sum(), values);
                    })
                    .joinWell();
            group.change(group.nodes);
        }
    }

    @Test
    void aListenerOnTheBeginningThreadMayNotCall() throws Exception {
        var refused = new ConcurrentLinkedQueue<String>();
        try (var group = group(MemoryFabric.Looks.COMING, EngineOptions.DEFAULTS)) {
            CollectiveEngine engine = group.engine(0);
            engine.trace(onEnd(() -> {
                for (Asked asked : List.<Asked>of(
                        () -> begin(engine, input(0)), () -> engine.barrier(CollectiveOptions.DEFAULTS))) {
                    try {
                        asked.make();
                        refused.add("passed");
                    } catch (Exception thrown) {
                        refused.add(thrown.getClass().getSimpleName());
                    }
                }
            }));
            Map<Integer, Throwable> thrown = group.start(
                            (rank, _) -> begin(group.engine(rank), input(rank)).await())
                    .join();
            assertEquals(Map.of(), thrown);
        }
        assertEquals(List.of("IllegalStateException", "IllegalStateException"), List.copyOf(refused));
    }

    private interface Asked {
        Object make() throws Exception;
    }
}
