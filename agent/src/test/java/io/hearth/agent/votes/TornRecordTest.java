package io.hearth.agent.votes;

import static io.hearth.agent.votes.VoteWorld.accept;
import static io.hearth.agent.votes.VoteWorld.found;
import static io.hearth.agent.votes.VoteWorld.open;
import static io.hearth.agent.votes.VoteWorld.promise;
import static io.hearth.agent.votes.VoteWorld.records;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.election.DamagedRecordException;
import io.hearth.election.protobuf.RecordEncoding;
import io.hearth.election.vote.VoterAnswer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A torn write, as on a file system that writes names before contents: the file is shorter, or has zeros at the end. */
final class TornRecordTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path home;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path folder;

    @BeforeEach
    void write() throws Exception {
        folder = home.resolve("votes");
        try (VoteFolder votes = open(folder)) {
            votes.carryOut(found(0));
            votes.carryOut(accept(0, 3));
        }
    }

    @Test
    void isNoRecordWhicheverByteItWasTornAt() throws Exception {
        byte[] whole = Files.readAllBytes(records(folder).getFirst());
        for (int length = 0; length < whole.length; length++) {
            byte[] torn = Arrays.copyOf(whole, length);
            assertThrows(DamagedRecordException.class, () -> RecordEncoding.decode(torn), "torn at " + length);
            byte[] zeros = Arrays.copyOf(torn, whole.length);
            if (!Arrays.equals(zeros, whole)) {
                assertThrows(DamagedRecordException.class, () -> RecordEncoding.decode(zeros), "zeros from " + length);
            }
        }
    }

    @Test
    void isKeptAndItsSeatIsDead() throws Exception {
        Path record = records(folder).getFirst();
        Path aside = Path.of(record + ".damaged");
        byte[] whole = Files.readAllBytes(record);
        try (VoteFolder votes = open(folder)) {
            for (int length : List.of(0, 1, 11, 12, whole.length / 2, whole.length - 1)) {
                byte[] torn = Arrays.copyOf(whole, length);
                Files.write(record, torn);
                assertEquals(new VoterAnswer.NoSeat(), votes.carryOut(promise(0, 2)), "torn at " + length);
                assertArrayEquals(torn, Files.readAllBytes(aside));
                assertEquals(List.of(), votes.load());
                Files.delete(aside);
            }
        }
    }
}
