package io.hearth.dist;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;

/** A folder whose content becomes a package: every file has the same time, so that equal contents give equal packages. */
record Tree(Path folder, Instant time) {
    /** An empty folder in place of a former one. */
    static Tree fresh(Path folder, Instant time) throws IOException {
        delete(folder);
        Files.createDirectories(folder);
        return new Tree(folder, time);
    }

    Path path(String name) {
        return folder.resolve(name);
    }

    void copy(Path from, String to) throws IOException {
        Path target = path(to);
        Files.createDirectories(target.getParent());
        Files.copy(from, target);
        Files.setLastModifiedTime(target, FileTime.from(time));
    }

    /** Copies all files below {@code from}, with symbolic links as they are. */
    void copyAll(Path from, String to) throws IOException {
        try (var all = Files.walk(from)) {
            for (Path path : all.sorted().toList()) {
                Path target = path(to).resolve(from.relativize(path).toString());
                if (Files.isSymbolicLink(path)) {
                    Files.createSymbolicLink(target, Files.readSymbolicLink(path));
                } else if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target);
                    Files.setLastModifiedTime(target, FileTime.from(time));
                }
            }
        }
    }

    void write(String name, String content) throws IOException {
        Path target = path(name);
        Files.createDirectories(target.getParent());
        Files.writeString(target, content);
        Files.setLastModifiedTime(target, FileTime.from(time));
    }

    void makeExecutable(String name) throws IOException {
        if (!path(name).toFile().setExecutable(true, false)) {
            throw new IOException("cannot make " + path(name) + " executable");
        }
    }

    /** All paths below the folder, parents first. */
    List<Path> paths() throws IOException {
        try (var all = Files.walk(folder)) {
            return all.filter(path -> !path.equals(folder)).sorted().toList();
        }
    }

    /** Total size of the files in bytes. */
    long bytes() throws IOException {
        try (var all = Files.walk(folder)) {
            return all.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                    .mapToLong(Tree::size)
                    .sum();
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (var all = Files.walk(folder)) {
            for (Path path : all.sorted((one, other) -> other.compareTo(one)).toList()) {
                Files.delete(path);
            }
        }
    }
}
