package io.hearth.agent.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.identity.PeerId;
import io.hearth.topology.memory.Measurement;
import io.hearth.topology.memory.Measurements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class LinkMemoryTest {
    private static final Clock NOON = new Clock() {
        @Override
        public long nanoTime() {
            return 1_000_000_000;
        }

        @Override
        public long epochMillis() {
            return 1_790_000_000_000L;
        }
    };

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private Path path() {
        return folder.resolve("links-agent");
    }

    private static Measurements rate(long bytesPerSecond) {
        var measurement = new Measurement(
                PeerId.of(new byte[PeerId.KEY_BYTES]),
                "10.0.0.1",
                5,
                OptionalLong.of(bytesPerSecond),
                OptionalLong.empty(),
                OptionalInt.empty(),
                0);
        return Measurements.NONE.with(List.of(measurement), 0);
    }

    @Test
    void measurementsSurviveARestart() throws IOException {
        try (var memory = new LinkMemory(path(), NOON)) {
            assertEquals(Measurements.NONE, memory.start());
            memory.remember(rate(7));
            memory.remember(rate(8));
        }
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path())));
        try (var memory = new LinkMemory(path(), NOON)) {
            assertEquals(rate(8), memory.start());
        }
    }

    @Test
    void newsIsWrittenAtOnceAndNothingWithoutNews() throws Exception {
        try (var memory = new LinkMemory(path(), NOON)) {
            memory.start();
            memory.remember(Measurements.NONE);
            memory.remember(rate(7));
            while (!Files.exists(path())) {
                Thread.onSpinWait();
            }
        }
        Object first = Files.readAttributes(path(), "unix:ino").get("ino");
        try (var memory = new LinkMemory(path(), NOON)) {
            memory.remember(memory.start());
        }
        assertEquals(first, Files.readAttributes(path(), "unix:ino").get("ino"), "it was written again");
    }

    @Test
    void aDamagedFileIsKeptBesideAndANewOneBegun() throws IOException {
        Files.writeString(path(), "hearth links 1\nnonsense\n");
        try (var memory = new LinkMemory(path(), NOON)) {
            assertEquals(Measurements.NONE, memory.start());
            assertFalse(Files.exists(path()));
            memory.remember(rate(7));
        }
        try (var files = Files.list(folder)) {
            assertTrue(files.anyMatch(file -> file.getFileName().toString().startsWith("links-agent.damaged-")));
        }
        try (var memory = new LinkMemory(path(), NOON)) {
            assertEquals(rate(7), memory.start());
        }
    }

    @Test
    void withoutAFileToWriteTheNodeGoesOn() throws IOException {
        Files.createDirectories(path().resolve("in the way"));
        try (var memory = new LinkMemory(path(), NOON)) {
            assertEquals(Measurements.NONE, memory.start());
            memory.remember(rate(7));
            memory.remember(rate(8));
        }
        assertTrue(Files.isDirectory(path()));
    }
}
