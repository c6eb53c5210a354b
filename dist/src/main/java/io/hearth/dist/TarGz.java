package io.hearth.dist;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Date;
import java.util.Map;
import java.util.zip.Deflater;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/**
 * Writes a {@link Tree} as a tar archive. Everything in it belongs to root, unless somebody else owns a folder; modes are 755 for what can be
 * executed and 644 else, and 700 for a folder of somebody else.
 */
final class TarGz {
    private static final int EXECUTABLE = 0755;
    private static final int PLAIN = 0644;
    private static final int PRIVATE = 0700;

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
        write(tree, prefix, Map.of(), out);
    }

    /**
     * As {@link #write(Tree, String, OutputStream)}.
     *
     * @param owners numbers of users by the names of their folders
     */
    static void write(Tree tree, String prefix, Map<String, Integer> owners, OutputStream out) throws IOException {
        var parameters = new GzipParameters();
        parameters.setCompressionLevel(Deflater.BEST_COMPRESSION);
        var zipped = new GzipCompressorOutputStream(out, parameters);
        plain(tree, prefix, owners, zipped);
        zipped.finish();
    }

    /** Writes an archive without compression. Leaves {@code out} open. */
    static void plain(Tree tree, String prefix, Map<String, Integer> owners, OutputStream out) throws IOException {
        var tar = new TarArchiveOutputStream(out);
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        for (Path path : tree.paths()) {
            String name = tree.folder().relativize(path).toString();
            add(tar, tree, path, prefix + name, owners.getOrDefault(name, 0));
        }
        tar.finish();
    }

    private static void add(TarArchiveOutputStream tar, Tree tree, Path path, String name, int owner)
            throws IOException {
        TarArchiveEntry entry;
        if (Files.isSymbolicLink(path)) {
            entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
            entry.setLinkName(Files.readSymbolicLink(path).toString());
        } else if (Files.isDirectory(path)) {
            entry = new TarArchiveEntry(name + "/");
            entry.setMode(owner == 0 ? EXECUTABLE : PRIVATE);
        } else {
            entry = new TarArchiveEntry(name);
            entry.setSize(Files.size(path));
            entry.setMode(Files.isExecutable(path) ? EXECUTABLE : PLAIN);
        }
        entry.setModTime(Date.from(tree.time()));
        entry.setIds(owner, owner);
        entry.setNames(owner == 0 ? "root" : "", owner == 0 ? "root" : "");
        tar.putArchiveEntry(entry);
        if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.copy(path, tar);
        }
        tar.closeArchiveEntry();
    }
}
