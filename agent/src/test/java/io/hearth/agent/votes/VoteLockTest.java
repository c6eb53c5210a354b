package io.hearth.agent.votes;

import static io.hearth.agent.votes.VoteWorld.COMPUTER;
import static io.hearth.agent.votes.VoteWorld.IMPATIENCE;
import static io.hearth.agent.votes.VoteWorld.MACHINE;
import static io.hearth.agent.votes.VoteWorld.PATIENCE;
import static io.hearth.agent.votes.VoteWorld.found;
import static io.hearth.agent.votes.VoteWorld.open;
import static io.hearth.agent.votes.VoteWorld.promise;
import static io.hearth.agent.votes.VoteWorld.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.votes.VoteProcess.Cast;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.election.LineageRecord;
import io.hearth.election.vote.VoterAnswer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VoteLockTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path folder;

    @BeforeEach
    void name() {
        folder = home.resolve("votes");
    }

    private VoteFolder impatient() throws SetupException {
        return VoteFolder.open(folder, MACHINE, COMPUTER, Clock.system(), IMPATIENCE, RecordWriter.DURABLE);
    }

    @Test
    void twoProcessesWithSeveralThreadsEachVoteAsOneMachine() throws Exception {
        try (VoteFolder votes = open(folder);
                var one = new VoteProcess(folder);
                var other = new VoteProcess(folder)) {
            votes.carryOut(found(0));
            one.tell("vote 1");
            other.tell("vote 2");
            var casts = new ArrayList<>(one.votes());
            casts.addAll(other.votes());
            assertOneMachine(casts);
            LineageRecord last = votes.load().getFirst();
            assertEquals(
                    casts.stream()
                            .filter(VoteLockTest::isPositive)
                            .mapToLong(Cast::round)
                            .max()
                            .orElseThrow(),
                    last.promised().orElseThrow().round());
        }
    }

    private static boolean isPositive(Cast cast) {
        return cast.kind().equals("promised") || cast.kind().equals("accepted");
    }

    /** Checks that all casts look like those of one voter, by the casts that had ended before each vote began. */
    private static void assertOneMachine(List<Cast> casts) {
        List<Cast> positive = casts.stream().filter(VoteLockTest::isPositive).toList();
        Map<Long, Long> accepted = new HashMap<>();
        for (Cast cast : positive) {
            if (cast.acceptedRound() > 0) {
                Long known = accepted.putIfAbsent(cast.acceptedRound(), cast.view());
                assertTrue(known == null || known == cast.view(), () -> "two views of one ballot: " + cast);
            }
        }
        List<Cast> ended = positive.stream()
                .sorted(Comparator.comparingLong(Cast::endNanos))
                .toList();
        int next = 0;
        long promised = 0;
        long acceptedRound = 0;
        for (Cast cast : positive.stream()
                .sorted(Comparator.comparingLong(Cast::startNanos))
                .toList()) {
            for (; next < ended.size() && ended.get(next).endNanos() < cast.startNanos(); next++) {
                promised = Math.max(promised, ended.get(next).round());
                acceptedRound = Math.max(acceptedRound, ended.get(next).acceptedRound());
            }
            String before = "after a promise of " + promised + ", accepted " + acceptedRound + ": " + cast;
            assertTrue(cast.round() >= promised, before);
            assertTrue(cast.acceptedRound() >= acceptedRound, before);
        }
        assertTrue(positive.size() < casts.size() && positive.size() > 20, () -> "they met: " + positive.size());
    }

    @Test
    void aProcessThatIsKilledWhileItVotesFreesTheLock() throws Exception {
        try (VoteFolder votes = open(folder);
                var other = new VoteProcess(folder)) {
            votes.carryOut(found(0));
            assertEquals("held", other.ask("hold"));
            other.kill();
            assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 3)));
        }
    }

    /** The computer's clock plus a shift. */
    private static final class ShiftedClock implements Clock {
        private long shiftNanos;

        @Override
        public long nanoTime() {
            return Clock.system().nanoTime() + shiftNanos;
        }

        @Override
        public long epochMillis() {
            return Clock.system().epochMillis();
        }
    }

    @Test
    void aProcessThatIsStoppedWhileItVotesIsNamedAndTheVoteIsCastOnceItGoesOn() throws Exception {
        var clock = new ShiftedClock();
        try (VoteFolder votes = VoteFolder.open(folder, MACHINE, COMPUTER, clock, IMPATIENCE, RecordWriter.DURABLE);
                VoteFolder patient = open(folder);
                var other = new VoteProcess(folder)) {
            votes.carryOut(found(0));
            clock.shiftNanos = 3 * DiskTimes.MINUTE_NANOS; // the times of the disk are forgotten
            assertEquals("held", other.ask("hold"));
            other.signal("STOP");
            var failed = assertInstanceOf(VoterAnswer.Failed.class, votes.carryOut(promise(0, 3)));
            assertTrue(failed.why().contains("another process of this machine has held the lock"), failed.why());
            var start = assertThrows(SetupException.class, this::impatient);
            assertTrue(String.valueOf(start.getMessage()).contains("has held the lock"), start.getMessage());
            assertEquals(0, votes.slowestNanos(), "waiting for a process is no slow disk");
            other.tell("release");
            other.signal("CONT");
            assertEquals(new VoterAnswer.Promised(Optional.empty()), patient.carryOut(promise(0, 3)));
        }
    }

    @Test
    void whateverTheOtherUsersOfThisProcessDoTheLockStaysHeld() throws Exception {
        FolderLock lock = FolderLock.of(folder);
        try (var other = new VoteProcess(folder);
                var threads = Executors.newSingleThreadExecutor()) {
            assertEquals("free", other.ask("try"));
            FolderLock same = FolderLock.of(home.resolve("votes/../votes"));
            FolderLock.Held held = lock.acquire(PATIENCE).orElseThrow();
            assertEquals("taken", other.ask("try"));
            same.leave();
            assertEquals("taken", other.ask("try"), "a closed descriptor would have given it up");
            var refused = assertThrows(
                    ExecutionException.class,
                    () -> threads.submit(this::impatient).get());
            assertInstanceOf(SetupException.class, refused.getCause());
            assertEquals("taken", other.ask("try"));
            lock.leave();
            assertEquals("taken", other.ask("try"), "its last user closed it while a vote is cast");
            held.close();
            assertEquals("free", other.ask("try"));
        }
    }

    @Test
    void aFolderThatWasMadeAnewIsLockedAnew() throws Exception {
        try (VoteFolder votes = impatient();
                VoteFolder patient = open(folder)) {
            votes.carryOut(found(0));
            assertEquals(0, run("rm", "-rf", folder.toString()));
            try (var other = new VoteProcess(folder)) {
                assertEquals("held", other.ask("hold"));
                assertInstanceOf(
                        VoterAnswer.Failed.class,
                        votes.carryOut(found(0)),
                        "the lock of the deleted file is not the lock of the folder");
            }
            assertEquals(new VoterAnswer.Written(), patient.carryOut(found(0)));
        }
    }
}
