package io.hearth.agent;

import io.hearth.accel.select.Calibration;
import io.hearth.accel.select.CalibrationStore;
import io.hearth.core.SetupException;
import io.hearth.identity.DurableFile;
import io.hearth.identity.HearthHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Measurements of this machine's engines, in the file {@code engines} of the user's folder, mode 0600. A lost file costs only a new
 * measurement, so no copy of a damaged one is kept.
 */
public final class CalibrationFile implements CalibrationStore {
    private static final String NAME = "engines";

    private final Home home;

    /** Finds the folder, only when it is needed: a machine without a GPU needs none. */
    private interface Home {
        HearthHome open() throws SetupException;
    }

    private CalibrationFile(Home home) {
        this.home = home;
    }

    /** In that folder. */
    public static CalibrationFile in(HearthHome home) {
        return new CalibrationFile(() -> home);
    }

    /** In the folder that {@link HearthHome#open} finds when figures are read or written, not before. */
    public static CalibrationFile in(Map<String, String> environment) {
        return new CalibrationFile(() -> HearthHome.open(environment));
    }

    @Override
    public Optional<byte[]> read() throws IOException {
        Path file = path();
        try (var in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.of(in.readNBytes(Calibration.BYTES_MAX + 1));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }

    @Override
    public void write(byte[] content) throws IOException {
        DurableFile.replace(path(), content);
    }

    private Path path() throws IOException {
        try {
            return home.open().file(NAME);
        } catch (SetupException refused) {
            throw new IOException(refused.getMessage(), refused);
        }
    }
}
