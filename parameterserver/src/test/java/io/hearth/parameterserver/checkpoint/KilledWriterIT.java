package io.hearth.parameterserver.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that writes checkpoints is killed 50 times; what it reported as written is always found. */
@Timeout(300)
final class KilledWriterIT {
    private static final int KILLS = 50;

    @TempDir
    private Path path;

    /** The child: writes one checkpoint after the other, and prints the index of each that is written. */
    public static void main(String[] arguments) throws IOException {
        CheckpointFolder folder = CheckpointFolder.open(Path.of(arguments[0]));
        long index =
                folder.load(0, Long.MAX_VALUE).newest().map(Checkpoint::index).orElse(0L);
        while (true) {
            index++;
            folder.save(0, new Checkpoint(1, index, content(index)));
            System.out.println(index);
        }
    }

    private static byte[] content(long index) {
        byte[] bytes = new byte[100_000 + (int) (index % 1_000)];
        new Random(index).nextBytes(bytes);
        return bytes;
    }

    @Test
    void aKilledWriterLosesNothing() throws Exception {
        String java = ProcessHandle.current().info().command().orElseThrow();
        var random = new Random(7);
        long told = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            Process child = ChildProcess.of(List.of(
                            java,
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            KilledWriterIT.class.getName(),
                            path.toString()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader lines = child.inputReader(StandardCharsets.UTF_8)) {
                for (int i = 0; i < 1 + random.nextInt(5); i++) {
                    told = Long.parseLong(String.valueOf(lines.readLine()));
                }
                long spin = random.nextInt(3_000_000); // into the middle of the next one
                for (long from = System.nanoTime(); System.nanoTime() - from < spin; ) {
                    Thread.onSpinWait();
                }
                child.toHandle().destroyForcibly(); // which leaves its output open
                child.waitFor();
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    told = line.isEmpty() || !line.chars().allMatch(Character::isDigit)
                            ? told
                            : Math.max(told, Long.parseLong(line));
                }
            }
            CheckpointFolder.Found found = CheckpointFolder.open(path).load(0, Long.MAX_VALUE);
            Checkpoint newest = found.newest().orElseThrow();
            assertTrue(newest.index() >= told, "kill " + kill + ": " + newest.index() + " after " + told);
            assertTrue(found.warnings().isEmpty(), found.toString());
            assertArrayEquals(content(newest.index()), newest.content());
        }
    }
}
