package io.hearth.agent.votes;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive lock of a folder, among all threads and processes of this computer. The operating system releases it when its process ends
 * in any way.
 *
 * <p>POSIX locks belong to the process: closing <em>any</em> descriptor of the file releases them. So a process opens the file {@code lock}
 * once, all its users of a folder share that descriptor, and a {@link ReentrantLock} orders its threads. This is the only reason for static
 * state.
 *
 * <p>A folder may be deleted and made again while this process has the old file open, and two processes could then hold the locks of two
 * files. So a thread that has the lock checks that the locked file is still the one in the folder.
 */
final class FolderLock {
    static final FileAttribute<Set<PosixFilePermission>> FILE_MODE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    static final FileAttribute<Set<PosixFilePermission>> FOLDER_MODE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final long PAUSE_NANOS_MIN = 500_000;
    private static final long PAUSE_NANOS_MAX = 20_000_000;

    private static final Map<Path, FolderLock> IN_USE = new ConcurrentHashMap<>();

    /** Closing these could free a lock of a copy of this class from another class loader. */
    private static final Queue<FileChannel> NEVER_CLOSED = new ConcurrentLinkedQueue<>();

    private final Path folder;
    private final Path file;
    private final ReentrantLock mutex = new ReentrantLock(true);
    private int users; // changed only while IN_USE computes this folder's entry
    private @Nullable Opened opened; // guarded by mutex

    /** The open file and its key. */
    private record Opened(FileChannel channel, Object key) {}

    private FolderLock(Path folder) {
        this.folder = folder;
        this.file = folder.resolve("lock");
    }

    /** The lock while it is held. */
    final class Held implements AutoCloseable {
        private final FileLock lock;

        private Held(FileLock lock) {
            this.lock = lock;
        }

        @Override
        public void close() {
            try {
                release(lock);
            } finally {
                mutex.unlock();
            }
        }
    }

    /** The lock of a folder, which is created if there is none; {@link #leave} must follow. */
    static FolderLock of(Path folder) throws IOException {
        createFolder(folder);
        return Objects.requireNonNull(IN_USE.compute(folder.toRealPath(), (real, known) -> {
            FolderLock lock = known == null ? new FolderLock(real) : known;
            lock.users++;
            return lock;
        }));
    }

    /** Ends one use. The last one closes the file, unless a thread still holds the lock; then the file stays open. */
    void leave() {
        IN_USE.computeIfPresent(folder, (real, lock) -> --lock.users > 0 || !lock.closed() ? lock : null);
    }

    /**
     * Takes the lock, after a wait of at most {@code timeout}. Creates the folder if it is gone.
     *
     * @return empty if another thread or process held it all the time
     */
    Optional<Held> acquire(Duration timeout) throws IOException {
        long start = System.nanoTime();
        if (!entered(timeout)) {
            return Optional.empty();
        }
        boolean isHeld = false;
        try {
            long pause = PAUSE_NANOS_MIN;
            while (true) {
                Optional<FileLock> lock = attempt();
                if (lock.isPresent()) {
                    isHeld = true;
                    return Optional.of(new Held(lock.get()));
                }
                if (System.nanoTime() - start > timeout.toNanos()
                        || Thread.currentThread().isInterrupted()) {
                    return Optional.empty();
                }
                LockSupport.parkNanos(pause);
                pause = Math.min(2 * pause, PAUSE_NANOS_MAX);
            }
        } finally {
            if (!isHeld) {
                mutex.unlock();
            }
        }
    }

    private boolean entered(Duration timeout) {
        try {
            return mutex.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Optional<FileLock> attempt() throws IOException {
        Optional<Opened> current = current();
        if (current.isEmpty()) {
            return Optional.empty();
        }
        Optional<FileLock> lock = tryLock(current.get().channel());
        if (lock.isPresent() && !key().equals(Optional.of(current.get().key()))) {
            release(lock.get()); // the lock of a file that was deleted meanwhile
            return Optional.empty();
        }
        return lock;
    }

    /** The open lock file; empty if it was replaced just now. */
    private Optional<Opened> current() throws IOException {
        Opened before = opened;
        if (before != null) {
            if (before.channel().isOpen() && key().equals(Optional.of(before.key()))) {
                return Optional.of(before);
            }
            opened = null;
            dispose(before.channel());
        }
        createFolder(folder);
        createFile();
        Optional<Object> expected = key();
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        if (expected.isEmpty() || !expected.equals(key())) {
            dispose(channel);
            return Optional.empty();
        }
        opened = new Opened(channel, expected.get());
        return Optional.of(opened);
    }

    /** The key of the file in the folder: its device and inode. No other file gets the inode of an open file. */
    private Optional<Object> key() throws IOException {
        try {
            return Optional.ofNullable(Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey());
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }

    private static void createFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            try {
                Files.createDirectory(folder, FOLDER_MODE);
            } catch (FileAlreadyExistsException found) {
                if (!Files.isDirectory(folder)) {
                    throw found;
                }
            }
        }
    }

    /** Creates the file if there is none. It never opens an existing file here: closing a second descriptor would release the lock. */
    private void createFile() throws IOException {
        try {
            Files.createFile(file, FILE_MODE);
        } catch (FileAlreadyExistsException _) {
            // the file exists
        }
    }

    private static Optional<FileLock> tryLock(FileChannel channel) throws IOException {
        try {
            return Optional.ofNullable(channel.tryLock());
        } catch (OverlappingFileLockException heldByOtherCopy) {
            return Optional.empty(); // held by a copy of this class from another class loader
        }
    }

    private static void release(FileLock lock) {
        try {
            lock.release();
        } catch (IOException _) {
            // the channel is closed, and the lock gone with it
        }
    }

    private boolean closed() {
        if (mutex.isHeldByCurrentThread() || !mutex.tryLock()) {
            return false;
        }
        try {
            if (opened != null) {
                dispose(opened.channel());
                opened = null;
            }
            return true;
        } finally {
            mutex.unlock();
        }
    }

    /** Closes the file only while this class holds its lock, so that it ends no lock of another copy of this class. */
    private static void dispose(FileChannel channel) {
        try {
            if (!channel.isOpen() || tryLock(channel).isPresent()) {
                channel.close();
                return;
            }
        } catch (IOException _) {
            // kept open
        }
        NEVER_CLOSED.add(channel);
    }
}
