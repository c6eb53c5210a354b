package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The jars and poms of a release. Each jar has its version and the name of its module; the program runs from its jar. */
final class JarsIT {
    private static final Path LIB = Path.of("target", "lib");
    private static final Pattern NAME = Pattern.compile("hearth-([a-z]+)(-.*)?\\.jar");

    private static List<Path> jars() throws IOException {
        try (Stream<Path> files = Files.list(LIB)) {
            return files.filter(
                            file -> NAME.matcher(file.getFileName().toString()).matches())
                    .toList();
        }
    }

    @Test
    void theProgramRunsFromItsJarAlone() throws Exception {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                LIB.resolve("hearth-cli.jar").toString(),
                "version");
        try (var version = RunningProcess.start(Map.of(), command)) {
            assertEquals(0, version.exitCode(), version::output);
            assertTrue(version.output().startsWith("hearth "), version::output);
            assertFalse(version.output().contains("WARNING"), version::output);
        }
    }

    @Test
    void eachSaysItsVersionAndTheNameOfItsModule() throws IOException {
        var expected = new TreeSet<String>();
        for (Path jar : jars()) {
            Matcher folder = NAME.matcher(jar.getFileName().toString());
            assertTrue(folder.matches(), jar::toString);
            String module = "io.hearth." + folder.group(1).replace("native", "accel");
            expected.add(module);
            try (var file = new JarFile(jar.toFile())) {
                Attributes manifest = file.getManifest().getMainAttributes();
                assertEquals(module, manifest.getValue("Automatic-Module-Name"), jar::toString);
                assertFalse(manifest.getValue("Implementation-Version").isEmpty(), jar::toString);
            }
        }
        assertEquals(
                expected,
                ModuleFinder.of(jars().toArray(Path[]::new)).findAll().stream()
                        .map(module -> module.descriptor().name())
                        .collect(Collectors.toCollection(TreeSet::new)));
        assertTrue(expected.contains("io.hearth.accel"));
    }

    @Test
    void aModulePathOfAllJarsListsTheModules() throws Exception {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-p",
                LIB.toString(),
                "--list-modules");
        try (var list = RunningProcess.start(Map.of(), command)) {
            assertEquals(0, list.exitCode(), list::output);
            Set<String> listed =
                    list.output().lines().map(line -> line.split("[@ ]", 2)[0]).collect(Collectors.toSet());
            for (String module : List.of("io.hearth.core", "io.hearth.accel", "io.hearth.agent", "io.hearth.cli")) {
                assertTrue(listed.contains(module), list::output);
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.hearth.cli.PublishedPoms#names")
    void aPublishedPomStandsAloneAndSaysWhatACentralRepositoryAsksFor(String name) throws IOException {
        String pom = Files.readString(PublishedPoms.flattened(name))
                .replace("${project.version}", ""); // its own, in the BOM
        for (String wanted : List.of("<url>", "<scm", "<developers>", "<licenses>", "<name>", "<description>")) {
            assertTrue(pom.contains(wanted), wanted + " in\n" + pom);
        }
        assertTrue(pom.contains("<name>The Hearth authors</name>"), pom);
        for (String needless : List.of("<parent>", "<build>", "<properties>", "<scope>test", "${")) {
            assertFalse(pom.contains(needless), needless + " in\n" + pom);
        }
    }
}
