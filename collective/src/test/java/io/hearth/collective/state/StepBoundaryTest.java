package io.hearth.collective.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.StepStart;
import io.hearth.collective.exchange.GiveUpException;
import io.hearth.core.StateSyncException;
import io.hearth.identity.NodeId;
import io.hearth.topology.LinkReport;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.PlanCosts;
import io.hearth.topology.plan.Route;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whole boundaries: which state wins, which ranks fetch it from which, and faults in between. */
final class StepBoundaryTest {
    private static final int CHUNK = BoundaryGroup.CHUNK_BYTES;
    private static final int CHUNKS = 40;
    private static final int BYTES = CHUNKS * CHUNK - 5;

    @AfterEach
    void noThreadIsLeft() {
        List<String> left = Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("hearth-state"))
                .toList();
        assertEquals(List.of(), left);
    }

    private static BoundaryGroup group(int world) {
        return new BoundaryGroup(world, BYTES);
    }

    /** Makes the joiners hold states of their own at revision 0; all other ranks hold one state at revision 7. */
    private static void makeJoiners(BoundaryGroup group, Integer... joiners) {
        for (int rank = 0; rank < group.world(); rank++) {
            boolean joins = List.of(joiners).contains(rank);
            group.hold(rank, joins ? 100 + rank : 1, joins ? 0 : 7, joins);
        }
    }

    private static void assertAllHold(BoundaryGroup group, long seed, List<Integer> ranks) {
        for (int rank : ranks) {
            assertArrayEquals(BoundaryGroup.content(seed, BYTES), group.bytes(rank), "rank " + rank);
        }
    }

    @Test
    void equalStatesMoveNoBytes() throws Exception {
        for (int world = 1; world <= 4; world++) {
            try (var group = group(world)) {
                makeJoiners(group);
                for (BoundaryGroup.Outcome outcome : group.attempt()) {
                    assertEquals(new StepStart(7, false), outcome.start());
                }
                assertEquals(0, group.chunksSent());
            }
        }
    }

    @Test
    void nothingSharedStillAgreesOnTheStep() throws Exception {
        try (var group = new BoundaryGroup(3, 0)) {
            group.hold(0, 1, 7, false);
            group.hold(1, 1, 0, true);
            group.hold(2, 1, 7, false);
            for (BoundaryGroup.Outcome outcome : group.attempt()) {
                assertEquals(new StepStart(7, false), outcome.start());
            }
        }
    }

    @Test
    void aJoinerGetsEverythingFromTwoSourcesOnce() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group, 1);
            group.serveTogether(0, 2);
            List<BoundaryGroup.Outcome> outcomes = group.attempt();
            assertAllHold(group, 1, List.of(0, 1, 2));
            assertEquals(new StepStart(7, false), outcomes.get(0).start());
            assertEquals(new StepStart(7, true), outcomes.get(1).start());
            assertEquals(8, group.state(1).revision());
            assertEquals(CHUNKS, group.chunksSent());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> group.state(1).staging().bytes(0),
                    "its memory is free again");
            assertTrue(group.chunksSent(0) > 0 && group.chunksSent(2) > 0, "both serve");
            group.nextCall();
            assertEquals(new StepStart(8, false), group.attempt().get(1).start(), "the same ring and streams again");
        }
    }

    private static LinkReport roundTrips(Map<NodeId, Long> nanos) {
        var links = new TreeMap<NodeId, LinkReport.Measured>();
        nanos.forEach((node, time) -> links.put(node, new LinkReport.Measured(time, 0, 0)));
        return new LinkReport(links);
    }

    @Test
    void allRanksTakeOverThePlanOfTheLead() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group);
            group.proposal = new Plan(List.of(0, 2, 1), List.of(), List.of(), PlanCosts.UNKNOWN);
            for (BoundaryGroup.Outcome outcome : group.attempt()) {
                assertEquals(Optional.of(group.proposal), outcome.plan());
            }
        }
    }

    @Test
    void aPlanOfAnEvenNetworkReplacesAnUnevenOne() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group);
            var even = new Route(100_000, 8_000);
            group.proposal = Plan.NONE.with(new PlanCosts(even, even, Route.UNKNOWN, even));
            for (BoundaryGroup.Outcome outcome : group.attempt()) {
                assertEquals(Optional.of(group.proposal), outcome.plan());
            }
        }
    }

    @Test
    void aPlanForAnotherWorldIsNotProposed() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group);
            group.proposal = new Plan(List.of(0, 2, 1, 3), List.of(), List.of(), PlanCosts.UNKNOWN);
            for (BoundaryGroup.Outcome outcome : group.attempt()) {
                assertEquals(Optional.empty(), outcome.plan());
            }
        }
    }

    @Test
    void theNearestFourAreAsked() throws Exception {
        try (var group = group(6)) {
            makeJoiners(group, 0);
            group.measured = roundTrips(Map.of(group.node(5), 10L, group.node(2), 20L, group.node(4), 30L));
            group.serveTogether(1, 2, 4, 5);
            group.attempt();
            assertAllHold(group, 1, List.of(0));
            assertEquals(0, group.chunksSent(3), "1 and 3 are unmeasured, and 1 comes first");
        }
    }

    @Test
    void aMemberWithOneWrongBitGetsOneChunk() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group);
            group.flip(0, 3 * CHUNK + 17);
            List<BoundaryGroup.Outcome> outcomes = group.attempt();
            assertAllHold(group, 1, List.of(0, 1, 2));
            assertEquals(new StepStart(7, true), outcomes.get(0).start());
            assertEquals(1, group.chunksSent());
        }
    }

    @Test
    void whoHasOnlyAnotherNumberAdoptsIt() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group);
            group.state(2).revision(9);
            assertEquals(new StepStart(7, false), group.attempt().get(2).start());
            assertEquals(8, group.state(2).revision());
            assertEquals(0, group.chunksSent());
        }
    }

    @Test
    void twoJoinAtOnceAndEachIsServed() throws Exception {
        try (var group = group(5)) {
            makeJoiners(group, 0, 3);
            List<BoundaryGroup.Outcome> outcomes = group.attempt();
            assertAllHold(group, 1, List.of(0, 1, 2, 3, 4));
            assertEquals(new StepStart(7, true), outcomes.get(0).start());
            assertEquals(new StepStart(7, true), outcomes.get(3).start());
            assertEquals(2 * CHUNKS, group.chunksSent());
        }
    }

    @Test
    void aBrokenStreamIsOpenedAgainWithinTheAttempt() throws Exception {
        try (var group = group(2)) {
            makeJoiners(group, 1);
            var left = new AtomicInteger(10);
            group.meddle(0, (header, bytes) -> {
                if (header.kind() == StateServer.CHUNK && left.decrementAndGet() == 0) {
                    throw new IOException("cut");
                }
            });
            assertEquals(new StepStart(7, true), group.attempt().get(1).start());
            assertAllHold(group, 1, List.of(1));
            assertTrue(group.chunksSent() < CHUNKS + 10, "only what was under way comes again: " + group.chunksSent());
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            throw new InterruptedIOException("stopped");
        }
    }

    @Test
    void aSourceThatDiesIsReplacedByTheOthersInTheNextRing() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group, 2);
            var left = new AtomicInteger(5);
            var dead = new CountDownLatch(1);
            group.meddle(0, (header, bytes) -> {
                if (header.kind() == StateServer.CHUNK) {
                    await(dead); // otherwise it might serve all chunks alone
                }
            });
            group.meddle(1, (header, bytes) -> {
                if (header.kind() == StateServer.CHUNK && left.decrementAndGet() == 0) {
                    group.fabric.kill(group.node(1));
                    group.abandon();
                    dead.countDown();
                }
            });
            for (BoundaryGroup.Outcome outcome : group.attempt()) {
                assertInstanceOf(IOException.class, outcome.thrown());
                assertTrue(!(outcome.thrown() instanceof GiveUpException), String.valueOf(outcome.thrown()));
            }
            group.form(List.of(0, 2));
            List<BoundaryGroup.Outcome> outcomes = group.attempt();
            assertEquals(new StepStart(7, false), outcomes.get(0).start());
            assertEquals(new StepStart(7, true), outcomes.get(2).start());
            assertAllHold(group, 1, List.of(0, 2));
        }
    }

    /** An attempt that ends when rank 0 is about to send its 30th chunk. */
    private static void attemptWithout30thChunk(BoundaryGroup group) throws Exception {
        var left = new AtomicInteger(30);
        group.meddle(0, (header, bytes) -> {
            if (header.kind() == StateServer.CHUNK && left.decrementAndGet() == 0) {
                group.abandon();
                throw new IOException("abandoned");
            }
        });
        group.attempt();
    }

    @Test
    void anAbandonedRingLosesNothingThatArrived() throws Exception {
        try (var group = group(2)) {
            makeJoiners(group, 1);
            attemptWithout30thChunk(group);
            assertEquals(29, group.chunksSent());
            assertArrayEquals(BoundaryGroup.content(101, BYTES), group.bytes(1), "not touched before all is there");
            group.form(List.of(0, 1));
            assertEquals(new StepStart(7, true), group.attempt().get(1).start());
            assertAllHold(group, 1, List.of(1));
            int again = group.chunksSent() - CHUNKS;
            assertTrue(again >= 0 && again <= 5, "some were on the way when the ring ended: " + again);
        }
    }

    @Test
    void whoTookTheStateOverHoldsItInTheNextRingToo() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group, 1, 2);
            group.refuseStreams(1, () -> {
                if (Arrays.equals(group.bytes(0), group.bytes(2))) {
                    group.abandon();
                }
            });
            group.attempt();
            assertEquals(CHUNKS, group.chunksSent());
            group.allowStreams(1);
            group.form(List.of(0, 1, 2));
            List<BoundaryGroup.Outcome> outcomes = group.attempt();
            assertEquals(new StepStart(7, true), outcomes.get(1).start());
            assertEquals(new StepStart(7, true), outcomes.get(2).start(), "though not in this attempt");
            assertEquals(2 * CHUNKS, group.chunksSent());
        }
    }

    @Test
    void whatArrivedServesALaterStepWhereItDidNotChange() throws Exception {
        try (var group = group(2)) {
            makeJoiners(group, 1);
            attemptWithout30thChunk(group);
            group.flip(0, 2 * CHUNK);
            group.state(0).revision(8);
            group.nextCall();
            group.form(List.of(0, 1));
            assertEquals(new StepStart(8, true), group.attempt().get(1).start());
            assertArrayEquals(group.bytes(0), group.bytes(1));
            int again = group.chunksSent() - CHUNKS;
            assertTrue(again >= 1 && again <= 6, "the changed one, and those on the way: " + again);
        }
    }

    @Test
    void aSourceThatSendsWrongBytesIsLeftOut() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group, 2);
            group.meddle(0, (header, bytes) -> {
                if (header.kind() == StateServer.CHUNK) {
                    bytes[bytes.length / 2] ^= 1;
                }
            });
            assertEquals(new StepStart(7, true), group.attempt().get(2).start());
            assertAllHold(group, 1, List.of(2));
            assertTrue(group.chunksSent(1) == CHUNKS, "all from the other one: " + group.chunksSent(1));
        }
    }

    @Test
    void aSourceWithAnotherManifestIsLeftOut() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group, 2);
            group.refuseStreams(1, () -> {}); // so that the other source is used first
            group.meddle(0, (header, bytes) -> {
                if (header.kind() == StateServer.MANIFEST) {
                    bytes[bytes.length - 1] ^= 1;
                    group.allowStreams(1);
                }
            });
            assertEquals(new StepStart(7, true), group.attempt().get(2).start());
            assertAllHold(group, 1, List.of(2));
        }
    }

    @Test
    void withoutAnHonestSourceTheRankGivesUpUntouched() throws Exception {
        try (var group = group(2)) {
            makeJoiners(group, 1);
            group.meddle(0, (header, bytes) -> {
                if (header.kind() == StateServer.CHUNK && header.offset() > 9 * CHUNK) {
                    bytes[0] ^= 1;
                }
            });
            String line = giveUp(group.attempt().get(1));
            assertTrue(line.contains("rank 1") && line.contains("rank 0") && line.contains("wrong bytes"), line);
            assertArrayEquals(BoundaryGroup.content(101, BYTES), group.bytes(1));
        }
    }

    @Test
    void anotherLayoutIsSaidInOneLine() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group);
            group.reshare(2, BYTES + 4);
            List<BoundaryGroup.Outcome> outcomes = group.attempt();
            String line = giveUp(outcomes.get(2));
            assertTrue(
                    line.startsWith("rank 2 (")
                            && line.endsWith(") shares 'weights' of " + (BYTES + 4) + " bytes, the group's is " + BYTES
                                    + " bytes; share the same buffers in the same order on all ranks"),
                    line);
        }
    }

    @Test
    void timeIsUpAndTheNextTryAsksOnlyForTheRest() throws Exception {
        try (var group = group(2)) {
            makeJoiners(group, 1);
            group.budget = Duration.ofSeconds(10);
            var slow = new AtomicInteger(1);
            group.meddle(0, (header, bytes) -> {
                if (header.kind() == StateServer.CHUNK) {
                    group.nowNanos.addAndGet(slow.get() * TimeUnit.SECONDS.toNanos(1) / 2);
                }
            });
            String line = giveUp(group.attempt().get(1));
            assertTrue(line.contains("within 10 s") && line.contains("from 1 members"), line);
            assertTrue(line.contains("raise stateBudget"), line);
            assertTrue(group.chunksSent() >= 15 && group.chunksSent() <= 24, "20 in 10 s: " + group.chunksSent());
            slow.set(0);
            group.nextCall();
            group.form(List.of(0, 1));
            assertEquals(new StepStart(7, true), group.attempt().get(1).start());
            assertAllHold(group, 1, List.of(1));
            int again = group.chunksSent() - CHUNKS;
            assertTrue(again >= 0 && again <= 6, "some were on the way when time was up: " + again);
        }
    }

    /** Each chunk takes half a second. */
    @Test
    void aLongFetchTellsHowFarItIs() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group, 1);
            for (int rank : List.of(0, 2)) {
                group.meddle(rank, (header, bytes) -> {
                    if (header.kind() == StateServer.CHUNK) {
                        group.nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(1) / 2);
                    }
                });
            }
            group.attempt();
            assertAllHold(group, 1, List.of(1));
            List<CollectiveProgress.Report> reports = List.copyOf(group.reports);
            assertTrue(reports.size() > 5, reports.toString());
            long before = 0;
            for (CollectiveProgress.Report report : reports) {
                assertEquals(CollectiveProgress.What.STATE, report.what());
                assertTrue(report.bytes() >= before && report.bytes() <= report.bytesInAll(), reports.toString());
                assertEquals(report.equals(reports.getLast()), report.ended(), reports.toString());
                before = report.bytes();
            }
            assertEquals(reports.getLast().bytesInAll(), before, "all of it");
            assertEquals(2, reports.getLast().peers());
        }
    }

    @Test
    void theBudgetIsForAllAttemptsOfACallTogether() throws Exception {
        try (var group = group(2)) {
            makeJoiners(group, 1);
            group.budget = Duration.ofSeconds(10);
            var sent = new AtomicInteger();
            group.meddle(0, (header, bytes) -> {
                if (header.kind() == StateServer.CHUNK && sent.incrementAndGet() == 10) {
                    group.nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(9));
                    group.abandon();
                    throw new IOException("abandoned");
                }
                if (sent.get() == 15) {
                    group.nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
                }
            });
            group.attempt();
            group.form(List.of(0, 1));
            giveUp(group.attempt().get(1));
        }
    }

    @Test
    void aFetchEndsWithItsRingAndWithAnInterrupt() throws Exception {
        for (boolean interrupts : new boolean[] {false, true}) {
            try (var group = group(2)) {
                makeJoiners(group, 1);
                group.meddle(0, (header, bytes) -> {
                    if (header.kind() == StateServer.CHUNK) {
                        if (interrupts) {
                            group.thread(1).interrupt();
                        } else {
                            group.abandon();
                        }
                        group.awaitEnd(1); // sends nothing meanwhile
                    }
                });
                BoundaryGroup.Outcome outcome = group.attempt().get(1);
                assertEquals(interrupts, outcome.thrown() instanceof InterruptedIOException, outcome.toString());
                assertInstanceOf(IOException.class, outcome.thrown());
                assertEquals(interrupts, outcome.interrupted());
            }
        }
    }

    @Test
    void aFetchThatNobodyAnswersEndsWithItsRing() throws Exception {
        try (var group = group(3)) {
            makeJoiners(group, 2);
            group.refuseStreams(2, () -> group.abandon());
            assertInstanceOf(IOException.class, group.attempt().get(2).thrown());
        }
    }

    private static String giveUp(BoundaryGroup.Outcome outcome) {
        GiveUpException carrier = assertInstanceOf(GiveUpException.class, outcome.thrown());
        return String.valueOf(
                assertInstanceOf(StateSyncException.class, carrier.error()).getMessage());
    }
}
