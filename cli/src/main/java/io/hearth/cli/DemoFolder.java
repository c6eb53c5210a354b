package io.hearth.cli;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import org.jspecify.annotations.Nullable;

/**
 * A folder in the temporary folder, only for this user, that holds a demo's homes and goes with it.
 *
 * <p>A demo that is killed cannot clean up; the next one does. Whether a demo lives is told by a lock on a file in its folder, which
 * the system takes away from a dead process: a process id could be another's by now, or count in another container.
 */
final class DemoFolder implements AutoCloseable {
    private static final String PREFIX = "hearth-demo-";
    private static final String LOCK = "lock";

    private final Path path;
    private final FileChannel lock;

    private DemoFolder(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** A new folder; those of dead demos of this user are removed. */
    static DemoFolder create() throws SetupException {
        try {
            var onlyMe = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
            Path path = Files.createTempDirectory(PREFIX, onlyMe);
            removeDead(path);
            return new DemoFolder(path, locked(path));
        } catch (IOException failed) {
            throw new SetupException(
                    "cannot make a folder for the demo in " + System.getProperty("java.io.tmpdir") + ": "
                            + failed.getMessage() + "; set TMPDIR to a folder of yours with some room",
                    failed);
        }
    }

    Path path() {
        return path;
    }

    /** Removes the folder; says so if it cannot. */
    static void remove(Path folder) {
        try {
            removeTree(folder);
        } catch (IOException left) {
            System.err.println("hearth: could not remove " + folder + ": " + left.getMessage() + "; remove it by hand");
        }
    }

    /** The lock has its name only once it is held, so nobody can take the folder for a dead demo's. */
    private static FileChannel locked(Path folder) throws IOException {
        Path unnamed = folder.resolve(LOCK + ".new");
        FileChannel channel = FileChannel.open(unnamed, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        channel.lock();
        Files.move(unnamed, folder.resolve(LOCK));
        return channel;
    }

    private static void removeDead(Path own) throws IOException {
        UserPrincipal self = Files.getOwner(own);
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(own.resolveSibling(""), PREFIX + "*")) {
            for (Path folder : folders) {
                removeIfDead(folder, self);
            }
        }
    }

    private static void removeIfDead(Path folder, UserPrincipal self) {
        try {
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                    || !Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(self)) {
                return;
            }
            try (FileChannel channel =
                    FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                if (channel.tryLock() != null) {
                    removeTree(folder);
                }
            }
        } catch (IOException | OverlappingFileLockException _) {
            return; // no lock there, or a node of the dead demo is about to end: another demo will see
        }
    }

    private static void removeTree(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failed) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** From here on it may be removed, if the nodes have not done so. */
    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException _) {
            // it ends with the process
        }
    }
}
