package io.hearth.identity;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes small files of this user alone (mode 0600). After a crash at any moment, a file has its old content or its new content, never a
 * part of it. The content is written to a temporary file, forced to the disk and renamed over the file, and the folder is forced too. On
 * macOS the JDK forces with F_FULLFSYNC.
 *
 * <p>A crash while writing leaves a file {@code NAME.new-…} beside the file; nothing reads it.
 *
 * <p>For tests with a slow disk: the system property {@value #SLOW} adds that number of milliseconds, 60,000 at most, to every forcing of a
 * file or a folder. Nothing else reads it, and Hearth never sets it for users.
 */
public final class DurableFile {
    static final String SLOW = "hearth.fault.fsyncMillis";

    private static final int NAME_BYTES = 8;
    private static final int SLOW_MILLIS_MAX = 60_000;

    private DurableFile() {}

    /**
     * Replaces the content of a file, or creates it. The content is on disk when this returns.
     *
     * @param file absolute, in a folder that exists
     * @param content borrowed
     * @throws IOException if the folder is not writable or has no room; the former content is still there
     */
    public static void replace(Path file, byte[] content) throws IOException {
        Path draft = draft(file, content);
        try {
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            syncFolder(file);
        } catch (IOException broken) {
            discard(draft);
            throw broken;
        }
    }

    /**
     * As {@link #replace}, but takes the time of one forcing instead of two: it renames the file first, and then forces file and folder at
     * the same time. If the process dies at any moment, the file has the former content or the new one. If the power fails before this
     * returns, it may have only a part of the new one. So use it for content with a checksum.
     *
     * @param file absolute, in a folder that exists
     * @param content borrowed
     * @throws IOException if the folder is not writable or has no room; the file has the former content or the new one
     */
    public static void replaceChecked(Path file, byte[] content) throws IOException {
        Path draft = name(file);
        try (FileChannel out = create(draft, content)) {
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            forceWithFolder(out, file);
        } catch (IOException broken) {
            discard(draft);
            throw broken;
        }
    }

    /**
     * Removes a file, if it exists; the removal is on disk when this returns.
     *
     * @param file absolute
     */
    public static void delete(Path file) throws IOException {
        if (Files.deleteIfExists(file)) {
            syncFolder(file);
        }
    }

    /**
     * Forces a file or folder that another process wrote: its content and its name are on disk when this returns.
     *
     * @param file absolute
     */
    public static void sync(Path file) throws IOException {
        try (FileChannel open = FileChannel.open(file, StandardOpenOption.READ)) {
            forceWithFolder(open, file);
        }
    }

    /** Writes the content to the disk, to a new file with a random name beside {@code file}. */
    static Path draft(Path file, byte[] content) throws IOException {
        Path draft = name(file);
        try (FileChannel out = create(draft, content)) {
            force(out);
            return draft;
        } catch (IOException broken) {
            discard(draft);
            throw broken;
        }
    }

    private static Path name(Path file) {
        return file.resolveSibling(file.getFileName() + ".new-" + random());
    }

    /** A new file with that content, not forced to the disk yet; the caller discards it if this fails. */
    private static FileChannel create(Path draft, byte[] content) throws IOException {
        FileChannel out = FileChannel.open(
                draft,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                OwnFile.FILE_MODE);
        try {
            var rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                out.write(rest);
            }
            return out;
        } catch (IOException broken) {
            out.close();
            throw broken;
        }
    }

    static void discard(Path draft) {
        try {
            Files.deleteIfExists(draft);
        } catch (IOException _) {
            // a draft that remains has mode 0600 and is never read
        }
    }

    /** Forces the folder of {@code file}, so that files created, renamed or deleted in it stay so after a crash. */
    static void syncFolder(Path file) throws IOException {
        Path folder = file.getParent();
        if (folder == null) {
            throw new IllegalArgumentException("need an absolute path, got " + file);
        }
        try (FileChannel open = FileChannel.open(folder, StandardOpenOption.READ)) {
            force(open);
        }
    }

    /** Forces both at the same time, which takes a slow disk no longer than one of them. */
    private static void forceWithFolder(FileChannel open, Path file) throws IOException {
        var folder = new FutureTask<Void>(() -> {
            syncFolder(file);
            return null;
        });
        Thread.ofVirtual().name("hearth-sync-folder").start(folder);
        try {
            force(open);
        } catch (IOException broken) {
            try {
                await(folder);
            } catch (IOException alsoBroken) {
                broken.addSuppressed(alsoBroken);
            }
            throw broken;
        }
        await(folder);
    }

    /** Waits even if interrupted, because the caller relies on the folder being on disk. */
    private static void await(FutureTask<Void> folder) throws IOException {
        boolean wasInterrupted = false;
        try {
            while (true) {
                try {
                    folder.get();
                    return;
                } catch (InterruptedException stop) {
                    wasInterrupted = true;
                } catch (ExecutionException failed) {
                    throw failed.getCause() instanceof IOException broken ? broken : new IOException(failed.getCause());
                }
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void force(FileChannel channel) throws IOException {
        long slowMillis = Math.clamp(Long.getLong(SLOW, 0), 0, SLOW_MILLIS_MAX);
        long untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(slowMillis);
        while (untilNanos - System.nanoTime() > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(untilNanos - System.nanoTime());
        }
        channel.force(true);
    }

    static String random() {
        byte[] bytes = new byte[NAME_BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
