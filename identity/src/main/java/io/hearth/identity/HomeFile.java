package io.hearth.identity;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Optional;

/**
 * A small file of a {@link HearthHome}, for other packages. It belongs to this user alone, is replaced by rename and forced to the disk,
 * and is changed under a lock that all processes of the home share.
 */
public final class HomeFile {
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);
    private static final int ASIDE_MAX = 64;

    private final Path file;
    private final Path lock;
    private final int bytesMax;

    private HomeFile(Path file, Path lock, int bytesMax) {
        this.file = file;
        this.lock = lock;
        this.bytesMax = bytesMax;
    }

    /**
     * A file of that home; does not read it.
     *
     * @param lock name of the file that is locked while the other one is changed; it is never deleted
     */
    public static HomeFile in(HearthHome home, String name, String lock, int bytesMax) {
        return new HomeFile(home.file(name), home.file(lock), bytesMax);
    }

    /** An action that runs while this process holds the lock. */
    @FunctionalInterface
    public interface Action<T> {
        /** Runs the action. */
        T run() throws SetupException;
    }

    /** The path of the file. */
    public Path path() {
        return file;
    }

    /**
     * The content of the file, or nothing if there is no such file.
     *
     * @throws SetupException if it is not a file of this user alone, is too large or cannot be read; names the remedy
     */
    public Optional<byte[]> read() throws SetupException {
        return OwnFile.read(file, bytesMax);
    }

    /**
     * Replaces the content; it is on disk when this returns.
     *
     * @throws SetupException if it cannot be written; the former content is still there
     */
    public void replace(byte[] content) throws SetupException {
        if (content.length > bytesMax) {
            throw new IllegalArgumentException(
                    file + " must have at most " + bytesMax + " bytes, got " + content.length);
        }
        OwnFile.replace(file, content);
    }

    /**
     * Moves the file to {@code NAME.aside-N} with the first free N; the caller holds the lock. Does nothing if there is no file.
     *
     * @throws SetupException if it cannot be moved
     */
    public void setAside() throws SetupException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        for (int number = 1; number <= ASIDE_MAX; number++) {
            Path aside = file.resolveSibling(file.getFileName() + ".aside-" + number);
            if (!Files.exists(aside, LinkOption.NOFOLLOW_LINKS)) {
                try {
                    Files.move(file, aside, StandardCopyOption.ATOMIC_MOVE);
                    return;
                } catch (IOException broken) {
                    throw new SetupException(
                            "cannot move " + file + " to " + aside + ": check the rights of the folder, then move it"
                                    + " away by hand",
                            broken);
                }
            }
        }
        throw new SetupException("cannot move " + file + " away: " + ASIDE_MAX
                + " former ones are there already; delete those that are not needed");
    }

    /**
     * Runs an action under the lock.
     *
     * @throws SetupException if another process held the lock for 5 s, or from the action
     */
    public <T> T locked(Action<T> action) throws SetupException {
        try (LockFile _ = LockFile.lock(lock, LOCK_TIMEOUT)) {
            return action.run();
        }
    }

    /** A text that changes each time the file is replaced, as far as the file system shows it. */
    public String version() {
        try {
            var found = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return found.fileKey() + " " + found.lastModifiedTime().toMillis() + " " + found.size();
        } catch (IOException absent) {
            return "";
        }
    }
}
