package io.hearth.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LogFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void aFullFileIsPutAsideAndTheOldestIsDropped() throws Exception {
        Path file = folder.resolve("hearth.log");
        String line = "x".repeat(999_999);
        try (PrintStream log = LogFile.open(file)) {
            for (int i = 0; i < 17; i++) {
                log.print(i % 10 + line);
            }
        }
        try (PrintStream again = LogFile.open(file)) {
            again.print("after a restart");
        }
        assertTrue(Files.readString(file).endsWith("after a restart"));
        List<Long> sizes = Stream.of(file, folder.resolve("hearth.log.1"), folder.resolve("hearth.log.2"))
                .map(path -> path.toFile().length())
                .toList();
        assertEquals(List.of(2_000_015L, 5_000_000L, 5_000_000L), sizes);
        assertTrue(Files.readString(folder.resolve("hearth.log.1")).startsWith("0x"), "the eleventh line");
    }

    @Test
    void aLogThatCannotBeOpenedIsTold() {
        Path file = folder.resolve("none").resolve("hearth.log");
        String told = String.valueOf(
                assertThrows(SetupException.class, () -> LogFile.open(file)).getMessage());
        assertTrue(
                told.startsWith("cannot write the log " + file) && told.endsWith("name another with --log-file"), told);
    }
}
