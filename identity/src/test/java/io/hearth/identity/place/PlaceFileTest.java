package io.hearth.identity.place;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hearth.identity.Starter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
        List<String> command = new ArrayList<>(
                List.of("unshare", "-rm", "sh", "-c", "mount --bind /dev/null /proc/$$/mounts && exec \"$@\"", "sh"));
        assumeTrue(succeeds(command), "needs Linux with user namespaces to hide the file systems");
        command.addAll(Starter.command(Writes.class));
        command.add(folder.toString());
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        assertEquals(new PlaceFile(folder, Optional.empty()).observed() + "\n", said);
    }

    private static boolean succeeds(List<String> command) throws InterruptedException {
        List<String> tried = new ArrayList<>(command);
        tried.add("true");
        try {
            return new ProcessBuilder(tried).start().waitFor() == 0;
        } catch (IOException absent) {
            return false;
        }
    }

    /** Runs as a process of its own: makes the place of a folder and prints it. */
    static final class Writes {
        private Writes() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println(new PlaceFile(Path.of(arguments[0]), Optional.empty()).write());
        }
    }
}
