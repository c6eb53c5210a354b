package io.hearth.identity.place;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.identity.MountNamespace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PlaceFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    /** In a chroot the system lists no file system for a folder: its inodes count as those of a disk. */
    @Test
    void aFolderWhoseFileSystemIsNotListedHasAPlace() throws Exception {
        String said = MountNamespace.run("mount --bind /dev/null /proc/$$/mounts", Writes.class, folder);
        assertEquals(new PlaceFile(folder, Optional.empty()).observed() + "\n", said);
    }

    /** Runs as a process of its own: makes the place of a folder and prints it. */
    static final class Writes {
        private Writes() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println(new PlaceFile(Path.of(arguments[0]), Optional.empty()).write());
        }
    }
}
