package io.hearth.agent.votes;

import static io.hearth.agent.votes.VoteWorld.COMPUTER;
import static io.hearth.agent.votes.VoteWorld.MACHINE;
import static io.hearth.agent.votes.VoteWorld.PATIENCE;
import static io.hearth.agent.votes.VoteWorld.SEAT;
import static io.hearth.agent.votes.VoteWorld.files;
import static io.hearth.agent.votes.VoteWorld.found;
import static io.hearth.agent.votes.VoteWorld.lineage;
import static io.hearth.agent.votes.VoteWorld.open;
import static io.hearth.agent.votes.VoteWorld.promise;
import static io.hearth.agent.votes.VoteWorld.records;
import static io.hearth.agent.votes.VoteWorld.run;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.place.FolderIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VotePlaceTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path backup;

    /** Two records, and a backup of them that does not know the last vote. */
    @BeforeEach
    void fill() throws Exception {
        folder = home.resolve("votes");
        backup = home.resolve("backup");
        try (VoteFolder votes = open(folder)) {
            votes.carryOut(found(0));
            votes.carryOut(found(1));
            assertEquals(0, run("cp", "-a", folder.toString(), backup.toString()));
            votes.carryOut(promise(0, 3));
        }
    }

    private static VoteFolder on(Path folder, Optional<String> computer) throws SetupException {
        return VoteFolder.open(folder, MACHINE, computer, Clock.system(), PATIENCE, RecordWriter.DURABLE);
    }

    private static void assertSetAside(VoteFolder votes, Path folder, int number) throws Exception {
        assertEquals(new VoterAnswer.NoSeat(), votes.carryOut(promise(0, 2)));
        assertEquals(List.of(), records(folder));
        assertEquals(2, files(folder.resolve("aside-" + number)).size());
        assertFalse(Files.exists(folder.resolve("aside-" + (number + 1))));
    }

    private static void assertInPlace(VoteFolder votes) {
        assertEquals(new VoterAnswer.Promised(Optional.empty()), votes.carryOut(promise(0, 3)));
    }

    @Test
    void aFolderThatStaysOrIsRenamedKeepsItsRecords() throws Exception {
        for (int start = 0; start < 3; start++) {
            try (VoteFolder votes = open(folder)) {
                assertInPlace(votes);
            }
        }
        Path renamed = Files.move(folder, home.resolve("renamed"));
        try (VoteFolder votes = open(renamed)) {
            assertInPlace(votes);
        }
    }

    @Test
    void recordsThatAnotherComputerHasTooAreSetAsideBeforeTheNextVote() throws Exception {
        try (VoteFolder votes = open(folder)) {
            assertInPlace(votes);
            votes.setAside("another computer uses the same identity");
            assertSetAside(votes, folder, 1);
            assertEquals(new VoterAnswer.Written(), votes.carryOut(found(2)));
            assertEquals(1, records(folder).size(), "once");
        }
    }

    @Test
    void theRecordsOfACopiedFolderAreSetAsideAndTheOriginalsVoteOn() throws Exception {
        Path copy = home.resolve("copy");
        assertEquals(0, run("cp", "-a", folder.toString(), copy.toString()));
        byte[] kept = Files.readAllBytes(records(copy).getFirst());
        try (VoteFolder votes = open(copy)) {
            assertSetAside(votes, copy, 1);
            assertArrayEquals(
                    kept, Files.readAllBytes(files(copy.resolve("aside-1")).getFirst()));
            assertEquals(
                    new VoterAnswer.Entered(SEAT + 1, Optional.empty()),
                    votes.carryOut(new VoterTask.Enter(lineage(0), SEAT + 1)));
        }
        try (VoteFolder votes = open(copy)) {
            assertEquals(1, votes.load().size(), "it has a place of its own now");
            assertFalse(Files.exists(copy.resolve("aside-2")));
        }
        try (VoteFolder votes = open(folder)) {
            assertInPlace(votes);
        }
    }

    @Test
    void aRestoredBackupIsSetAsideEachTime() throws Exception {
        for (int time = 0; time < 4; time++) { // a file system may give the place its former inode again
            assertEquals(0, run("rm", "-rf", folder.toString()));
            assertEquals(0, run("cp", "-a", backup.toString(), folder.toString()));
            try (VoteFolder votes = open(folder)) {
                assertSetAside(votes, folder, 1);
            }
        }
    }

    @Test
    void aBackupRestoredUnderARunningProcessIsSetAsideBeforeTheNextVote() throws Exception {
        try (VoteFolder votes = open(folder)) {
            assertInPlace(votes);
            assertEquals(0, run("rm", "-rf", folder.toString()));
            assertEquals(0, run("cp", "-a", backup.toString(), folder.toString()));
            assertSetAside(votes, folder, 1);
        }
    }

    @Test
    void aToolThatRestoresOnlyWhatChangedIsNoticedToo() throws Exception {
        var clock = new VoteWorld.SetClock();
        try (VoteFolder votes = open(folder, clock)) {
            assertEquals(0, run("rm", "-rf", backup.toString()));
            assertEquals(0, run("cp", "-a", folder.toString(), backup.toString()));
            votes.carryOut(promise(0, 9));
            clock.add(Duration.ofMinutes(1));
            votes.carryOut(new VoterTask.Retain(new TreeSet<>(List.of(lineage(0)))));
            restoreWhatChanged();
            assertSetAside(votes, folder, 1);
        }
    }

    /** As rsync does: a file of the same size and time stamp is kept, any other one is replaced by a new file. */
    private void restoreWhatChanged() throws IOException {
        for (Path kept : files(backup)) {
            Path now = folder.resolve(kept.getFileName());
            boolean isSame = Files.exists(now)
                    && Files.size(now) == Files.size(kept)
                    && Files.getLastModifiedTime(now).equals(Files.getLastModifiedTime(kept));
            if (!isSame) {
                Path draft = folder.resolve(".draft");
                Files.copy(kept, draft, StandardCopyOption.COPY_ATTRIBUTES);
                Files.move(draft, now, StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    @Test
    void anInodeThatWasGivenToANewFileIsToldByTheTimeOfItsCreation() throws Exception {
        Path place = folder.resolve("place");
        String text = Files.readString(place);
        assumeTrue(!text.contains("born: unknown"), "this file system does not say when a file was created");
        Files.writeString(place, text.replaceFirst("born: \\d{4}", "born: 1999"));
        try (VoteFolder votes = open(folder)) {
            assertSetAside(votes, folder, 1);
        }
    }

    @Test
    void onAnotherComputerTheRecordsAreSetAsideThoughTheInodeIsTheSame() throws Exception {
        var other = Optional.of("fedcba9876543210".repeat(4));
        try (VoteFolder votes = on(folder, other)) {
            assertSetAside(votes, folder, 1);
        }
        try (VoteFolder votes = on(folder, other)) {
            votes.carryOut(found(0));
            votes.carryOut(found(1));
        }
        try (VoteFolder votes = on(folder, COMPUTER)) {
            assertSetAside(votes, folder, 2);
        }
    }

    @Test
    void aComputerWithoutAnIdKeepsWhatItHasAndLearnsItsIdLater() throws Exception {
        try (VoteFolder votes = on(folder, Optional.empty())) {
            assertInPlace(votes);
        }
        Files.delete(folder.resolve("place"));
        try (VoteFolder votes = on(folder, Optional.empty())) {
            assertSetAside(votes, folder, 1);
            votes.carryOut(found(0));
            votes.carryOut(promise(0, 3));
        }
        try (VoteFolder votes = on(folder, COMPUTER)) {
            assertInPlace(votes);
        }
        assertTrue(Files.readString(folder.resolve("place")).contains("computer: " + COMPUTER.orElseThrow()));
        try (VoteFolder votes = on(folder, COMPUTER)) {
            assertInPlace(votes);
        }
    }

    @Test
    void aPlaceThatIsMissingOrDamagedVouchesForNothing() throws Exception {
        Files.delete(folder.resolve("place"));
        try (VoteFolder votes = open(folder)) {
            assertSetAside(votes, folder, 1);
            votes.carryOut(found(0));
            votes.carryOut(found(1));
        }
        byte[] place = Files.readAllBytes(folder.resolve("place"));
        Files.write(folder.resolve("place"), Arrays.copyOf(place, place.length - 1));
        try (VoteFolder votes = open(folder)) {
            assertSetAside(votes, folder, 2);
        }
    }

    @Test
    void backupsAreAskedToLeaveTheFolderOut() throws Exception {
        assertTrue(Files.readString(folder.resolve("CACHEDIR.TAG"))
                .startsWith("Signature: 8a477f597d28d172789f06886806bc55"));
        if (run("tar", "--version") == 0) {
            Path archive = home.resolve("backup.tar");
            run("tar", "--exclude-caches-all", "-cf", archive.toString(), "-C", home.toString(), "votes");
            assertFalse(new String(Files.readAllBytes(archive), StandardCharsets.ISO_8859_1).contains("HRec"));
        }
    }

    @Test
    void whatIsUnknownAgreesWithEverything() {
        var place = new FolderIdentity(Optional.of("5"), Optional.of("then"), COMPUTER);
        var unknown = new FolderIdentity(Optional.empty(), Optional.empty(), Optional.empty());
        assertEquals(Optional.of(place), FolderIdentity.decode(place.encode()));
        assertEquals(Optional.of(unknown), FolderIdentity.decode(unknown.encode()));
        assertEquals(Optional.empty(), place.difference(place));
        assertEquals(Optional.empty(), place.difference(unknown));
        assertEquals(Optional.empty(), unknown.difference(place));
        assertTrue(unknown.knowsLess(place));
        assertFalse(place.knowsLess(unknown));
        for (FolderIdentity other : List.of(
                new FolderIdentity(Optional.of("6"), Optional.of("then"), COMPUTER),
                new FolderIdentity(Optional.of("5"), Optional.of("later"), COMPUTER),
                new FolderIdentity(Optional.of("5"), Optional.of("then"), Optional.of("another")))) {
            assertTrue(place.difference(other).isPresent(), () -> "" + other);
        }
        for (int length = 0; length < place.encode().length(); length++) {
            assertEquals(Optional.empty(), FolderIdentity.decode(place.encode().substring(0, length)));
        }
    }
}
