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
 * A small file of a {@link HearthHome} for the rooms around this one: of this user alone, replaced by rename and forced to the disk,
 * changed under a lock that all processes of the home share.
 */
public final class HomeFile {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
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
     * A file of that home; nothing is read yet.
     *
     * @param lock name of the file that is locked while the other one is changed; it is never deleted
     */
    public static HomeFile in(HearthHome home, String name, String lock, int bytesMax) {
        return new HomeFile(home.file(name), home.file(lock), bytesMax);
    }

    /** What is done while no other process has the lock. */
    @FunctionalInterface
    public interface Action<T> {
        /** Does it. */
        T run() throws SetupException;
    }

    /** Where it is. */
    public Path path() {
        return file;
    }

    /**
     * Its content, or nothing if there is no such file.
     *
     * @throws SetupException it is not a file of this user alone, is too large or cannot be read; says what to do
     */
    public Optional<byte[]> read() throws SetupException {
        return OwnFile.read(file, bytesMax);
    }

    /**
     * Puts new content in its place; on disk when this returns.
     *
     * @throws SetupException it cannot be written; the former content is still there
     */
    public void replace(byte[] content) throws SetupException {
        if (content.length > bytesMax) {
            throw new IllegalArgumentException(file + " may have " + bytesMax + " bytes, not " + content.length);
        }
        OwnFile.replace(file, content);
    }

    /**
     * Moves it to {@code NAME.aside-N} with the first N that is free; call it under the lock. Nothing is done where there is no file.
     *
     * @throws SetupException it cannot be moved
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
                + " former ones are there already; delete those that nobody needs");
    }

    /**
     * Runs an action under the lock.
     *
     * @throws SetupException another process has had the lock for 5 s, or from the action
     */
    public <T> T locked(Action<T> action) throws SetupException {
        try (LockFile _ = LockFile.lock(lock, PATIENCE)) {
            return action.run();
        }
    }

    /** Another text each time the file was replaced, as far as the file system tells. */
    public String version() {
        try {
            var found = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return found.fileKey() + " " + found.lastModifiedTime().toMillis() + " " + found.size();
        } catch (IOException absent) {
            return "";
        }
    }
}
