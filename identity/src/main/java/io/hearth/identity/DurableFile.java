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
 * Small files of this user alone (mode 0600) that a crash at any moment leaves with the old content or the new, never half of it:
 * written aside, forced to the disk, renamed over, and the folder forced too. On macOS the JDK forces by F_FULLFSYNC.
 *
 * <p>A crash while writing leaves a file {@code NAME.new-…} beside it, which is never read.
 *
 * <p>For tests of what a slow disk does: the system property {@value #SLOW} makes every forcing of a file or a folder take so many
 * milliseconds longer, 60,000 at most. Nothing else reads it, and Hearth never sets it for a person.
 */
public final class DurableFile {
    static final String SLOW = "hearth.fault.fsyncMillis";

    private static final int NAME_BYTES = 8;
    private static final int SLOW_MILLIS_MAX = 60_000;

    private DurableFile() {}

    /**
     * Puts new content in place of a file's former one, or of none. On disk when this returns.
     *
     * @param file absolute, in a folder that exists
     * @param content borrowed
     * @throws IOException the folder is not writable or has no room; the former content is still there
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
     * The same in the time that the disk takes for one forcing instead of two: the file is renamed over first, and then it and its
     * folder are forced at once. When a process dies at any moment, the former content is there or the new one. When the power fails
     * before this returned, only a part of the new one may be: for content with a checksum.
     *
     * @param file absolute, in a folder that exists
     * @param content borrowed
     * @throws IOException the folder is not writable or has no room; the former content is there, or the new one
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
     * Removes a file, if it is there, for good once this returns.
     *
     * @param file absolute
     */
    public static void delete(Path file) throws IOException {
        if (Files.deleteIfExists(file)) {
            syncFolder(file);
        }
    }

    /**
     * Makes sure of what another process put in place: the content and the name of a file, or of a folder, are on disk when this
     * returns.
     *
     * @param file absolute
     */
    public static void sync(Path file) throws IOException {
        try (FileChannel open = FileChannel.open(file, StandardOpenOption.READ)) {
            forceWithFolder(open, file);
        }
    }

    /** The content, on disk, under a name beside {@code file} that nobody else has. */
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

    /** A new file with that content, not on disk yet; the caller discards it if this fails. */
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
            // a draft that stays is of mode 0600 and is never read
        }
    }

    /** What was created, renamed or deleted beside {@code file} stays so after a crash. */
    static void syncFolder(Path file) throws IOException {
        Path folder = file.getParent();
        if (folder == null) {
            throw new IllegalArgumentException("need an absolute path, got " + file);
        }
        try (FileChannel open = FileChannel.open(folder, StandardOpenOption.READ)) {
            force(open);
        }
    }

    /** Both at once: a disk that takes long for each takes no longer for both. */
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

    /** Not even an interrupt ends this early: what is not on disk must not be taken for it. */
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
