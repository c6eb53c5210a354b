package io.hearth.agent.votes;

import static io.hearth.agent.votes.VoteWorld.COMPUTER;
import static io.hearth.agent.votes.VoteWorld.IMPATIENCE;
import static io.hearth.agent.votes.VoteWorld.MACHINE;
import static io.hearth.agent.votes.VoteWorld.SEAT;
import static io.hearth.agent.votes.VoteWorld.accept;
import static io.hearth.agent.votes.VoteWorld.ballot;
import static io.hearth.agent.votes.VoteWorld.files;
import static io.hearth.agent.votes.VoteWorld.found;
import static io.hearth.agent.votes.VoteWorld.lineage;
import static io.hearth.agent.votes.VoteWorld.open;
import static io.hearth.agent.votes.VoteWorld.promise;
import static io.hearth.agent.votes.VoteWorld.records;
import static io.hearth.agent.votes.VoteWorld.run;
import static io.hearth.agent.votes.VoteWorld.view;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.election.LineageRecord;
import io.hearth.election.Proposal;
import io.hearth.election.protobuf.RecordEncoding;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VoteFolderTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path folder;

    @BeforeEach
    void name() {
        folder = home.resolve("votes");
    }

    /** Writes like the product, counts the writes, and fails on request. */
    private static final class Writes implements RecordWriter {
        private final List<String> seen = new ArrayList<>();
        private boolean failsBefore;
        private boolean failsAfter;

        @Override
        public void replace(Path file, byte[] content) throws IOException {
            seen.add("write");
            fail(failsBefore);
            RecordWriter.DURABLE.replace(file, content);
            fail(failsAfter);
        }

        @Override
        public void sync(Path file) throws IOException {
            seen.add("sync");
            fail(failsBefore);
            RecordWriter.DURABLE.sync(file);
            fail(failsAfter);
        }

        private static void fail(boolean now) throws IOException {
            if (now) {
                throw new IOException("Input/output error");
            }
        }

        List<String> taken() {
            var taken = List.copyOf(seen);
            seen.clear();
            return taken;
        }
    }

    @Test
    void theNameOfARecordIsThatOfFormerReleases() throws Exception {
        try (VoteFolder votes = open(folder)) {
            assertEquals(new VoterAnswer.Written(), votes.carryOut(found(0)));
            assertEquals(List.of(folder.resolve("49b78fa9047baa8c31936a6c.record")), records(folder));
        }
    }

    @Test
    void aVoteIsOnDiskWhenItIsAnsweredAndARestartKnowsIt() throws Exception {
        try (VoteFolder votes = open(folder)) {
            assertEquals(List.of(), votes.load());
            assertEquals(new VoterAnswer.Written(), votes.carryOut(found(0)));
            assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 3)));
            assertEquals(new VoterAnswer.Accepted(), votes.carryOut(accept(0, 3)));
            assertEquals(
                    new VoterAnswer.Entered(SEAT + 1, Optional.empty()),
                    votes.carryOut(new VoterTask.Enter(lineage(1), SEAT + 1)));
        }
        try (VoteFolder votes = open(folder)) {
            var proposal = new Proposal(ballot(3), view(0, 2));
            assertEquals(
                    List.of(
                            new LineageRecord(
                                    lineage(0),
                                    SEAT,
                                    Optional.of(view(0, 1)),
                                    Optional.of(ballot(3)),
                                    Optional.of(proposal)),
                            new LineageRecord(
                                    lineage(1), SEAT + 1, Optional.empty(), Optional.empty(), Optional.empty())),
                    votes.load().stream()
                            .sorted((one, two) -> one.lineage().compareTo(two.lineage()))
                            .toList());
            assertEquals(new VoterAnswer.Refused(ballot(3)), votes.carryOut(promise(0, 2)));
            assertEquals(new VoterAnswer.Promised(Optional.of(proposal)), votes.carryOut(promise(0, 4)));
            assertEquals(
                    new VoterAnswer.Entered(SEAT + 1, Optional.empty()),
                    votes.carryOut(new VoterTask.Enter(lineage(1), SEAT + 2)),
                    "one seat for all time");
        }
        for (Path file : files(folder)) {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)), "" + file);
        }
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
    }

    @Test
    void theSameBallotAgainIsAnsweredWithoutAWriteOnceItIsOnDiskForSure() throws Exception {
        var writes = new Writes();
        var others = new Writes();
        try (VoteFolder votes = open(folder, writes);
                VoteFolder other = open(folder, others)) {
            votes.carryOut(found(0));
            votes.carryOut(promise(0, 3));
            assertEquals(List.of("write", "write"), writes.taken());
            assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 3)));
            assertEquals(List.of(), writes.taken(), "it wrote that itself");
            assertEquals(new VoterAnswer.Refused(ballot(3)), other.carryOut(promise(0, 2)));
            assertEquals(List.of(), others.taken(), "a refusal needs neither a write nor a sync");
            assertEquals(new VoterAnswer.Promised(Optional.empty()), other.carryOut(promise(0, 3)));
            assertEquals(List.of("sync"), others.taken(), "whoever wrote it may have died before it was on disk");
            assertEquals(new VoterAnswer.Promised(Optional.empty()), other.carryOut(promise(0, 3)));
            assertEquals(List.of(), others.taken());
            other.carryOut(accept(0, 5));
            assertEquals(new VoterAnswer.Accepted(), votes.carryOut(accept(0, 5)));
            assertEquals(List.of("write"), others.taken());
            assertEquals(List.of("sync"), writes.taken(), "what it wrote itself is no longer what is there");
            assertEquals(new VoterAnswer.Refused(ballot(5)), votes.carryOut(promise(0, 4)));
            assertEquals(List.of(), writes.taken());
        }
    }

    @Test
    void afterAFailureThereIsNoAnswerAndTheNextTaskWritesTheWholeRecordAgain() throws Exception {
        var writes = new Writes();
        try (VoteFolder votes = open(folder, writes)) {
            votes.carryOut(found(0));
            writes.failsAfter = true; // the new file is in place, but the folder's sync failed
            var failed = assertInstanceOf(VoterAnswer.Failed.class, votes.carryOut(promise(0, 3)));
            assertEquals(
                    "cannot use the voting records in " + folder + ": Input/output error; make the folder writable for"
                            + " you, with free space; this machine votes again as soon as that works",
                    failed.why());
            writes.failsAfter = false;
            writes.taken();
            assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 3)));
            assertEquals(List.of("write"), writes.taken(), "a sync could claim success for what is lost");
            assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 3)));
            assertEquals(List.of(), writes.taken());
            writes.failsBefore = true;
            assertInstanceOf(VoterAnswer.Failed.class, votes.carryOut(promise(0, 4)));
            writes.failsBefore = false;
            writes.taken();
            assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 3)));
            assertEquals(List.of("write"), writes.taken());
        }
    }

    @Test
    void afterAFailedSyncTheRecordIsWrittenAgainToo() throws Exception {
        var writes = new Writes();
        try (VoteFolder other = open(folder);
                VoteFolder votes = open(folder, writes)) {
            other.carryOut(found(0));
            other.carryOut(promise(0, 3));
            writes.failsAfter = true;
            assertInstanceOf(VoterAnswer.Failed.class, votes.carryOut(promise(0, 3)));
            writes.failsAfter = false;
            assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 3)));
            assertEquals(List.of("sync", "write"), writes.taken());
        }
    }

    @Test
    void aDamagedRecordIsSetAsideWithAllItsBytesAndItsSeatIsDead() throws Exception {
        try (VoteFolder votes = open(folder)) {
            for (int time = 1; time <= 3; time++) {
                votes.carryOut(found(0));
                votes.carryOut(found(1));
                Path damaged = records(folder).getFirst();
                byte[] bytes = Files.readAllBytes(damaged);
                int broken = RecordEncoding.decode(bytes).lineage().counter();
                bytes[bytes.length / 2] ^= 1;
                Files.write(damaged, bytes);
                assertEquals(new VoterAnswer.NoSeat(), votes.carryOut(promise(broken, 100)));
                assertEquals(
                        new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(1 - broken, 10 + time)));
                List<Path> kept = files(folder).stream()
                        .filter(file -> file.toString().contains(".damaged"))
                        .toList();
                assertEquals(time, kept.size());
                assertArrayEquals(bytes, Files.readAllBytes(kept.getLast()));
            }
        }
    }

    @Test
    void aRecordOfAnotherVersionWithoutEndUnderAFalseNameOrNoFileIsSetAside() throws Exception {
        try (VoteFolder votes = open(folder)) {
            votes.carryOut(found(0));
            Path sound = records(folder).getFirst();
            byte[] bytes = Files.readAllBytes(sound);
            Files.write(folder.resolve("copied.record"), bytes);
            bytes[4] = 1;
            Files.write(folder.resolve("former.record"), bytes);
            Files.createDirectory(folder.resolve("no-file.record"));
            Files.createSymbolicLink(folder.resolve("link.record"), sound);
            try (var endless =
                    new RandomAccessFile(folder.resolve("endless.record").toFile(), "rw")) {
                endless.setLength(3L << 30); // sparse; more than an array can hold
            }
            assertEquals(1, votes.load().size());
            assertEquals(List.of(sound), records(folder));
            for (String name : List.of("copied", "former", "no-file", "link", "endless")) {
                assertTrue(Files.exists(folder.resolve(name + ".record.damaged"), LinkOption.NOFOLLOW_LINKS), name);
            }
        }
    }

    @Test
    void whatACrashLeftBehindBesideARecordIsNotReadAndGoesAtTheNextStart() throws Exception {
        try (VoteFolder votes = open(folder)) {
            votes.carryOut(found(0));
            Path draft = Files.writeString(Path.of(records(folder).getFirst() + ".new-0"), "half a rec");
            assertEquals(1, votes.load().size());
            try (VoteFolder next = open(folder)) {
                assertEquals(1, next.load().size());
                assertFalse(Files.exists(draft));
            }
        }
    }

    @Test
    void aFolderDeletedWhileItIsUsedCostsTheSeatsAndNothingElse() throws Exception {
        try (VoteFolder votes = open(folder)) {
            votes.carryOut(found(0));
            votes.carryOut(promise(0, 3));
            assertEquals(0, run("rm", "-rf", folder.toString()));
            assertEquals(new VoterAnswer.NoSeat(), votes.carryOut(promise(0, 2)), "not a second vote");
            assertEquals(new VoterAnswer.NoSeat(), votes.carryOut(accept(0, 3)));
            assertEquals(0, run("rm", "-rf", folder.toString()));
            assertEquals(new VoterAnswer.NoSeat(), votes.carryOut(new VoterTask.Learn(view(0, 2))));
            assertEquals(
                    new VoterAnswer.Entered(SEAT + 1, Optional.empty()),
                    votes.carryOut(new VoterTask.Enter(lineage(0), SEAT + 1)));
            assertEquals(new VoterAnswer.NoSeat(), votes.carryOut(promise(0, 9)), "the former seat stays dead");
        }
        try (VoteFolder votes = open(folder)) {
            assertEquals(1, votes.load().size(), "nothing was copied or restored");
        }
    }

    @Test
    void withoutTheFolderAboveThereIsAReasonAndNoVote() throws Exception {
        try (VoteFolder votes = open(folder)) {
            votes.carryOut(found(0));
            assertEquals(0, run("rm", "-rf", home.toString()));
            var failed = assertInstanceOf(VoterAnswer.Failed.class, votes.carryOut(promise(0, 3)));
            assertTrue(failed.why().contains(folder + " is missing"), failed.why());
            Files.createDirectory(home);
            assertEquals(new VoterAnswer.NoSeat(), votes.carryOut(promise(0, 3)));
        }
    }

    @Test
    void aFileInPlaceOfTheFolderIsSaidAndNothingChanged() throws Exception {
        Files.writeString(folder, "no folder");
        var failed = assertThrows(SetupException.class, () -> open(folder));
        assertTrue(String.valueOf(failed.getMessage()).contains("voting records in " + folder), failed.getMessage());
        assertEquals("no folder", Files.readString(folder));
    }

    @Test
    void aFullDiskEndsTheVotesUntilThereIsRoom() throws Exception {
        Path small = tmpfs();
        try (VoteFolder votes = open(small.resolve("votes"))) {
            votes.carryOut(found(0));
            Path filler = small.resolve("filler");
            assertTrue(run("dd", "if=/dev/zero", "of=" + filler, "bs=4k") != 0, "full");
            var failed = assertInstanceOf(VoterAnswer.Failed.class, votes.carryOut(promise(0, 3)));
            assertTrue(failed.why().contains("No space left on device"), failed.why());
            assertInstanceOf(
                    VoterAnswer.Failed.class, votes.carryOut(new VoterTask.Enter(lineage(1), SEAT)), "no Join either");
            Files.delete(filler);
            assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 2)));
            assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 3)));
        } finally {
            run("umount", small.toString());
        }
    }

    @Test
    void aFolderThatCannotBeWrittenEndsTheVotesUntilItCan() throws Exception {
        try (VoteFolder votes = open(folder)) {
            votes.carryOut(found(0));
            votes.carryOut(promise(0, 3));
            boolean isLocked = lockOut(true);
            try {
                assumeTrue(isLocked, "neither chmod nor chattr keep this user from writing here");
                assertInstanceOf(VoterAnswer.Failed.class, votes.carryOut(promise(0, 4)));
                assertInstanceOf(VoterAnswer.Failed.class, votes.carryOut(new VoterTask.Enter(lineage(1), SEAT)));
                assertEquals(new VoterAnswer.Refused(ballot(3)), votes.carryOut(promise(0, 2)), "needs no write");
            } finally {
                lockOut(false);
            }
            assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 3)));
            assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 4)));
        }
    }

    /** Whether this user can no longer make files in the folder; root is stopped by the immutable flag only. */
    private boolean lockOut(boolean locked) throws IOException {
        run("chmod", locked ? "500" : "700", folder.toString());
        if (locked && Files.isWritable(folder) && Files.isExecutable(Path.of("/usr/bin/chattr"))) {
            run("chattr", "+i", folder.toString());
        } else if (Files.isExecutable(Path.of("/usr/bin/chattr"))) {
            run("chattr", "-i", folder.toString());
        }
        try {
            Files.delete(Files.createFile(folder.resolve("probe")));
            return false;
        } catch (IOException refused) {
            return true;
        }
    }

    @Test
    void aStartOnAReadOnlyFileSystemSaysSo() throws Exception {
        Path small = tmpfs();
        try {
            try (VoteFolder votes = open(small.resolve("votes"))) {
                votes.carryOut(found(0));
            }
            assertEquals(0, run("mount", "-o", "remount,ro", small.toString()));
            var failed = assertThrows(SetupException.class, () -> open(small.resolve("votes")));
            assertTrue(String.valueOf(failed.getMessage()).contains("Read-only file system"), failed.getMessage());
        } finally {
            run("umount", small.toString());
        }
    }

    /** A tiny separate file system; skips the test if this user may not make one. */
    private Path tmpfs() throws IOException {
        Path small = Files.createDirectory(home.resolve("small"));
        assumeTrue(
                Files.isExecutable(Path.of("/bin/mount"))
                        && run("mount", "-t", "tmpfs", "-o", "size=128k", "none", small.toString()) == 0,
                "only root may mount a file system");
        return small;
    }

    @Test
    void anInterruptedThreadVotesAndStaysInterrupted() throws Exception {
        try (VoteFolder votes = open(folder)) {
            votes.carryOut(found(0));
            Thread.currentThread().interrupt();
            assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 3)));
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void aClosedFolderDoesNotVote() throws Exception {
        VoteFolder votes = open(folder);
        votes.carryOut(found(0));
        votes.close();
        votes.close();
        assertInstanceOf(VoterAnswer.Failed.class, votes.carryOut(promise(0, 3)));
        try (VoteFolder next =
                VoteFolder.open(folder, MACHINE, COMPUTER, Clock.system(), IMPATIENCE, RecordWriter.DURABLE)) {
            assertEquals(new VoterAnswer.Promised(Optional.empty()), next.carryOut(promise(0, 3)));
        }
    }
}
