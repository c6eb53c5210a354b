package io.hearth.dist;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveOutputStream;

/** A package for Debian and its relatives, as deb(5) and deb-control(5) define it: the self-contained program in /usr/lib/hearth. */
final class DebianPackage {
    private static final int MODE = 0100644;

    private DebianPackage() {}

    static void write(Tree image, String version, String architecture, Path work, Path out) throws IOException {
        Tree data = Tree.fresh(work.resolve("deb-data"), image.time());
        for (String part : new String[] {"bin", "lib", "jdk"}) {
            data.copyAll(image.path(part), "usr/lib/hearth/" + part);
        }
        data.makeExecutable("usr/lib/hearth/bin/hearth");
        Files.createDirectories(data.path("usr/bin"));
        Files.createSymbolicLink(data.path("usr/bin/hearth"), Path.of("../lib/hearth/bin/hearth"));
        data.copyAll(image.path("share"), "usr/share");
        for (String text : new String[] {"README.md", "CHANGELOG.md", "NOTICE", "LICENCES-OF-LIBRARIES.txt"}) {
            data.copy(image.path(text), "usr/share/doc/hearth/" + text);
        }
        data.copy(image.path("LICENSE"), "usr/share/doc/hearth/copyright");

        // a version of Debian sorts a part after '~' before the version without it
        String debianVersion = version.replace("-SNAPSHOT", "~snapshot");
        Tree control = Tree.fresh(work.resolve("deb-control"), image.time());
        control.write("control", """
                Package: hearth
                Version: %s
                Architecture: %s
                Maintainer: The Hearth authors <https://github.com/hearth-authors>
                Installed-Size: %d
                Depends: libc6, zlib1g
                Section: science
                Priority: optional
                Homepage: https://github.com/hearth-authors/hearth
                Description: train models on the computers of one LAN together
                 A node finds the others by mDNS, proves that it belongs to them, and sums
                 gradients with them. After the installation: 'hearth init' or
                 'hearth join CODE', then 'hearth install' for an agent that always runs.
                """.formatted(debianVersion, architecture, data.bytes() / 1024));

        Path file = out.resolve("hearth_" + debianVersion + "_" + architecture + ".deb");
        try (var archive = new ArArchiveOutputStream(Files.newOutputStream(file))) {
            add(archive, "debian-binary", "2.0\n".getBytes(StandardCharsets.US_ASCII), image);
            add(archive, "control.tar.gz", zipped(control), image);
            add(archive, "data.tar.gz", zipped(data), image);
        }
    }

    private static byte[] zipped(Tree tree) throws IOException {
        var bytes = new ByteArrayOutputStream();
        TarGz.write(tree, "./", bytes);
        return bytes.toByteArray();
    }

    private static void add(ArArchiveOutputStream archive, String name, byte[] content, Tree tree) throws IOException {
        archive.putArchiveEntry(
                new ArArchiveEntry(name, content.length, 0, 0, MODE, tree.time().getEpochSecond()));
        archive.write(content);
        archive.closeArchiveEntry();
    }
}
