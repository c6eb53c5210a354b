package io.hearth.accel.cc;

import io.hearth.core.HearthException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A new folder of this process alone, without sub-folders; gone when it is closed. */
public record WorkFolder(Path path) implements AutoCloseable {
    /**
     * Makes one where the system keeps temporary files.
     *
     * @throws HearthException that is not possible
     */
    public static WorkFolder create(String prefix) throws HearthException {
        try {
            return new WorkFolder(Files.createTempDirectory(prefix));
        } catch (IOException failed) {
            throw new HearthException("cannot make a temporary folder: " + failed.getMessage(), failed);
        }
    }

    /** Deletes it with its files; what cannot be deleted stays. */
    @Override
    public void close() {
        try (Stream<Path> files = Files.list(path)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(path);
        } catch (IOException left) {
            return; // the system clears it away some day
        }
    }
}
