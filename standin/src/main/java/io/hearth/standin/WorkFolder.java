package io.hearth.standin;

import io.hearth.core.HearthException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A new temporary folder that only this process uses, without sub-folders; {@link #close} deletes it. */
public record WorkFolder(Path path) implements AutoCloseable {
    /**
     * Makes a folder where the system keeps temporary files.
     *
     * @throws HearthException the system allows no such folder
     */
    public static WorkFolder create(String prefix) throws HearthException {
        try {
            return new WorkFolder(Files.createTempDirectory(prefix));
        } catch (IOException failed) {
            throw new HearthException("cannot make a temporary folder: " + failed.getMessage(), failed);
        }
    }

    /** Deletes the folder and its files; a file that cannot be deleted stays. */
    @Override
    public void close() {
        try (Stream<Path> files = Files.list(path)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(path);
        } catch (IOException left) {
            return; // the system deletes temporary files some day
        }
    }
}
