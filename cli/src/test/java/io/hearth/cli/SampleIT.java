package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.cli.option.Loopback;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A project of a user: {@code samples/maven}, copied out of the source tree, is built from published poms and jars alone, offline, and
 * two processes of it train together.
 */
@Tag("full")
@Timeout(240)
final class SampleIT {
    private static final Path ROOT = PublishedPoms.ROOT.toAbsolutePath().normalize();
    private static final String JAVA_HOME = System.getProperty("java.home");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void aProjectOutsideTheBuildTrainsWithTheLibrary() throws Exception {
        build();
        HearthHome home = HearthHome.open(folder.resolve("home"));
        NamespaceFile.in(home).add(NetworkNamespace.create("home"));
        try (RunningProcess one = train(home);
                RunningProcess other = train(home)) {
            for (RunningProcess trainer : List.of(one, other)) {
                assertEquals(0, trainer.exitCode(), trainer::output);
            }
            List<String> results = Stream.of(one, other)
                    .flatMap(trainer -> trainer.output().lines())
                    .filter(line -> line.startsWith("rank "))
                    .sorted()
                    .toList();
            assertEquals(List.of("rank 0 of 2: y = 3.00 x", "rank 1 of 2: y = 3.00 x"), results);
            assertEquals(
                    List.of(1L, 1L),
                    Stream.of(one, other)
                            .map(trainer -> trainer.output()
                                    .lines()
                                    .filter(line -> line.contains("slf4j"))
                                    .count())
                            .toList(),
                    "one line says that there is no log");
        }
    }

    /** Maven fetches nothing: Hearth's artifacts are in a repository of this test, all others where Hearth's own build put them. */
    private void build() throws Exception {
        Path repository = Files.createDirectory(folder.resolve("repository"));
        for (String name : PublishedPoms.names()) {
            publish(repository, name);
        }
        Path sample = folder.resolve("sample");
        copy(ROOT.resolve("samples/maven/pom.xml"), sample, "pom.xml");
        copy(ROOT.resolve("samples/maven/src/main/java/Train.java"), sample.resolve("src/main/java"), "Train.java");
        List<String> command = List.of(
                ROOT.resolve("mvnw").toString(),
                "-B",
                "-ntp",
                "--offline",
                "-f",
                sample.toString(),
                "-Dmaven.repo.local=" + repository,
                "-Dmaven.repo.local.tail=" + System.getProperty("hearth.repository"),
                "package");
        try (var maven = RunningProcess.start(Map.of("JAVA_HOME", JAVA_HOME), command)) {
            assertEquals(0, maven.exitCode(180), maven::output);
        }
    }

    /** Copies the pom and the jar of a module to their places in a Maven repository, as {@code install} does. */
    private static void publish(Path repository, String name) throws IOException {
        String artifact = "hearth-" + name;
        String version = PublishedPoms.version();
        Path place = repository.resolve("io/hearth").resolve(artifact).resolve(version);
        String file = artifact + "-" + version;
        copy(PublishedPoms.flattened(name), place, file + ".pom");
        Path jar = ROOT.resolve(name).resolve("target").resolve(file + ".jar");
        if (Files.exists(jar)) { // the BOM has none, and the program's is elsewhere
            copy(jar, place, file + ".jar");
        }
    }

    private static void copy(Path from, Path to, String name) throws IOException {
        Files.copy(from, Files.createDirectories(to).resolve(name));
    }

    private RunningProcess train(HearthHome home) throws Exception {
        Path target = folder.resolve("sample/target");
        List<String> command = List.of(
                Path.of(JAVA_HOME, "bin", "java").toString(),
                "-Duser.language=en",
                "--enable-native-access=ALL-UNNAMED",
                "--add-modules=jdk.incubator.vector",
                "-cp",
                target.resolve("classes") + File.pathSeparator + target.resolve("lib") + "/*",
                "Train",
                Loopback.name());
        return RunningProcess.start(Map.of("HEARTH_HOME", home.folder().toString()), command);
    }
}
