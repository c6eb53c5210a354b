package io.hearth.cli.process;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A temporary folder of one run of a command, accessible to this user only. Closing it removes it.
 *
 * <p>A killed run cannot clean up; a later run does it. A living run holds a lock on a file in its folder, which the system releases when the process dies. A process id would not do: it could belong to a new process, or to another container.
 */
public final class RunFolder implements AutoCloseable {
    private static final String PREFIX = "hearth-";
    private static final String LOCK = "lock";
    private static final int RANDOM_CHARACTERS = 8;
    private static final int TRIES_MAX = 100;

    private final Path path;
    private final FileChannel lock;

    private RunFolder(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Makes a folder.
     *
     * @param parent usually the temporary folder of the system
     * @param kind prefix of its {@link #id}; lower-case letters and dashes
     */
    public static RunFolder create(Path parent, String kind) throws SetupException {
        var onlyMe = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        try {
            for (int i = 0; i < TRIES_MAX; i++) {
                Path path = parent.resolve(PREFIX + kind + randomText());
                try {
                    Files.createDirectory(path, onlyMe);
                } catch (FileAlreadyExistsException taken) {
                    continue;
                }
                return new RunFolder(path, locked(path));
            }
            throw new SetupException("found no free name for a folder in " + parent + "; remove old ones there");
        } catch (IOException failed) {
            throw new SetupException(
                    "cannot make a folder in " + parent + ": " + failed.getMessage()
                            + "; set TMPDIR to a folder of yours with free space",
                    failed);
        }
    }

    private static String randomText() {
        var text = new StringBuilder();
        for (int i = 0; i < RANDOM_CHARACTERS; i++) {
            text.append(Character.forDigit(ThreadLocalRandom.current().nextInt(36), 36));
        }
        return text.toString();
    }

    /** Locks the file before it gets its name, so that no other run takes the folder for one of a dead run. */
    private static FileChannel locked(Path folder) throws IOException {
        Path unnamed = folder.resolve(LOCK + ".new");
        FileChannel channel = FileChannel.open(unnamed, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        channel.lock();
        Files.move(unnamed, folder.resolve(LOCK));
        return channel;
    }

    /** The folders that killed runs of this kind and user left. Each is locked for the caller, who closes it to remove it. */
    public static List<RunFolder> left(Path parent, String kind) throws SetupException {
        Pattern name = Pattern.compile(Pattern.quote(PREFIX + kind) + "[a-z0-9]{" + RANDOM_CHARACTERS + "}");
        var found = new ArrayList<RunFolder>();
        try (RunFolder own = create(parent, kind);
                Stream<Path> children = Files.list(parent)) {
            UserPrincipal self = Files.getOwner(own.path);
            for (Path child : children.sorted().toList()) {
                if (!child.equals(own.path)
                        && name.matcher(child.getFileName().toString()).matches()) {
                    dead(child, self).ifPresent(found::add);
                }
            }
            return found;
        } catch (IOException failed) {
            found.forEach(RunFolder::release);
            throw new SetupException(
                    "cannot look for what earlier runs left in " + parent + ": " + failed.getMessage(), failed);
        }
    }

    private static Optional<RunFolder> dead(Path folder, UserPrincipal self) {
        try {
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                    || !Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(self)) {
                return Optional.empty();
            }
            FileChannel channel =
                    FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            boolean isDead = false;
            try {
                isDead = channel.tryLock() != null;
            } finally {
                if (!isDead) {
                    channel.close();
                }
            }
            return isDead ? Optional.of(new RunFolder(folder, channel)) : Optional.empty();
        } catch (IOException | OverlappingFileLockException _) {
            return Optional.empty(); // no lock file yet, or its run is ending: a later run looks again
        }
    }

    public Path path() {
        return path;
    }

    /** Kind and random characters. The run can use it as a name for other resources. */
    public String id() {
        return path.getFileName().toString().substring(PREFIX.length());
    }

    /** Removes a folder, even while another thread does the same. It prints a message if it fails. */
    public static void remove(Path folder) {
        try {
            removeTree(folder);
        } catch (IOException left) {
            System.err.println("hearth: could not remove " + folder + ": " + left.getMessage() + "; remove it by hand");
        }
    }

    private static void removeTree(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failed) throws IOException {
                if (failed instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failed;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failed) throws IOException {
                Files.deleteIfExists(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private void release() {
        try {
            lock.close();
        } catch (IOException _) {
            // the descriptor and its lock are gone in any case
        }
    }

    /** Removes the folder. It releases the lock last, so that no other run finds the folder half removed. */
    @Override
    public void close() {
        remove(path);
        release();
    }
}
