package io.hearth.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MachineIdTest {
    private static final String ID = "0123456789abcdef0123456789abcdef";

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void linuxNamesAMachineInTheFirstFileThatHasAName() throws IOException {
        Path empty = Files.writeString(folder.resolve("empty"), "");
        Path uninitialized = Files.writeString(folder.resolve("uninitialized"), "uninitialized\n");
        Path id = Files.writeString(folder.resolve("id"), ID + "\n");
        Path none = folder.resolve("none");
        assertEquals(Optional.of(ID), MachineId.linux(List.of(id)));
        assertEquals(Optional.of(ID), MachineId.linux(List.of(none, empty, uninitialized, folder, id)));
        assertEquals(Optional.empty(), MachineId.linux(List.of(none, empty, uninitialized)));
    }

    @Test
    void macosNamesAMachineInThePropertiesOfItsPlatform() {
        String answer = """
                +-o MacBookPro18,3  <class IOPlatformExpertDevice, id 0x100000227, registered, matched, active>
                    {
                      "IOPlatformSerialNumber" = "XXXXXXXXXX"
                      "IOPlatformUUID" = "5A1B2C3D-0000-4E4F-8A8B-0123456789AB"
                    }
                """;
        assertEquals(Optional.of("5a1b2c3d-0000-4e4f-8a8b-0123456789ab"), MachineId.macosAnswer(answer));
        assertEquals(Optional.empty(), MachineId.macosAnswer("{}"));
    }

    @Test
    void aProgramThatIsMissingOrSaysNothingMeansNoName() {
        assertEquals(Optional.empty(), MachineId.macos(List.of("/nonexistent/ioreg")));
        assertEquals(Optional.empty(), MachineId.macos(List.of("/bin/sh", "-c", "exit 1")));
        assertEquals(
                Optional.of("5a1b2c3d-0000-4e4f-8a8b-0123456789ab"),
                MachineId.macos(List.of(
                        "/bin/sh", "-c", "echo '\"IOPlatformUUID\" = \"5A1B2C3D-0000-4E4F-8A8B-0123456789AB\"'")));
    }
}
