package io.hearth.dist;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * An image for containers in the layout of the OCI image specification 1.1, which {@code docker load}, podman and containerd read. It has
 * no shell, no package manager and no root: the program, its Java, and the few libraries of the system that Java loads.
 */
final class OciImage {
    private static final Pattern LIBRARY = Pattern.compile("(/\\S+\\.so\\S*)");
    private static final int USER = 65_532;

    /** What the program writes in. */
    private static final Map<String, Integer> OWNERS = Map.of("home/hearth", USER, "tmp", USER);

    private OciImage() {}

    static void write(Tree image, String version, String architecture, Path work, Path file)
            throws IOException, InterruptedException {
        Tree root = root(image, Tree.fresh(work.resolve("oci-root"), image.time()));
        Tree layout = Tree.fresh(work.resolve("oci"), image.time());
        var plain = new ByteArrayOutputStream();
        TarGz.plain(root, "", OWNERS, plain);
        var zipped = new ByteArrayOutputStream();
        TarGz.write(root, "", OWNERS, zipped);
        String layerId = digest(plain.toByteArray());
        JsonObject layer = blob(layout, "application/vnd.oci.image.layer.v1.tar+gzip", zipped.toByteArray());
        JsonObject config = blob(
                layout,
                "application/vnd.oci.image.config.v1+json",
                bytes(config(architecture, layerId, image.time().toString())));
        var manifest = new JsonObject();
        manifest.addProperty("schemaVersion", 2);
        manifest.addProperty("mediaType", "application/vnd.oci.image.manifest.v1+json");
        manifest.add("config", config);
        manifest.add("layers", list(layer));
        JsonObject entry = blob(layout, "application/vnd.oci.image.manifest.v1+json", bytes(manifest));
        var names = new JsonObject();
        names.addProperty("org.opencontainers.image.ref.name", version);
        names.addProperty("io.containerd.image.name", "hearth:" + version);
        entry.add("annotations", names);
        var index = new JsonObject();
        index.addProperty("schemaVersion", 2);
        index.addProperty("mediaType", "application/vnd.oci.image.index.v1+json");
        index.add("manifests", list(entry));
        layout.write("index.json", index.toString());
        layout.write("oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}");
        try (var out = Files.newOutputStream(file)) {
            TarGz.plain(layout, "", Map.of(), out);
        }
    }

    /** The files of the image. */
    private static Tree root(Tree image, Tree root) throws IOException, InterruptedException {
        for (String part : List.of("bin", "lib", "jdk", "LICENSE", "NOTICE", "LICENCES-OF-LIBRARIES.txt")) {
            if (Files.isDirectory(image.path(part))) {
                root.copyAll(image.path(part), "opt/hearth/" + part);
            } else {
                root.copy(image.path(part), "opt/hearth/" + part);
            }
        }
        for (Path library : libraries(image)) {
            root.copy(library.toRealPath(), library.toString().substring(1));
        }
        root.write("etc/passwd", "root:x:0:0:root:/:/none\nhearth:x:65532:65532:hearth:/home/hearth:/none\n");
        root.write("etc/group", "root:x:0:\nhearth:x:65532:\n");
        for (String folder : OWNERS.keySet()) {
            Files.createDirectories(root.path(folder));
        }
        Files.createDirectories(root.path("proc")); // where the container's is mounted
        root.write("etc/nsswitch.conf", "hosts: files dns\n");
        return root;
    }

    /** The libraries of this system that the Java in {@code image} loads, by the names under which the loader looks for them. */
    private static SortedSet<Path> libraries(Tree image) throws IOException, InterruptedException {
        var found = new TreeSet<Path>();
        List<Path> own;
        try (var all = Files.walk(image.path("jdk"))) {
            own = all.filter(path -> path.toString().endsWith(".so") || path.endsWith("bin/java"))
                    .filter(path ->
                            !path.toString().contains("awt") && !path.toString().contains("splash"))
                    .sorted()
                    .toList();
        }
        for (Path library : own) {
            LIBRARY.matcher(Packages.run(List.of("ldd", library.toString())))
                    .results()
                    .map(MatchResult::group)
                    .map(Path::of)
                    .filter(path -> !path.startsWith(image.folder()))
                    .filter(path -> !path.toString().contains("libX")
                            && !path.toString().contains("libasound"))
                    .forEach(found::add);
        }
        return found;
    }

    private static JsonObject config(String architecture, String layerId, String time) {
        var run = new JsonObject();
        run.addProperty("User", USER + ":" + USER);
        run.add(
                "Entrypoint",
                list(
                        "/opt/hearth/jdk/bin/java",
                        "@/opt/hearth/bin/jvm.args",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:+UseSerialGC",
                        "-XX:AOTCache=/opt/hearth/lib/hearth.aot",
                        "-Xlog:aot=off",
                        "-Xlog:cds=off",
                        "-jar",
                        "/opt/hearth/lib/hearth-cli.jar"));
        run.add("Cmd", list("agent"));
        run.add("Env", list("HEARTH_HOME=/home/hearth/.hearth", "HOME=/home/hearth", "LC_ALL=C.UTF-8"));
        var volumes = new JsonObject();
        volumes.add("/home/hearth", new JsonObject());
        run.add("Volumes", volumes);
        run.addProperty("StopSignal", "SIGTERM");
        var files = new JsonObject();
        files.addProperty("type", "layers");
        files.add("diff_ids", list("sha256:" + layerId));
        var config = new JsonObject();
        config.addProperty("created", time);
        config.addProperty("architecture", architecture);
        config.addProperty("os", "linux");
        config.add("config", run);
        config.add("rootfs", files);
        return config;
    }

    private static JsonObject blob(Tree layout, String type, byte[] content) throws IOException {
        String digest = digest(content);
        Path path = layout.path("blobs/sha256/" + digest);
        Files.createDirectories(path.getParent());
        Files.write(path, content);
        var descriptor = new JsonObject();
        descriptor.addProperty("mediaType", type);
        descriptor.addProperty("digest", "sha256:" + digest);
        descriptor.addProperty("size", content.length);
        return descriptor;
    }

    private static String digest(byte[] content) {
        return HexFormat.of().formatHex(Packages.sha256().digest(content));
    }

    private static byte[] bytes(JsonObject json) {
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static JsonArray list(String... values) {
        var list = new JsonArray();
        for (String value : values) {
            list.add(new JsonPrimitive(value));
        }
        return list;
    }

    private static JsonArray list(JsonObject value) {
        var list = new JsonArray();
        list.add(value);
        return list;
    }
}
