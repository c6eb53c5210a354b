package io.hearth.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Makes all packages for the platform that it runs on: the archive that needs a JDK, the self-contained one, on Linux a Debian package and
 * an OCI image, and the formula of Homebrew for the first archive.
 */
public final class Packages {
    private Packages() {}

    /** Arguments: folder of the source tree, version, time of all files (ISO 8601), folder for the packages. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path root = Path.of(arguments[0]);
        String version = arguments[1];
        Instant time = Instant.parse(arguments[2]);
        Path out = Tree.fresh(Path.of(arguments[3]), time).folder();
        Path work = out.resolveSibling("work");

        Tree program = Program.lay(root, Tree.fresh(work.resolve("program"), time));
        Path archive = out.resolve("hearth-" + version + ".tar.gz");
        TarGz.write(program, "hearth-" + version + "/", archive);

        String platform = platform();
        Tree image = Image.lay(program, Tree.fresh(work.resolve("image"), time));
        String name = "hearth-" + version + "-" + platform;
        TarGz.write(image, name + "/", out.resolve(name + ".tar.gz"));

        Files.writeString(out.resolve("hearth.rb"), Formula.of(version, sha256(archive)));
        if (platform.startsWith("linux")) {
            String architecture = platform.endsWith("x86_64") ? "amd64" : "arm64";
            DebianPackage.write(image, version, architecture, work, out);
            OciImage.write(image, version, architecture, work, out.resolve("hearth-" + version + "-oci.tar"));
        }
        sums(out);
    }

    /** The system and the processor, as archives of other programs name them. */
    static String platform() {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("mac") ? "macos" : "linux";
        String processor = switch (System.getProperty("os.arch", "")) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "aarch64";
            default -> throw new IllegalStateException("there is no package for " + System.getProperty("os.arch"));
        };
        return os + "-" + processor;
    }

    private static void sums(Path out) throws IOException {
        var lines = new ArrayList<String>();
        List<Path> files;
        try (var all = Files.list(out)) {
            files = all.sorted().toList();
        }
        for (Path file : files) {
            lines.add(sha256(file) + "  " + file.getFileName());
            System.out.printf(Locale.ROOT, "%8.1f MB  %s%n", Files.size(file) / 1e6, file.getFileName());
        }
        Files.write(out.resolve("SHA256SUMS"), lines, StandardCharsets.UTF_8);
    }

    static String sha256(Path file) throws IOException {
        MessageDigest digest = sha256();
        try (var in = Files.newInputStream(file)) {
            byte[] part = new byte[1 << 16];
            for (int got = in.read(part); got >= 0; got = in.read(part)) {
                digest.update(part, 0, got);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible); // every Java has it
        }
    }

    /**
     * Runs a program, which must succeed.
     *
     * @return its output
     */
    static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " failed:\n" + output);
        }
        return output;
    }
}
