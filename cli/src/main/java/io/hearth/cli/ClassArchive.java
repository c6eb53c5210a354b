package io.hearth.cli;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The classes of a node that ran, loaded and linked ahead of time (JEP 483, 514): starts that are given the file spend about half the
 * processor time on classes. It fits only the Java, the class path and the module flags that it was made with.
 *
 * @param file that the launcher gives to later starts; there only when complete, because a Java that reads half of one crashes
 */
record ClassArchive(Path file) {
    /** For the process whose classes are to be kept; it writes them when it exits, which takes it some seconds. */
    List<String> flags() {
        return List.of("-XX:AOTCacheOutput=" + draft().toAbsolutePath());
    }

    /**
     * Puts what the process wrote in its place; on disk when this returns.
     *
     * @throws SetupException that process wrote nothing, or the folder does not take it
     */
    void complete() throws SetupException {
        try {
            try (FileChannel written = FileChannel.open(draft(), StandardOpenOption.WRITE)) {
                written.force(true);
            }
            Files.move(draft(), file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            throw new SetupException(
                    "no class archive was made at " + file + ": " + failed + "; starts are slower without one", failed);
        }
    }

    private Path draft() {
        return file.resolveSibling(file.getFileName() + ".new");
    }
}
