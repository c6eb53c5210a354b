package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AcceptorFilesTest {
    private static final NodeId SELF = NodeInboxTest.node(1);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private static LineageRecord record(int counter, long promised) {
        var lineage = new Lineage(false, 1_763_000_000_000L, SELF, 5, counter);
        var view = new View(lineage, 4, List.of(new Member(SELF, 5, 1, Role.AGENT, "")), List.of());
        return new LineageRecord(
                lineage, List.of(5L), Optional.of(view), Optional.of(new Ballot(promised, SELF)), Optional.empty());
    }

    @Test
    void whatWasSavedIsThereAfterARestartTheNewestOfEachLineage() throws Exception {
        var files = new AcceptorFiles(folder);
        files.save(record(0, 8));
        files.save(record(1, 9));
        files.save(record(0, 10));
        assertEquals(Set.of(record(0, 10), record(1, 9)), new HashSet<>(new AcceptorFiles(folder).load()));
        for (Path file : files()) {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        }
    }

    @Test
    void aForgottenLineageIsGone() throws Exception {
        var files = new AcceptorFiles(folder);
        files.save(record(0, 8));
        files.forget(record(0, 8).lineage());
        files.forget(record(0, 8).lineage());
        assertEquals(List.of(), new AcceptorFiles(folder).load());
        assertEquals(List.of(), files());
    }

    @Test
    void aDamagedRecordIsSetAsideWithAllItsBytesHoweverOftenItHappens() throws Exception {
        var files = new AcceptorFiles(folder);
        for (int time = 1; time <= 3; time++) {
            files.save(record(0, 8));
            files.save(record(1, 8));
            Path damaged = files().stream()
                    .filter(file -> file.toString().endsWith(".record"))
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(damaged);
            bytes[bytes.length / 2] ^= 1;
            Files.write(damaged, bytes);
            assertEquals(1, files.load().size(), "the other one still counts");
            List<Path> kept = files().stream()
                    .filter(file -> file.toString().contains(".damaged"))
                    .toList();
            assertEquals(time, kept.size());
            assertArrayEquals(bytes, Files.readAllBytes(kept.getLast()));
        }
    }

    @Test
    void aRecordWithoutEndIsSetAsideUnread() throws Exception {
        try (var endless = new RandomAccessFile(folder.resolve("endless.record").toFile(), "rw")) {
            endless.setLength(3L << 30); // sparse; more than an array can hold
        }
        assertEquals(List.of(), new AcceptorFiles(folder).load());
        assertEquals(List.of(folder.resolve("endless.record.damaged")), files());
    }

    @Test
    void whatACrashLeftBehindBesideARecordIsNotRead() throws Exception {
        var files = new AcceptorFiles(folder);
        files.save(record(0, 8));
        Files.writeString(Path.of(files().getFirst() + ".new-0"), "half a rec");
        assertEquals(List.of(record(0, 8)), files.load());
        files.save(record(0, 9));
        assertEquals(List.of(record(0, 9)), files.load());
    }

    @Test
    void aFolderThatCannotBeReadIsSaidAndNothingChanged() throws Exception {
        Path file = Files.writeString(folder.resolve("votes"), "no folder");
        var failed = assertThrows(SetupException.class, () -> new AcceptorFiles(file).load());
        assertTrue(String.valueOf(failed.getMessage()).contains("cannot read the voter's records in " + file));
        assertEquals("no folder", Files.readString(file));
        assertThrows(IOException.class, () -> new AcceptorFiles(file).save(record(0, 8)));
    }

    private List<Path> files() throws IOException {
        try (var entries = Files.list(folder)) {
            return entries.sorted().toList();
        }
    }
}
