package io.hearth.cli.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LabNetworkTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private void has(String... programs) throws Exception {
        for (String program : programs) {
            Files.createFile(
                    folder.resolve(program),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }

    private String obstacle(String system, String user) {
        return LabNetwork.obstacle("hearth chaos", system, user, folder.toString())
                .orElse("");
    }

    @Test
    void aLabNeedsLinuxAndRootAndItsPrograms() throws Exception {
        assertTrue(obstacle("Mac OS X", "root").contains("Linux only"), obstacle("Mac OS X", "root"));
        assertTrue(obstacle("Linux", "ada").contains("sudo"), obstacle("Linux", "ada"));
        assertTrue(obstacle("Linux", "root").contains("'ip'"), obstacle("Linux", "root"));
        has("ip", "tc", "bash");
        assertTrue(obstacle("Linux", "root").contains("'unshare'"), obstacle("Linux", "root"));
        has("unshare");
        assertEquals(Optional.empty(), LabNetwork.obstacle("hearth chaos", "Linux", "root", "/nowhere:" + folder));
    }

    @Test
    void everyObstacleIsOneLineThatSaysWhatToDo() {
        for (String line : List.of(obstacle("Mac OS X", "root"), obstacle("Linux", "ada"), obstacle("Linux", "root"))) {
            assertEquals(1, line.lines().count());
            assertTrue(line.startsWith("hearth chaos ") && line.contains("; "), line);
        }
    }
}
