package io.hearth.scheduler.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.scheduler.Progress;
import io.hearth.scheduler.Samples;
import io.hearth.serve.Failure;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Barriers of three nodes. The original only writes a line to its log. */
final class BarrierTest {
    private final SchedulerWorld world = new SchedulerWorld();

    @BeforeEach
    void threeNodes() {
        world.register("a", "b", "c");
        world.submit(Samples.job("job", 9, 3));
    }

    private long arrive(String node, long epoch, long seconds) {
        return world.call(new Request.Barrier(node, "job", epoch, seconds * SchedulerWorld.SECOND));
    }

    private String outcome(long call) {
        return world.reply(call)
                .map(reply -> "passed " + ((Reply.Passed) reply).epoch())
                .orElseGet(() -> world.failure(call)
                        .map(why -> why.code() + " " + why.text())
                        .orElse("waits"));
    }

    @Test
    void allWaitForTheLast() {
        long a = arrive("a", 1, 0);
        long b = arrive("b", 1, 0);
        assertEquals(List.of("waits", "waits"), List.of(outcome(a), outcome(b)));
        world.pass(2);
        long c = arrive("c", 1, 0);
        assertEquals(List.of("passed 1", "passed 1", "passed 1"), List.of(outcome(a), outcome(b), outcome(c)));
        assertEquals("passed 1", outcome(arrive("a", 1, 0))); // the answer was lost
        assertEquals(1, world.metrics().barriers());
        assertEquals(2, world.metrics().barrierSecondsLast());
        assertTrue(world.mail("b")
                .contains("synchronization_barrier scheduler {\"epoch\":1,\"passed\":true,\"seconds\":2.0}"));
    }

    @Test
    void theMeanIsOverAllBarriers() {
        for (int epoch = 1; epoch <= 2; epoch++) {
            arrive("a", epoch, 0);
            world.pass(epoch);
            arrive("b", epoch, 0);
            arrive("c", epoch, 0);
        }
        assertEquals(2, world.metrics().barrierSecondsLast());
        assertEquals(1.5, world.metrics().barrierSecondsMean());
    }

    @Test
    void theDeadlineNamesWhoIsMissing() {
        long a = arrive("a", 3, 5);
        arrive("b", 2, 0); // an earlier one
        world.pass(5);
        assertTrue(
                outcome(a).startsWith("DEADLINE_EXCEEDED the barrier of epoch 3 of job job waits for b, c"),
                outcome(a));
    }

    @Test
    void whoIsAtALaterBarrierHasArrived() {
        long a = arrive("a", 1, 0);
        long b = arrive("b", 2, 0);
        long c = arrive("c", 1, 0);
        assertEquals(List.of("passed 1", "waits", "passed 1"), List.of(outcome(a), outcome(b), outcome(c)));
    }

    @Test
    void whoGaveUpHasNotArrived() {
        long a = arrive("a", 1, 0);
        long b = arrive("b", 1, 0);
        world.end(b);
        long c = arrive("c", 1, 0);
        assertEquals(List.of("waits", "waits"), List.of(outcome(a), outcome(c)));
        arrive("b", 1, 0);
        assertEquals(List.of("passed 1", "passed 1"), List.of(outcome(a), outcome(c)));
    }

    @Test
    void nobodyWaitsForANodeThatIsOffline() {
        long a = arrive("a", 1, 0);
        long b = arrive("b", 1, 0);
        for (int i = 0; i < 6; i++) {
            world.pass(10);
            world.beat("a", 0);
            world.beat("b", 0);
        }
        assertEquals(List.of("passed 1", "passed 1"), List.of(outcome(a), outcome(b)));
        world.beat("c", 0);
        assertEquals("passed 1", outcome(arrive("c", 1, 0))); // it comes late
    }

    @Test
    void aBarrierIsPassedOnceForAll() {
        world.isSlow = true;
        long a = arrive("a", 1, 0);
        arrive("b", 1, 0);
        arrive("c", 1, 0);
        assertEquals("waits", outcome(a)); // for the store
        world.fail(1);
        world.isSlow = false;
        assertTrue(outcome(a).startsWith("UNAVAILABLE"));
        assertEquals("passed 1", outcome(arrive("a", 1, 0))); // alone, with the others gone on
    }

    @Test
    void theNextBarrierMayFillWhileTheLastOneIsStored() {
        world.isSlow = true;
        for (int epoch = 1; epoch <= 2; epoch++) {
            for (String node : List.of("a", "b", "c")) {
                arrive(node, epoch, 0);
            }
        }
        long late = arrive("a", 2, 0);
        world.store();
        assertEquals("passed 2", outcome(late));
    }

    @Test
    void aJobThatIsOverHasNoBarrier() {
        long a = arrive("a", 1, 0);
        world.ask(new Request.Cancel("job"));
        assertTrue(outcome(a).startsWith("FAILED_PRECONDITION job job is over"), outcome(a));
        assertTrue(outcome(arrive("b", 1, 0)).startsWith("FAILED_PRECONDITION"));
    }

    @Test
    void whenAJobIsDoneAllMayGo() {
        for (String node : List.of("a", "b")) {
            world.ask(new Request.Report(node, new Progress("job", 9, 9), ""));
        }
        long a = arrive("a", 9, 0);
        world.ask(new Request.Report("c", new Progress("job", 9, 9), ""));
        assertEquals(List.of("passed 9", "passed 9"), List.of(outcome(a), outcome(arrive("b", 9, 0))));
    }

    @Test
    void strangersAreRefused() {
        world.register("d");
        assertEquals(
                Failure.Code.FAILED_PRECONDITION,
                world.refused(new Request.Barrier("d", "job", 1, 0)).code());
        assertEquals(
                Failure.Code.NOT_FOUND,
                world.refused(new Request.Barrier("a", "nothing", 1, 0)).code());
    }
}
