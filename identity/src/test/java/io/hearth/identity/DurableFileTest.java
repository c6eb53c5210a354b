package io.hearth.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class DurableFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    /** The ways to replace the content of a file. */
    enum Way {
        REPLACE {
            @Override
            void put(Path file, byte[] content) throws IOException {
                DurableFile.replace(file, content);
            }
        },
        REPLACE_CHECKED {
            @Override
            void put(Path file, byte[] content) throws IOException {
                DurableFile.replaceChecked(file, content);
            }
        };

        abstract void put(Path file, byte[] content) throws IOException;
    }

    @ParameterizedTest
    @EnumSource
    void theContentIsReplacedWholeAndOnlyTheOwnerCanReadIt(Way way) throws IOException {
        Path file = folder.resolve("record");
        Files.writeString(file, "a longer content than the next one");
        way.put(file, new byte[] {1, 2});
        assertEquals(2, Files.size(file));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals(List.of("record"), names());
    }

    @ParameterizedTest
    @EnumSource
    void whatCannotBeReplacedIsAsItWasAndNothingIsLeftBeside(Way way) throws IOException {
        Path taken = Files.createDirectories(folder.resolve("record/full"));
        assertThrows(IOException.class, () -> way.put(folder.resolve("record"), new byte[1]));
        assertEquals(List.of("record"), names());
        assertEquals(true, Files.isDirectory(taken));
        assertThrows(IOException.class, () -> way.put(folder.resolve("absent/record"), new byte[1]));
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

    @Test
    void anInterruptedThreadWritesNothing() throws IOException {
        Path file = folder.resolve("record");
        System.setProperty(DurableFile.SLOW, "20");
        Thread.currentThread().interrupt();
        try {
            assertThrows(ClosedByInterruptException.class, () -> DurableFile.replaceChecked(file, new byte[1]));
            assertTrue(Thread.interrupted(), "the interrupt is kept");
            assertEquals(List.of(), names());
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
