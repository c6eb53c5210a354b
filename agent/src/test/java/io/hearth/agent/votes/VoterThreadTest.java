package io.hearth.agent.votes;

import static io.hearth.agent.votes.VoteWorld.IMPATIENCE;
import static io.hearth.agent.votes.VoteWorld.found;
import static io.hearth.agent.votes.VoteWorld.open;
import static io.hearth.agent.votes.VoteWorld.promise;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VoterThreadTest {
    private final BlockingQueue<VoterAnswer> answers = new LinkedBlockingQueue<>();
    private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    /** A disk that answers on request. */
    private static class HungDisk implements VoterDisk {
        private final CountDownLatch busy = new CountDownLatch(1);
        private final BlockingQueue<VoterAnswer> next = new ArrayBlockingQueue<>(4);

        @Override
        public VoterAnswer carryOut(VoterTask task) {
            busy.countDown();
            try {
                return next.take();
            } catch (InterruptedException stop) {
                throw new AssertionError("the voter must not be interrupted", stop);
            }
        }

        @Override
        public long slowestNanos() {
            return 0;
        }
    }

    private VoterThread thread(VoterDisk disk) {
        return new VoterThread("test", disk, (task, answer) -> answers.add(answer), failures::add, IMPATIENCE);
    }

    private static boolean isAlive(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals(name));
    }

    @Test
    void eachTaskIsAnsweredInItsTurnAndClosingLeavesNoThread() throws Exception {
        try (VoteFolder votes = open(home.resolve("votes"))) {
            var voter = new VoterThread("tidy", votes, (task, answer) -> answers.add(answer), failures::add);
            voter.start();
            voter.submit(found(0));
            assertEquals(new VoterAnswer.Written(), answers.take());
            for (int round = 1; round <= 20; round++) {
                voter.submit(promise(0, round));
                assertEquals(new VoterAnswer.Promised(Optional.empty()), answers.take());
            }
            assertTrue(voter.slowestNanos() > 0);
            assertTrue(isAlive("hearth-voter-tidy"));
            voter.close();
            voter.close();
            assertFalse(isAlive("hearth-voter-tidy"));
        }
        assertEquals(0, failures.size());
    }

    @Test
    void aTaskBeforeTheStartIsCarriedOutAndAThreadThatNeverStartedCloses() throws Exception {
        try (VoteFolder votes = open(home.resolve("votes"));
                var voter = thread(votes);
                var never = thread(votes)) {
            voter.submit(found(0));
            voter.start();
            assertEquals(new VoterAnswer.Written(), answers.take());
            never.submit(found(1));
        }
    }

    @Test
    void submittingNeverBlocksAndATaskTooManyIsABug() throws Exception {
        var disk = new HungDisk();
        try (var voter = thread(disk)) {
            voter.start();
            voter.submit(found(0));
            disk.busy.await();
            voter.submit(promise(0, 1));
            assertThrows(AssertionError.class, () -> voter.submit(promise(0, 2)));
            disk.next.add(new VoterAnswer.Written());
            disk.next.add(new VoterAnswer.Accepted());
            assertEquals(new VoterAnswer.Written(), answers.take());
            assertEquals(new VoterAnswer.Accepted(), answers.take());
        }
    }

    @Test
    void aDiskThatHangsDoesNotHoldUpTheEndAndItsAnswerComesNoMore() throws Exception {
        var disk = new HungDisk();
        var voter = thread(disk);
        voter.start();
        voter.submit(found(0));
        disk.busy.await();
        voter.close(); // returns
        assertTrue(isAlive("hearth-voter-test"));
        disk.next.add(new VoterAnswer.Written());
        voter.close();
        assertFalse(isAlive("hearth-voter-test"));
        assertEquals(0, answers.size());
        assertEquals(0, failures.size());
    }

    @Test
    void whatEndsTheThreadIsTold() throws Exception {
        var bug = new StackOverflowError("planted");
        bug.setStackTrace(new StackTraceElement[0]);
        try (var voter = new VoterThread(
                "bug",
                new HungDisk() {
                    @Override
                    public VoterAnswer carryOut(VoterTask task) {
                        throw bug;
                    }
                },
                (task, answer) -> answers.add(answer),
                failures::add)) {
            voter.start();
            voter.submit(found(0));
            assertSame(bug, failures.take());
        }
    }

    @Test
    void aSlowDiskIsSlowWhileItIsBusyAndForAMinuteAfter() throws Exception {
        var clock = new VoteWorld.SetClock();
        var syncing = new CountDownLatch(1);
        var synced = new CountDownLatch(1);
        var slow = new RecordWriter() {
            @Override
            public void replace(Path file, byte[] content) throws IOException {
                syncing.countDown();
                try {
                    synced.await();
                } catch (InterruptedException stop) {
                    throw new IOException(stop);
                }
                RecordWriter.DURABLE.replace(file, content);
            }

            @Override
            public void sync(Path file) throws IOException {
                RecordWriter.DURABLE.sync(file);
            }
        };
        try (VoteFolder votes = VoteFolder.open(
                        home.resolve("votes"), VoteWorld.MACHINE, VoteWorld.COMPUTER, clock, VoteWorld.PATIENCE, slow);
                var voter = thread(votes)) {
            voter.start();
            clock.add(Duration.ofSeconds(10)); // later, nothing is cold
            assertFalse(voter.isDiskSlow());
            voter.submit(found(0));
            syncing.await();
            assertFalse(voter.isDiskSlow());
            clock.add(Duration.ofMillis(500));
            assertTrue(voter.isDiskSlow(), "it has not answered for half a second");
            clock.add(Duration.ofMillis(500));
            synced.countDown();
            assertEquals(new VoterAnswer.Written(), answers.poll(1, TimeUnit.MINUTES));
            assertEquals(Duration.ofSeconds(1).toNanos(), voter.slowestNanos());
            voter.submit(promise(0, 1));
            assertEquals(new VoterAnswer.Promised(Optional.empty()), answers.poll(1, TimeUnit.MINUTES));
            clock.add(Duration.ofSeconds(59));
            assertTrue(voter.isDiskSlow());
            clock.add(Duration.ofSeconds(62));
            assertFalse(voter.isDiskSlow());
        }
    }

    @Test
    void theTimesOfADiskAreThoseOfThisMinuteAndTheOneBefore() {
        long minute = DiskTimes.MINUTE_NANOS;
        var times = DiskTimes.from(-10);
        assertEquals(0, times.slowestNanos(minute));
        times = times.began(0).ended(7);
        assertEquals(7, times.slowestNanos(7));
        times = times.began(10).ended(15);
        assertEquals(7, times.slowestNanos(20));
        assertEquals(12, times.began(20).slowestNanos(32));
        times = times.began(minute).ended(minute + 3);
        assertEquals(7, times.slowestNanos(minute + 3), "the minute before");
        assertEquals(3, times.slowestNanos(2 * minute));
        assertEquals(0, times.slowestNanos(3 * minute));
        times = times.began(3 * minute).ended(5 * minute);
        assertEquals(2 * minute, times.slowestNanos(5 * minute));
    }

    @Test
    void atTheStartOnlyATaskOfASecondIsSlow() {
        long milli = 1_000_000;
        var times = DiskTimes.from(0).began(milli).ended(900 * milli);
        assertEquals(DiskTimes.SLOW_NANOS, times.slowestNanos(900 * milli), "its classes were loaded");
        assertEquals(
                1_100 * milli, times.began(1_000 * milli).ended(2_100 * milli).slowestNanos(2_100 * milli));
    }
}
