package io.hearth.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DurableFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void theContentIsReplacedWholeAndOnlyTheOwnerCanReadIt() throws IOException {
        Path file = folder.resolve("record");
        Files.writeString(file, "a longer content than the next one");
        DurableFile.replace(file, new byte[] {1, 2});
        assertEquals(2, Files.size(file));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals(List.of("record"), names());
    }

    @Test
    void whatCannotBeReplacedIsAsItWasAndNothingIsLeftBeside() throws IOException {
        Path taken = Files.createDirectories(folder.resolve("record/full"));
        assertThrows(IOException.class, () -> DurableFile.replace(folder.resolve("record"), new byte[1]));
        assertEquals(List.of("record"), names());
        assertEquals(true, Files.isDirectory(taken));
        assertThrows(IOException.class, () -> DurableFile.replace(folder.resolve("absent/record"), new byte[1]));
        assertFalse(Files.exists(folder.resolve("absent")));
    }

    @Test
    void whatIsDeletedIsGoneAndWhatWasNotThereIsNoError() throws IOException {
        Path file = folder.resolve("record");
        DurableFile.replace(file, new byte[1]);
        DurableFile.delete(file);
        DurableFile.delete(file);
        assertEquals(List.of(), names());
    }

    @Test
    void filesAndFoldersOfOthersAreMadeSureOfAndMissingOnesAreAnError() throws IOException {
        Path file = Files.writeString(folder.resolve("record"), "of another process");
        DurableFile.sync(file);
        DurableFile.sync(folder);
        assertThrows(IOException.class, () -> DurableFile.sync(folder.resolve("absent")));
        assertEquals("of another process", Files.readString(file));
    }

    @Test
    void aSlowDiskIsPlayedForTheFileAndForItsFolder() throws IOException {
        System.setProperty(DurableFile.SLOW, "20");
        try {
            long beginNanos = System.nanoTime();
            DurableFile.replace(folder.resolve("record"), new byte[1]);
            long nanos = System.nanoTime() - beginNanos;
            assertTrue(nanos >= 40_000_000, () -> nanos + " ns");
        } finally {
            System.clearProperty(DurableFile.SLOW);
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
