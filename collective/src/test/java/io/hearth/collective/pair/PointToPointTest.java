package io.hearth.collective.pair;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Tensor;
import io.hearth.collective.engine.CollectiveEngineTest;
import io.hearth.collective.engine.TestGroup;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.DataType;
import io.hearth.core.DeadlineExceededException;
import io.hearth.core.PeerLostException;
import io.hearth.core.ReduceOp;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.identity.NodeId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Transfers between ranks, through view changes. */
final class PointToPointTest {
    private static final EngineOptions PATIENT = EngineOptions.DEFAULTS.within(Duration.ofMinutes(1));
    private static final CollectiveOptions SOON = CollectiveOptions.DEFAULTS.within(Duration.ofMillis(100));
    private static final CollectiveOptions HALF_A_SECOND = CollectiveOptions.DEFAULTS.within(Duration.ofMillis(500));
    private static final int COUNT = 100_000; // several records

    private static float[] values(int seed, int count) {
        return CollectiveEngineTest.input(seed, count);
    }

    private static String text(Throwable thrown) {
        return String.valueOf(thrown.getMessage());
    }

    /**
     * The sender or the receiver dies while it sends any record of a sequence. Each transfer arrives exactly once and in order, or
     * ends with an error.
     */
    @Test
    void aLostPeerEndsTheTransferAndWhatArrivedIsWhole() throws Exception {
        for (int victim = 0; victim < 2; victim++) {
            int after = 0;
            while (lose(victim, after)) {
                after++;
            }
            assertEquals(victim == 0 ? 10 : 5, after, "records of rank " + victim);
        }
    }

    private static boolean lose(int victim, int after) throws Exception {
        try (var group = new TestGroup(3, PATIENT)) {
            NodeId dead = group.nodes.get(victim);
            float[][] got = {new float[COUNT], new float[COUNT]};
            group.fabric.killAfter(dead, after, () -> group.told.add("killed"));
            TestGroup.Run run = group.start((rank, context) -> {
                try {
                    for (int i = 0; i < 2 && rank < 2; i++) {
                        if (rank == 0) {
                            context.send(values(i, COUNT), 1);
                        } else {
                            context.receive(got[i], 0);
                        }
                    }
                } finally {
                    group.told.add("end");
                }
            });
            String what = group.awaitOne("killed", "end");
            for (int ends = 1; what.equals("end") && ends < 3; ends++) {
                what = group.awaitOne("killed", "end");
            }
            boolean isKilled = what.equals("killed");
            if (isKilled) {
                group.change(group.without(dead));
                group.of(dead).removed(new RemovedFromClusterException("dead"));
            }
            Map<Integer, Throwable> thrown = run.join();
            String when = "rank " + victim + " killed after " + after;
            for (int i = 0; i < 2; i++) {
                boolean isWhole = got[i][0] != 0;
                assertArrayEquals(isWhole ? values(i, COUNT) : new float[COUNT], got[i], when);
            }
            if (isKilled) {
                Throwable other = thrown.get(1 - victim);
                assertTrue(other == null || endsBecauseOfTheLoss(other, victim), when + ": " + other);
                Throwable own = thrown.get(victim);
                assertTrue(own == null || own instanceof RemovedFromClusterException, when + ": " + own);
            } else {
                assertEquals(Map.of(), thrown, when);
            }
            return isKilled;
        }
    }

    /** The survivor of rank 1 has rank 0 after the change: its next call may begin then, and would name its own rank. */
    private static boolean endsBecauseOfTheLoss(Throwable thrown, int victim) {
        return thrown instanceof PeerLostException
                || (victim == 0
                        && thrown instanceof IllegalArgumentException
                        && text(thrown).contains("got this rank, 0"));
    }

