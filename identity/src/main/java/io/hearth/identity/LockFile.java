package io.hearth.identity;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock file: at most one thread of all processes of this machine holds its lock. The operating system releases it when the process ends,
 * however it ends. The file is never deleted, because then a second file of its name could be locked too.
 *
 * <p>POSIX locks belong to the process: closing <em>any</em> descriptor of the file releases the lock, even one that was opened only to
 * find that the lock is taken. So this class records all locks of the process, and never opens a file a second time while it is in use
 * here. This is the one reason for its static state.
 */
final class LockFile implements AutoCloseable {
    private static final Duration RETRY = Duration.ofMillis(20);
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    /** Channels of files that a copy of this class from another class loader locked; closing them would release its locks. */
    private static final Queue<FileChannel> NEVER_CLOSED = new ConcurrentLinkedQueue<>();

    private final Path key;
    private final FileChannel channel;

    private LockFile(Path key, FileChannel channel) {
        this.key = key;
        this.channel = channel;
    }

    /**
     * Takes the lock if it is free.
     *
     * @param file absolute; created if there is none
     */
    static Optional<LockFile> tryLock(Path file) throws SetupException {
        try {
            Path key = file.resolveSibling("").toRealPath().resolve(file.getFileName());
            return HELD.add(key) ? open(key) : Optional.empty();
        } catch (IOException broken) {
            throw OwnFile.failed("lock", file, broken);
        }
    }

    /** Takes the lock; waits for it for at most {@code timeout}. */
    static LockFile lock(Path file, Duration timeout) throws SetupException {
        long start = System.nanoTime();
        while (true) {
            Optional<LockFile> lock = tryLock(file);
            if (lock.isPresent()) {
                return lock.get();
            }
            if (System.nanoTime() - start > timeout.toNanos()
                    || Thread.currentThread().isInterrupted()) {
                throw new SetupException("cannot lock " + file + ": another Hearth process has held it for "
                        + timeout.toSeconds() + " s; wait for that process or end it, then try again");
            }
            LockSupport.parkNanos(RETRY.toNanos());
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException _) {
            // the descriptor is gone in any case, and the lock with it
        }
        HELD.remove(key);
    }

    private static Optional<LockFile> open(Path key) throws IOException {
        FileChannel channel = null;
        boolean locked = false;
        try {
            channel = FileChannel.open(
                    key,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                    OwnFile.FILE_MODE);
            locked = channel.tryLock() != null;
            return locked ? Optional.of(new LockFile(key, channel)) : Optional.empty();
        } catch (OverlappingFileLockException heldByOtherCopy) {
            NEVER_CLOSED.add(channel);
            locked = true; // by the other copy, for ever: the key stays in HELD, so this happens once per file
            return Optional.empty();
        } finally {
            if (!locked) {
                if (channel != null) {
                    channel.close();
                }
                HELD.remove(key);
            }
        }
    }
}
