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
            force(open);
        }
        syncFolder(file);
    }

    /** The content, on disk, under a name beside {@code file} that nobody else has. */
    static Path draft(Path file, byte[] content) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".new-" + random());
        try (FileChannel out = FileChannel.open(
                draft,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                OwnFile.FILE_MODE)) {
            var rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                out.write(rest);
            }
            force(out);
            return draft;
        } catch (IOException broken) {
            discard(draft);
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