    /** A third member dies, or only the group epoch changes, after each of the first records: no transfer is lost or doubled. */
    @Test
    void aViewChangeInTheMiddleRepeatsWhatWasOnItsWayExactlyOnce() throws Exception {
        int most = 0;
        for (int after = 0; after < 24; after++) {
            try (var group = new TestGroup(3, PATIENT)) {
                var received = new ArrayList<float[]>();
                NodeId third = group.nodes.get(2);
                group.fabric.after(after, () -> group.told.add("now"));
                TestGroup.Run run = group.start((rank, context) -> {
                    for (int i = 1; i <= 3 && rank < 2; i++) {
                        if (rank == 0) {
                            context.send(values(i, COUNT), 1);
                        } else {
                            float[] one = new float[COUNT];
                            context.receive(one, 0);
                            received.add(one);
                        }
                    }
                    group.told.add(rank < 2 ? "end" : "idle");
                });
                String what = group.awaitOne("now", "end");
                if (what.equals("now")) {
                    most = after;
                    group.fabric.cut(group.nodes.get(0), group.nodes.get(1)); // records on their way are lost
                    group.change(group.without(third));
                }
                assertEquals(Map.of(), run.join(List.of(0, 1)), "after " + after);
                assertEquals(3, received.size());
                for (int i = 1; i <= 3; i++) {
                    assertArrayEquals(values(i, COUNT), received.get(i - 1), "number " + i + " after " + after);
                }
            }
        }
        assertTrue(most > 12, "the last change was after " + most);
    }

    /** The acknowledgement is lost, and the receiver's application makes no more calls. */
    @Test
    void whoHasItAcknowledgesAgainWithoutACall() throws Exception {
        for (boolean renewed : new boolean[] {false, true}) {
            try (var group = new TestGroup(2, PATIENT)) {
                NodeId receiver = group.nodes.get(1);
                group.fabric.tamper((from, header) -> {
                    if (header.kind() == PairRecords.DONE) {
                        group.told.add("done");
                        return null;
                    }
                    return header;
                });
                float[] got = new float[10];
                TestGroup.Run run = group.start((rank, context) -> {
                    if (rank == 0) {
                        context.send(values(1, 10), 1);
                    } else {
                        context.receive(got, 0);
                    }
                });
                assertEquals(Map.of(), run.join(List.of(1)));
                assertArrayEquals(values(1, 10), got);
                group.awaitTold("done");
                group.fabric.cut(group.nodes.get(0), receiver);
                if (renewed) {
                    group.change(group.nodes);
                }
                run.joinWell();
            }
        }
    }

    @Test
    void differentTypesAndSizesAreToldToBothAndNothingIsWritten() throws Exception {
        try (var group = new TestGroup(2, PATIENT)) {
            group.start((rank, context) -> {
                        int[] ints = {-1, -1, -1};
                        float[] floats = {1, 2};
                        CollectiveException error = assertThrows(CollectiveMismatchException.class, () -> {
                            if (rank == 0) {
                                context.send(floats, 1);
                            } else {
                                context.receive(Tensor.of(ints), 0);
                            }
                        });
                        String all = text(error);
                        assertTrue(
                                all.startsWith("number 1: rank 0 (")
                                        && all.contains("sends 2 float32, rank 1 (")
                                        && all.contains("receives 3 int32"),
                                all);
                        assertArrayEquals(new int[] {-1, -1, -1}, ints);
                        if (rank == 0) { // the next transfer succeeds
                            context.send(floats, 1);
                        } else {
                            float[] got = new float[2];
                            context.receive(got, 0);
                            assertArrayEquals(floats, got);
                        }
                    })
                    .joinWell();
        }
    }

    @Test
    void aDeadlineSaysWhatItWaitedForAndThePairGoesOn() throws Exception {
        try (var group = new TestGroup(2, PATIENT)) {
            var first = new DistributedContext(group.engine(0));
            var second = new DistributedContext(group.engine(1));
            DeadlineExceededException send = assertThrows(
                    DeadlineExceededException.class, () -> first.with(SOON).send(new float[3], 1));
            assertTrue(
                    text(send).startsWith("send of 3 float32 to rank 1 (")
                            && text(send).contains("did not complete before its deadline; waited for rank 1 (")
                            && text(send).contains("to receive"),
                    text(send));
            float[] got = {-1};
            DeadlineExceededException receive = assertThrows(
                    DeadlineExceededException.class, () -> second.with(SOON).receive(got, 0));
            assertTrue(
                    text(receive).startsWith("receive of 1 float32 from rank 0 (")
                            && text(receive).contains("waited for rank 0 (")
                            && text(receive).contains("to send"),
                    text(receive));
            group.start((rank, context) -> {
                        context.barrier(); // no rank left the group
                        if (rank == 0) {
                            context.send(new float[] {5}, 1);
                        } else {
                            context.receive(got, 0);
                        }
                    })
                    .joinWell();
            assertEquals(5, got[0]);
        }
    }

