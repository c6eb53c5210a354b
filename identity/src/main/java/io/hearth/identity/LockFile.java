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
 * A file whose lock one holder at a time has, among all threads and processes of this machine; the operating system takes it
 * back when the process ends, however it ends. The file is never deleted: a second one of its name could be locked too.
 *
 * <p>POSIX locks belong to the process: closing <em>any</em> descriptor of the file gives up the lock, also one that was opened
 * only to find that the lock is taken. So what this process holds is remembered for the whole process, and a file that is in
 * use here is never opened a second time. This is the one reason for static state.
 */
final class LockFile implements AutoCloseable {
    private static final Duration RETRY = Duration.ofMillis(20);
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    /** Opened in vain beside a copy of this class from another class loader; closing them would free its locks. */
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

    /** Takes the lock, after waiting for it at most as long as {@code patience}. */
    static LockFile lock(Path file, Duration patience) throws SetupException {
        long start = System.nanoTime();
        while (true) {
            Optional<LockFile> lock = tryLock(file);
            if (lock.isPresent()) {
                return lock.get();
            }
            if (System.nanoTime() - start > patience.toNanos()
                    || Thread.currentThread().isInterrupted()) {
                throw new SetupException("cannot lock " + file + ": another Hearth process has held it for "
                        + patience.toSeconds() + " s; wait for that process or end it, then try again");
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
            locked = true; // not by us, and for ever: the key stays in HELD, so this happens once per file
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
