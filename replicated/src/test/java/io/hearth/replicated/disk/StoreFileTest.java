package io.hearth.replicated.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.Ballot;
import io.hearth.replicated.Content;
import io.hearth.replicated.DiskTask;
import io.hearth.replicated.Entry;
import io.hearth.replicated.Samples;
import io.hearth.replicated.StoreRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreFileTest {
    private static final Optional<String> COMPUTER = Optional.of("this");
    private static final StoreRecord RECORD = Samples.record();
    private static final DiskTask APPEND = new DiskTask.Append(
            Optional.of(new Ballot(4, Samples.A)),
            7,
            List.of(new Entry(Samples.at(8, 4, Samples.A), new Content.Begin())));
    private static final StoreRecord APPENDED = new StoreRecord(
            RECORD.id(),
            Optional.of(new Ballot(4, Samples.A)),
            RECORD.snapshot(),
            RECORD.log().replaceAfter(7, List.of(new Entry(Samples.at(8, 4, Samples.A), new Content.Begin()))));

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("store");
    }

    private StoreFile open() throws IOException {
        return StoreFile.open(folder, COMPUTER);
    }

    private long written(DiskTask... tasks) throws IOException {
        try (StoreFile file = open()) {
            for (DiskTask task : tasks) {
                file.write(List.of(task));
            }
            return file.seat();
        }
    }

    @Test
    void whatWasWrittenIsThere() throws Exception {
        long seat;
        try (StoreFile file = open()) {
            assertEquals(Optional.empty(), file.record());
            seat = file.seat();
            file.write(List.of(new DiskTask.Whole(RECORD)));
        }
        try (StoreFile file = open()) {
            assertEquals(Optional.of(RECORD), file.record());
            assertEquals(seat, file.seat());
            file.write(List.of(APPEND));
        }
        try (StoreFile file = open()) {
            assertEquals(Optional.of(APPENDED), file.record());
            file.write(List.of(APPEND, new DiskTask.Whole(RECORD), APPEND)); // one sync
        }
        try (StoreFile file = open()) {
            assertEquals(Optional.of(APPENDED), file.record());
            assertEquals(seat, file.seat());
        }
    }

    /** The power may fail at any byte of the last write: the file has the content before it, and takes further writes. */
    @Test
    void aCutOffWriteIsDropped() throws Exception {
        written(new DiskTask.Whole(RECORD));
        byte[] before = Files.readAllBytes(file());
        written(APPEND);
        byte[] after = Files.readAllBytes(file());
        for (int length = before.length; length < after.length; length++) {
            Files.write(file(), Arrays.copyOf(after, length));
            try (StoreFile opened = open()) {
                assertEquals(Optional.of(RECORD), opened.record(), "cut at " + length);
                opened.write(List.of(APPEND));
            }
            assertArrayEquals(after, Files.readAllBytes(file()));
        }
    }

    /** After a power failure some file systems have the new size and zeros in place of the bytes. */
    @Test
    void zerosInPlaceOfAWriteAreDropped() throws Exception {
        written(new DiskTask.Whole(RECORD));
        byte[] before = Files.readAllBytes(file());
        written(APPEND);
        byte[] after = Files.readAllBytes(file());
        for (int zeros = 1; zeros <= after.length - before.length; zeros++) {
            byte[] bytes = after.clone();
            Arrays.fill(bytes, after.length - zeros, after.length, (byte) 0);
            Files.write(file(), bytes);
            try (StoreFile opened = open()) {
                boolean isSame = Arrays.equals(bytes, after); // the last bytes may be zeros anyway
                assertEquals(Optional.of(isSame ? APPENDED : RECORD), opened.record(), zeros + " zeros");
            }
        }
    }

    /** A flipped bit before the last record makes the copy useless, and is never read as something else. */
    @Test
    void damageSetsTheFileAside() throws Exception {
        long seat = written(new DiskTask.Whole(RECORD), APPEND, APPEND);
        byte[] whole = Files.readAllBytes(file());
        written(new DiskTask.Whole(RECORD));
        int firstBytes = Files.readAllBytes(file()).length;
        for (int at = 8; at < firstBytes; at += 11) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 4;
            Files.write(file(), damaged);
            try (StoreFile opened = open()) {
                assertEquals(Optional.empty(), opened.record(), "damaged at " + at);
                assertNotEquals(seat, opened.seat());
            }
        }
        assertTrue(Files.exists(folder.resolve("store.aside-1")));
    }

    /** Wherever the bit is: in the magic, the length, the checksum or the payload of a record that others follow. */
    @Test
    void aFlippedBitInTheMiddleIsNoCutOffWrite() throws Exception {
        written(new DiskTask.Whole(RECORD));
        int first = Files.readAllBytes(file()).length;
        written(APPEND);
        int second = Files.readAllBytes(file()).length;
        written(APPEND, APPEND);
        byte[] bytes = Files.readAllBytes(file());
        for (int at = first; at < second; at += 5) {
            byte[] damaged = bytes.clone();
            damaged[at] ^= 64;
            Files.write(file(), damaged);
            try (StoreFile opened = open()) {
                assertEquals(Optional.empty(), opened.record(), "damaged at " + at);
            }
        }
    }

    @Test
    void aCopiedFolderIsAnotherReplica(@TempDir Path other) throws Exception {
        long seat = written(new DiskTask.Whole(RECORD));
        try (var files = Files.list(folder)) {
            for (Path each : files.toList()) {
                Files.copy(each, other.resolve(each.getFileName().toString()));
            }
        }
        try (StoreFile copied = StoreFile.open(other, COMPUTER)) {
            assertEquals(Optional.empty(), copied.record());
            assertNotEquals(seat, copied.seat());
        }
        try (StoreFile moved = StoreFile.open(folder, Optional.of("another"))) {
            assertEquals(Optional.empty(), moved.record());
        }
    }

    @Test
    void aNewerFormatStopsTheStart() throws Exception {
        written(new DiskTask.Whole(RECORD));
        byte[] bytes = Files.readAllBytes(file());
        bytes[4] = 9;
        Files.write(file(), bytes);
        assertThrows(IOException.class, this::open);
        assertArrayEquals(bytes, Files.readAllBytes(file()));
    }

    @Test
    void nothingIsAppendedWithoutAWholeRecord() throws Exception {
        try (StoreFile file = open()) {
            assertThrows(IOException.class, () -> file.write(List.of(APPEND)));
        }
    }
}
