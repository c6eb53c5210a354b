package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts that have to stay alike: the BOM and the modules; the snippets of two pages and the sample projects that CI builds. */
final class PublishingTest {
    private static final Path SAMPLES = PublishedPoms.ROOT.resolve("samples");
    private static final Pattern BOM_ENTRY =
            Pattern.compile("<artifactId>hearth-(\\w+)</artifactId><version>\\$\\{project.version}</version>");
    private static final Pattern PLUGIN =
            Pattern.compile("<artifactId>(maven-\\w+-plugin)</artifactId>\\s*<version>([^<]+)</version>");
    private static final Pattern BLOCK = Pattern.compile("(?s)```(\\w+)\\n(.*?)```");

    /** The file in which each snippet of its language is found. */
    private static final Map<String, Path> SOURCES = Map.of(
            "java", SAMPLES.resolve("maven/src/main/java/Train.java"),
            "xml", SAMPLES.resolve("maven/pom.xml"),
            "kotlin", SAMPLES.resolve("gradle/build.gradle.kts"));

    @Test
    void theBomListsEveryPublishedModule() throws IOException {
        Set<String> listed = BOM_ENTRY
                .matcher(Files.readString(PublishedPoms.ROOT.resolve("bom/pom.xml")))
                .results()
                .map(entry -> entry.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        var published = new TreeSet<>(PublishedPoms.names());
        published.remove("bom");
        assertEquals(published, listed);
    }

    /** So the sample's build finds all of its plugins where the project's own build put them. */
    @Test
    void theSampleUsesThePluginsOfTheBuild() throws IOException {
        Map<String, String> own = plugins(PublishedPoms.rootPom());
        Map<String, String> sample = plugins(Files.readString(SAMPLES.resolve("maven/pom.xml")));
        assertEquals(5, sample.size(), sample::toString);
        own.keySet().retainAll(sample.keySet());
        assertEquals(own, sample);
    }

    @Test
    void theSampleForDjlUsesTheEngineOfTheTest() throws IOException {
        String sample = Files.readString(SAMPLES.resolve("djl/pom.xml"));
        String api = property(PublishedPoms.rootPom(), "djl.version");
        String engine = property(Files.readString(PublishedPoms.ROOT.resolve("djl/pom.xml")), "djl.pytorch.version");
        for (String version : List.of(api, engine + "-" + api, engine)) {
            assertTrue(sample.contains("<version>" + version + "</version>"), version);
        }
    }

    private static String property(String pom, String name) {
        return pom.substring(pom.indexOf("<" + name + ">") + name.length() + 2, pom.indexOf("</" + name + ">"));
    }

    private static Map<String, String> plugins(String pom) {
        return PLUGIN.matcher(pom)
                .results()
                .collect(Collectors.toMap(
                        plugin -> plugin.group(1), plugin -> plugin.group(2), (one, _) -> one, TreeMap::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/getting-started.md"})
    void eachSnippetOfThePageIsInASample(String page) throws IOException {
        var languages = new TreeSet<String>();
        for (var block : BLOCK.matcher(Files.readString(PublishedPoms.ROOT.resolve(page)))
                .results()
                .toList()) {
            Path source = SOURCES.get(block.group(1));
            if (source != null) {
                languages.add(block.group(1));
                String whole = "\n" + withoutIndentation(Files.readString(source)) + "\n";
                String snippet = "\n" + withoutIndentation(block.group(2)) + "\n";
                assertTrue(whole.contains(snippet), source + " does not contain:" + snippet);
                assertTrue(!block.group(1).equals("java") || snippet.equals(whole), "all of " + source);
            }
        }
        assertEquals(SOURCES.keySet(), languages, "the languages of the snippets of " + page);
    }

    private static String withoutIndentation(String text) {
        return text.lines().map(String::strip).filter(line -> !line.isEmpty()).collect(Collectors.joining("\n"));
    }

    @Test
    void theSamplesNameTheVersionOfTheBuild() throws IOException {
        for (Path sample : List.of(
                SAMPLES.resolve("maven/pom.xml"),
                SAMPLES.resolve("gradle/build.gradle.kts"),
                SAMPLES.resolve("djl/pom.xml"))) {
            assertTrue(Files.readString(sample).contains(PublishedPoms.version()), sample::toString);
        }
    }
}
