package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.EngineName;
import io.hearth.accel.select.Calibration;
import io.hearth.accel.select.Engines;
import io.hearth.identity.HearthHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CalibrationFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private Path home() {
        return folder.resolve("home");
    }

    @Test
    void whatWasWrittenLastIsReadAndNobodyElseReadsIt() throws Exception {
        CalibrationFile file = CalibrationFile.in(HearthHome.open(home()));
        assertEquals(Optional.empty(), file.read());
        file.write(new byte[] {1, 2});
        file.write(new byte[] {3});
        assertArrayEquals(new byte[] {3}, file.read().orElseThrow());
        assertEquals(
                PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(home().resolve("engines")));
    }

    @Test
    void ofAFileThatIsTooLongOneByteTooMuchIsRead() throws Exception {
        CalibrationFile file = CalibrationFile.in(HearthHome.open(home()));
        Files.write(home().resolve("engines"), new byte[1 << 20]);
        assertEquals(Calibration.BYTES_MAX + 1, file.read().orElseThrow().length);
    }

    @Test
    void aLinkIsNotFollowed() throws Exception {
        CalibrationFile file = CalibrationFile.in(HearthHome.open(home()));
        Files.createSymbolicLink(home().resolve("engines"), Files.write(folder.resolve("other"), new byte[1]));
        assertThrows(IOException.class, file::read);
    }

    @Test
    void aFolderThatCannotBeUsedIsNamed() throws Exception {
        Path taken = Files.writeString(folder.resolve("file"), "");
        CalibrationFile file = CalibrationFile.in(Map.of("HEARTH_HOME", taken.toString()));
        String said = assertThrows(IOException.class, file::read).toString();
        assertTrue(said.contains(taken.toString()), said);
    }

    /** Skipped on a Mac, which has Metal and may already have figures. */
    @Test
    void aMachineWithoutMetalWritesNothingAndNeedsNoFolder() throws Exception {
        if (!System.getProperty("os.name").equals("Mac OS X")) {
            Engines.chosen(EngineName.AUTO, CalibrationFile.in(Map.of("HEARTH_HOME", home().toString())));
            assertFalse(Files.exists(home()));
        }
    }
}
