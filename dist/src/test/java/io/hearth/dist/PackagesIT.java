package io.hearth.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unpacks each package in a clean place and runs it there, without the environment of this process. */
final class PackagesIT {
    private static final Path PACKAGES = Path.of(System.getProperty("hearth.packages", "."));
    private static final String VERSION = System.getProperty("hearth.version", "");
    private static final long ARCHIVE_MAX = 70_000_000;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private static Path only(String glob) throws IOException {
        try (var found = Files.newDirectoryStream(PACKAGES, glob)) {
            var all = new ArrayList<Path>();
            found.forEach(all::add);
            assertEquals(1, all.size(), glob + ": " + all);
            return all.getFirst();
        }
    }

    /** Runs a command with nothing but a PATH and a home, and returns its standard output. */
    private String run(Map<String, String> environment, String... command) throws Exception {
        Path err = folder.resolve("err");
        var builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().putAll(Map.of("PATH", "/usr/bin:/bin:/usr/sbin:/sbin", "HOME", folder.toString()));
        builder.environment().putAll(environment);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), "still running");
        assertEquals(0, process.exitValue(), String.join(" ", command) + "\n" + out + Files.readString(err));
        return out;
    }

    private void trains(Map<String, String> environment, Path hearth) throws Exception {
        assertTrue(run(environment, hearth.toString(), "version").contains(VERSION));
        String told = run(environment, hearth.toString(), "demo", "--nodes", "2", "--epochs", "1", "--json");
        assertTrue(told.lines().anyMatch(line -> line.contains("test_accuracy")), told);
    }

    private Path unpacked(Path archive) throws Exception {
        run(Map.of(), "tar", "-xzf", archive.toString(), "-C", folder.toString());
        return folder.resolve(archive.getFileName().toString().replace(".tar.gz", ""));
    }

    @Test
    void theArchiveWithoutJavaRunsWithAJdk() throws Exception {
        Path program = unpacked(PACKAGES.resolve("hearth-" + VERSION + ".tar.gz"));
        trains(Map.of("JAVA_HOME", System.getProperty("java.home")), program.resolve("bin/hearth"));
        assertTrue(Files.readString(program.resolve("share/man/man1/hearth.1")).contains(".TH HEARTH 1"));
        assertTrue(Files.readString(program.resolve("share/bash-completion/completions/hearth"))
                .contains("complete"));
    }

    @Test
    void theSelfContainedArchiveNeedsNothingAndIsSmall() throws Exception {
        Path archive = only("hearth-*-" + Packages.platform() + ".tar.gz");
        assertTrue(Files.size(archive) <= ARCHIVE_MAX, Files.size(archive) + " bytes");
        Path program = unpacked(archive);
        trains(Map.of("JAVA_HOME", "/nonexistent"), program.resolve("bin/hearth"));
        assertTrue(run(Map.of(), program.resolve("bin/hearth").toString(), "kernel", "info")
                .contains("vectors of"));
    }

    @Test
    void theDebianPackageUnpacksToAProgramOnThePath() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/dpkg-deb")), "dpkg is not installed");
        Path deb = only("*.deb");
        assertTrue(run(Map.of(), "dpkg-deb", "--info", deb.toString()).contains("Package: hearth"));
        run(Map.of(), "dpkg-deb", "-x", deb.toString(), folder.resolve("root").toString());
        trains(Map.of(), folder.resolve("root/usr/bin/hearth"));
    }

    @Test
    void theImageHasAllThatJavaNeedsAndNoRoot() throws Exception {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "another root needs root");
        Assumptions.assumeTrue(Packages.platform().startsWith("linux"), "the image is for Linux");
        Path layout = Files.createDirectory(folder.resolve("layout"));
        run(Map.of(), "tar", "-xf", only("*-oci.tar").toString(), "-C", layout.toString());
        JsonObject manifest = blob(
                layout,
                json(layout.resolve("index.json")).getAsJsonArray("manifests").get(0));
        JsonObject config = blob(layout, manifest.get("config"));
        Path root = Files.createDirectory(folder.resolve("rootfs"));
        for (JsonElement layer : manifest.getAsJsonArray("layers")) {
            run(Map.of(), "tar", "-xzf", file(layout, layer).toString(), "-C", root.toString());
        }
        JsonObject run = config.getAsJsonObject("config");
        assertEquals("65532:65532", run.get("User").getAsString());
        var command = new ArrayList<>(List.of("unshare", "--pid", "--fork", "--root=" + root, "--mount-proc"));
        command.addAll(List.of("--setuid=65532", "--setgid=65532"));
        run.getAsJsonArray("Entrypoint").forEach(word -> command.add(word.getAsString()));
        var environment = new HashMap<String, String>();
        for (JsonElement variable : run.getAsJsonArray("Env")) {
            String[] parts = variable.getAsString().split("=", 2);
            environment.put(parts[0], parts[1]);
        }
        command.add("version");
        assertTrue(run(environment, command.toArray(String[]::new)).contains(VERSION));
        command.set(command.size() - 1, "id"); // which makes an identity in the home folder
        assertFalse(run(environment, command.toArray(String[]::new)).isBlank());
    }

    private static Path file(Path layout, JsonElement descriptor) throws IOException {
        String digest = descriptor.getAsJsonObject().get("digest").getAsString().replace("sha256:", "");
        Path file = layout.resolve("blobs/sha256").resolve(digest);
        assertEquals(digest, Packages.sha256(file));
        return file;
    }

    private static JsonObject blob(Path layout, JsonElement descriptor) throws IOException {
        return json(file(layout, descriptor));
    }

    private static JsonObject json(Path file) throws IOException {
        return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    }

    @Test
    void theFormulaNamesTheArchiveByItsSum() throws Exception {
        String formula = Files.readString(PACKAGES.resolve("hearth.rb"));
        String sum = Packages.sha256(PACKAGES.resolve("hearth-" + VERSION + ".tar.gz"));
        assertTrue(formula.contains("sha256 \"" + sum + "\""), formula);
    }
}
