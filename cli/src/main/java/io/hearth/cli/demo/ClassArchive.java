package io.hearth.cli.demo;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * A file with the classes of a process, loaded and linked ahead of time (JEP 483, 514). A process that starts with the file spends about half
 * the processor time on classes. The file fits only the Java, the class path and the module flags that it was made with.
 *
 * @param file that the launcher gives to later starts; it exists only when it is complete, because a Java that reads half of it crashes
 */
public record ClassArchive(Path file) {
    /** The archive of the commands that ask the agent and end, beside this one of a node. */
    ClassArchive ofShortCommands() {
        return new ClassArchive(file.resolveSibling("short.aot"));
    }

    /** Flags for the process whose classes go into the archive. It writes them when it exits, which takes some seconds. */
    List<String> flags() {
        return List.of("-XX:AOTCacheOutput=" + draft().toAbsolutePath());
    }

    /**
     * Moves the file that the process wrote to its place. It is on disk when this method returns.
     *
     * @throws SetupException the process wrote no file, or the folder is not writable
     */
    void complete() throws SetupException {
        try {
            try (FileChannel written = FileChannel.open(draft(), StandardOpenOption.WRITE)) {
                written.force(true);
            }
            Files.move(draft(), file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            throw new SetupException(
                    "cannot make the class archive " + file + ": " + failed
                            + "; Hearth works without it and starts more slowly",
                    failed);
        }
    }

    private Path draft() {
        return file.resolveSibling(file.getFileName() + ".new");
    }
}
