package io.hearth.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hearth.core.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SystemBootTest {
    private static final String ID = "5a1b2c3d-0000-4e4f-8a8b-0123456789ab";

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void oneBootHasOneNameOfWhichOnlyAHashIsTold() throws IOException {
        Bytes boot = SystemBoot.linux(Files.writeString(folder.resolve("boot_id"), ID + "\n"))
                .orElseThrow();
        assertEquals(SystemBoot.BYTES, boot.size());
        assertEquals(Optional.of(boot), SystemBoot.parse(ID.toUpperCase(java.util.Locale.ROOT)), "as macOS writes it");
        assertNotEquals(Optional.of(boot), SystemBoot.parse(ID.replace('a', 'b')));
        assertNotEquals(ID.replace("-", ""), boot.hex());
    }

    @Test
    void whatCannotBeReadIsUnknown() throws IOException {
        assertEquals(Optional.empty(), SystemBoot.linux(folder.resolve("none")));
        for (String odd : List.of("", "unknown", ID + "0", ID.replace('-', '_'), "0".repeat(5_000))) {
            assertEquals(Optional.empty(), SystemBoot.linux(Files.writeString(folder.resolve("odd"), odd)), odd);
        }
    }

    @Test
    void processesOfThisComputerAgree() {
        assertEquals(SystemBoot.ofThisComputer(), SystemBoot.ofThisComputer());
    }
}