    /** The receiver gives up in the middle of the bytes; its next call gets the transfer that was being sent. */
    @Test
    void whatAReceiverGaveUpComesWithItsNextCall() throws Exception {
        try (var group = new TestGroup(2, PATIENT)) {
            var gaveUp = new CountDownLatch(1);
            group.fabric.tamper((from, header) ->
                    header.kind() == PairRecords.DATA && gaveUp.getCount() > 0 && header.offset() > 0 ? null : header);
            float[] got = new float[COUNT];
            group.start((rank, context) -> {
                        if (rank == 0) {
                            context.send(values(7, COUNT), 1);
                        } else {
                            DeadlineExceededException late = assertThrows(
                                    DeadlineExceededException.class,
                                    () -> context.with(HALF_A_SECOND).receive(got, 0));
                            assertTrue(text(late).contains("to send"), text(late));
                            assertArrayEquals(new float[COUNT], got);
                            gaveUp.countDown();
                            context.receive(got, 0);
                        }
                    })
                    .joinWell();
            assertArrayEquals(values(7, COUNT), got);
        }
    }

    @Test
    void transfersAndCollectivesOfAMemberDoNotDisturbEachOther() throws Exception {
        try (var group = new TestGroup(3, PATIENT)) {
            group.start((rank, context) -> {
                        int next = (rank + 1) % 3;
                        int previous = (rank + 2) % 3;
                        var thrown = new ArrayList<Throwable>();
                        Thread sender = Thread.ofPlatform().start(() -> {
                            try {
                                for (int i = 0; i < 20; i++) {
                                    context.send(values(rank + i, 5000), next);
                                }
                            } catch (CollectiveException failed) {
                                thrown.add(failed);
                            }
                        });
                        Thread receiver = Thread.ofPlatform().start(() -> {
                            try {
                                for (int i = 0; i < 20; i++) {
                                    float[] got = new float[5000];
                                    context.receive(got, previous);
                                    assertArrayEquals(values(previous + i, 5000), got);
                                }
                            } catch (CollectiveException | AssertionError failed) {
                                thrown.add(failed);
                            }
                        });
                        for (int i = 0; i < 20; i++) {
                            float[] sum = values(rank, 5000);
                            context.allReduce(sum, ReduceOp.SUM);
                            assertArrayEquals(CollectiveEngineTest.sum(List.of(0, 1, 2), 5000), sum);
                        }
                        sender.join();
                        receiver.join();
                        assertEquals(List.of(), thrown);
                    })
                    .joinWell();
        }
    }

    @Test
    void aSecondSendToOneRankIsRefused() throws Exception {
        try (var group = new TestGroup(3, PATIENT)) {
            var context = new DistributedContext(group.engine(0));
            var waits = new CountDownLatch(1);
            Thread first = Thread.ofPlatform().daemon(true).start(() -> {
                waits.countDown();
                boolean isOver = false;
                while (!isOver) {
                    try {
                        context.send(new float[1], 1);
                        isOver = true;
                    } catch (IllegalStateException notYet) {
                        Thread.onSpinWait(); // the test's send is inside: retry
                    } catch (CollectiveException lost) {
                        assertInstanceOf(PeerLostException.class, lost);
                        isOver = true;
                    }
                }
            });
            waits.await();
            IllegalStateException second = null;
            while (second == null) { // until the first call is inside
                try {
                    context.with(SOON).send(new float[1], 1);
                } catch (IllegalStateException busy) {
                    second = busy;
                } catch (DeadlineExceededException early) {
                    Thread.onSpinWait();
                }
            }
            assertTrue(text(second).startsWith("another thread is inside send of 1 float32 to rank 1 ("), text(second));
            assertThrows(
                    DeadlineExceededException.class, () -> context.with(SOON).send(new float[1], 2));
            assertThrows(
                    DeadlineExceededException.class, () -> context.with(SOON).receive(new float[1], 1));
            group.change(group.without(group.nodes.get(1)));
            first.join(TimeUnit.SECONDS.toMillis(20));
            assertTrue(!first.isAlive(), "the lost peer ends it");
        }
    }

