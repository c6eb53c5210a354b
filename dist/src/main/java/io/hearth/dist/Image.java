package io.hearth.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;

/** The program with a Java of its own, which has only the modules that the program uses, and with the classes loaded ahead of time. */
final class Image {
    /**
     * The modules that jdeps names for what runs, and three that it cannot know: TLS needs no other, the Vector API is asked for by name, and
     * keep-alive options of sockets are looked up. Left out are those of parts of libraries that nothing here uses (java.desktop, java.sql).
     */
    private static final List<String> MODULES = List.of(
            "java.base",
            "java.logging",
            "java.management",
            "java.naming",
            "jdk.incubator.vector",
            "jdk.jfr",
            "jdk.management",
            "jdk.net",
            "jdk.security.auth",
            "jdk.unsupported");

    private Image() {}

    /** Fills {@code image} with {@code program} and a Java in {@code jdk}. */
    static Tree lay(Tree program, Tree image) throws IOException, InterruptedException {
        image.copyAll(program.folder(), "");
        Packages.run(List.of(
                Path.of(System.getProperty("java.home", ""), "bin", "jlink").toString(),
                "--add-modules",
                String.join(",", MODULES),
                "--strip-debug",
                "--no-header-files",
                "--no-man-pages",
                "--output",
                image.path("jdk").toString()));
        image.makeExecutable("bin/hearth");
        archive(image);
        return image;
    }

    /** Two nodes of the demo meet on the loopback interface, and one writes down what it loaded; then a command that asks an agent does. */
    private static void archive(Tree image) throws IOException, InterruptedException {
        Path archive = image.path("lib/hearth.aot");
        Packages.run(List.of(
                image.path("bin/hearth").toString(),
                "demo",
                "--nodes",
                "2",
                "--epochs",
                "1",
                "--json",
                "--record",
                archive.toString()));
        for (Path written : List.of(archive, image.path("lib/short.aot"))) {
            if (!Files.isRegularFile(written)) {
                throw new IOException("the demo did not write " + written);
            }
            Files.setLastModifiedTime(written, FileTime.from(image.time()));
        }
    }
}
