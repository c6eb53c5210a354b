package io.hearth.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Replaces a small file so that after a crash at any moment either the old or the new content is there, whole: written aside,
 * fsynced, renamed over, folder fsynced. On macOS the JDK's force() is F_FULLFSYNC.
 */
final class DurableFile {
    private DurableFile() {}

    static void replace(Path file, byte[] content) throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(aside); // left behind by a crash; never read
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (FileChannel out = FileChannel.open(aside, options, mode)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            out.force(true);
        }
        Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
        forceFolder(file);
    }

    static void delete(Path file) throws IOException {
        if (Files.deleteIfExists(file)) {
            forceFolder(file);
        }
    }

    private static void forceFolder(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }
}