    /** The node returns as a new member: both ends number transfers from 1 again. */
    @Test
    void aMemberThatComesBackIsCountedAnew() throws Exception {
        try (var group = new TestGroup(2, PATIENT)) {
            for (int time = 0; time < 2; time++) {
                float[] got = new float[2];
                float mark = time + 1;
                group.start((rank, context) -> {
                            if (rank == 0) {
                                context.send(new float[] {mark, mark}, 1);
                            } else {
                                context.receive(got, 0);
                            }
                        })
                        .joinWell();
                assertEquals(mark, got[1]);
                NodeId back = group.nodes.get(1);
                group.change(group.without(back));
                group.of(back).removed(new RemovedFromClusterException("out"));
                group.admit(back);
            }
        }
    }

    @Test
    void aSendWhoseMemoryIsFreedMeanwhileFailsAloneAndThePairGoesOn() throws Exception {
        try (var group = new TestGroup(2, PATIENT)) {
            var freed = Arena.ofShared();
            MemorySegment values = freed.allocate(4L * COUNT);
            group.fabric.after(group.fabric.records() + 4, freed::close); // in the middle of its bytes
            group.start((rank, context) -> {
                        if (rank == 0) {
                            var error = assertThrows(
                                    IllegalStateException.class,
                                    () -> context.send(Tensor.of(values, DataType.FLOAT32), 1));
                            assertTrue(text(error).contains("closed"), text(error));
                            context.send(values(7, COUNT), 1);
                            context.send(values(8, 3), 1);
                        } else {
                            float[] got = new float[COUNT];
                            context.receive(got, 0);
                            assertArrayEquals(values(7, COUNT), got);
                            float[] more = new float[3];
                            context.receive(more, 0);
                            assertArrayEquals(values(8, 3), more);
                        }
                    })
                    .joinWell();
        }
    }

    @Test
    void anInterruptEndsASend() throws Exception {
        try (var group = new TestGroup(2, PATIENT)) {
            var context = new DistributedContext(group.engine(0));
            var thrown = new ArrayList<Throwable>();
            Thread sender = Thread.ofPlatform().start(() -> {
                try {
                    context.send(new float[1], 1);
                } catch (CollectiveException interrupted) {
                    thrown.add(interrupted);
                    thrown.add(new IllegalStateException(
                            String.valueOf(Thread.currentThread().isInterrupted())));
                }
            });
            sender.interrupt();
            sender.join(TimeUnit.SECONDS.toMillis(20));
            assertTrue(text(thrown.getFirst()).endsWith("was interrupted"), text(thrown.getFirst()));
            assertEquals("true", text(thrown.get(1)));
        }
    }

    @Test
    void closingEndsWhatIsOpenAndLeavesNoThread() throws Exception {
        var group = new TestGroup(2, PATIENT);
        TestGroup.Run run = group.start((rank, context) -> {
            if (rank == 0) {
                context.receive(Tensor.of(MemorySegment.ofArray(new byte[8]), DataType.INT64), 1);
            }
        });
        run.join(List.of(1));
        group.close();
        CollectiveException closed =
                assertInstanceOf(CollectiveException.class, run.join(List.of(0)).get(0));
        assertTrue(text(closed).contains("is closed"), text(closed));
        CollectiveException later = assertThrows(
                CollectiveException.class,
                () -> new DistributedContext(group.engine(0)).send(Tensor.of(new int[1]), 1));
        assertTrue(text(later).contains("is closed"), text(later));
        String peer = group.nodes.get(1).shortText();
        assertEquals(
                List.of(),
                Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .filter(name -> name.equals("hearth-pair-" + peer))
                        .toList());
    }
}
