package io.hearth.dist;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Date;
import java.util.zip.Deflater;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/** Writes a {@link Tree} as a tar archive. Everything in it belongs to root; modes are 755 for what can be executed and 644 else. */
final class TarGz {
    private static final int EXECUTABLE = 0755;
    private static final int PLAIN = 0644;

    private TarGz() {}

    /**
     * Writes a compressed archive.
     *
     * @param prefix in front of each name; empty or ending with a slash
     */
    static void write(Tree tree, String prefix, Path archive) throws IOException {
        try (var file = Files.newOutputStream(archive)) {
            write(tree, prefix, file);
        }
    }

    /** As {@link #write(Tree, String, Path)}. Leaves {@code out} open. */
    static void write(Tree tree, String prefix, OutputStream out) throws IOException {
        var parameters = new GzipParameters();
        parameters.setCompressionLevel(Deflater.BEST_COMPRESSION);
        var zipped = new GzipCompressorOutputStream(out, parameters);
        plain(tree, prefix, zipped);
        zipped.finish();
    }

    /** Writes an archive without compression. Leaves {@code out} open. */
    static void plain(Tree tree, String prefix, OutputStream out) throws IOException {
        var tar = new TarArchiveOutputStream(out);
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        for (Path path : tree.paths()) {
            add(tar, tree, path, prefix + tree.folder().relativize(path));
        }
        tar.finish();
    }

    private static void add(TarArchiveOutputStream tar, Tree tree, Path path, String name) throws IOException {
        TarArchiveEntry entry;
        if (Files.isSymbolicLink(path)) {
            entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
            entry.setLinkName(Files.readSymbolicLink(path).toString());
        } else if (Files.isDirectory(path)) {
            entry = new TarArchiveEntry(name + "/");
            entry.setMode(EXECUTABLE);
        } else {
            entry = new TarArchiveEntry(name);
            entry.setSize(Files.size(path));
            entry.setMode(Files.isExecutable(path) ? EXECUTABLE : PLAIN);
        }
        entry.setModTime(Date.from(tree.time()));
        entry.setIds(0, 0);
        entry.setNames("root", "root");
        tar.putArchiveEntry(entry);
        if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.copy(path, tar);
        }
        tar.closeArchiveEntry();
    }
}
