package io.hearth.parameterserver.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of checkpoints, damaged ones, and a full disk. */
final class CheckpointFolderTest {
    @TempDir
    private Path path;

    private CheckpointFolder folder;

    @BeforeEach
    void open() throws IOException {
        folder = CheckpointFolder.open(path.resolve("checkpoints"));
    }

    static byte[] content(long index) {
        byte[] bytes = new byte[500 + (int) (index % 7)];
        new Random(index).nextBytes(bytes);
        return bytes;
    }

    private void save(long term, long index) throws IOException {
        folder.save(0, new Checkpoint(term, index, content(index)));
    }

    private void assertNewest(long term, long index) throws IOException {
        Checkpoint newest = folder.load(0, Long.MAX_VALUE).newest().orElseThrow();
        assertEquals(List.of(term, index), List.of(newest.term(), newest.index()));
        assertArrayEquals(content(index), newest.content());
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(path.resolve("checkpoints"))) {
            return all.sorted().toList();
        }
    }

    @Test
    void anEmptyFolderStartsFresh() throws IOException {
        assertEquals(
                new CheckpointFolder.Found(Optional.empty(), Optional.empty(), List.of()),
                folder.load(0, Long.MAX_VALUE));
    }

    @Test
    void theTwoNewestAreKept() throws IOException {
        for (long index = 1; index <= 300; index += 50) {
            save(1, index);
        }
        assertNewest(1, 251);
        assertEquals(2, files().size());
        save(2, 17); // of another machine's time: less updates, but later
        assertNewest(2, 17);
        folder.save(1, new Checkpoint(9, 9, content(9)));
        folder.save(10, new Checkpoint(8, 8, content(8)));
        assertNewest(2, 17);
        assertEquals(9, folder.load(1, Long.MAX_VALUE).newest().orElseThrow().term());
    }

    /** A ledger that was lost had higher terms: its files neither win nor vanish. */
    @Test
    void filesOfLaterTermsAreSetAside() throws IOException {
        save(7, 70);
        save(9, 90);
        CheckpointFolder.Found found = folder.load(0, 8);
        assertEquals(7, found.newest().orElseThrow().term());
        assertTrue(found.warnings().getFirst().contains("is not of these servers"), found.warnings()::toString);
        assertEquals(
                List.of(
                        "part-0-0000000000000007-0000000000000046.checkpoint",
                        "part-0-0000000000000009-000000000000005a.checkpoint.aside"),
                files().stream().map(file -> file.getFileName().toString()).toList());
        save(11, 1);
        save(10, 5);
        assertNewest(10, 5);
    }

    @Test
    void oneFlippedByteIsFoundAndNamedAndTheOlderOneIsUsed() throws IOException {
        save(1, 1);
        save(1, 2);
        Path newest = files().getLast();
        byte[] whole = Files.readAllBytes(newest);
        for (int at = 0; at < whole.length; at++) {
            byte[] broken = whole.clone();
            broken[at] ^= (byte) (1 << at % 8);
            Files.write(newest, broken);
            CheckpointFolder.Found found = folder.load(0, Long.MAX_VALUE);
            assertEquals(1, found.newest().orElseThrow().index(), "byte " + at);
            assertTrue(found.warnings().getFirst().contains(newest.toString()), found.toString());
        }
        assertTrue(folder.load(0, Long.MAX_VALUE).warnings().isEmpty()); // it is set aside
        for (int length = 0; length < whole.length; length += 13) {
            Files.write(newest, java.util.Arrays.copyOf(whole, length));
            assertEquals(
                    1, folder.load(0, Long.MAX_VALUE).newest().orElseThrow().index(), "length " + length);
        }
    }

    /** The older one is not removed in favour of a damaged one. */
    @Test
    void afterADamagedFileTwoGoodOnesAreKeptAgain() throws IOException {
        save(1, 1);
        save(1, 2);
        Files.write(files().getLast(), new byte[100]);
        assertNewest(1, 1);
        save(1, 3);
        Files.write(
                files().stream()
                        .filter(file -> file.toString().endsWith("3.checkpoint"))
                        .findFirst()
                        .orElseThrow(),
                new byte[1]);
        assertNewest(1, 1);
    }

    @Test
    void bothDamagedStartsFreshAndNamesThem() throws IOException {
        save(1, 1);
        save(1, 2);
        for (Path file : files()) {
            Files.write(file, new byte[50]);
        }
        CheckpointFolder.Found found = folder.load(0, Long.MAX_VALUE);
        assertTrue(found.newest().isEmpty());
        assertEquals(2, found.warnings().size());
    }

    @Test
    void aFullDiskLeavesTheOldOnes() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "only where there is a device that is always full");
        save(1, 1);
        save(1, 2);
        Path temporary = path.resolve("checkpoints").resolve("part-0.tmp");
        Files.createSymbolicLink(temporary, full);
        IOException failed = assertThrows(IOException.class, () -> save(1, 3));
        assertTrue(String.valueOf(failed.getMessage()).contains("make room on the disk"), failed.getMessage());
        assertNewest(1, 2);
        assertFalse(Files.exists(temporary, LinkOption.NOFOLLOW_LINKS), "the room is needed");
        save(1, 3);
        assertNewest(1, 3);
    }
}
