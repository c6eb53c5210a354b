package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that each test has a known tag, and that the page on tests names every test that the fast ring leaves out. */
final class RingsTest {
    private static final Path ROOT = Path.of(System.getProperty("hearth.root", ".."));
    private static final String PAGE = "docs/design/tests.md";
    private static final String SECTION = "## Rings of tests";
    private static final Pattern TAG = Pattern.compile("@Tag\\(([^)]*)\\)");
    private static final Pattern FIRST_CELL = Pattern.compile("(?m)^\\|([^|]*)\\|");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    private static Set<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            var sources = new TreeSet<Path>();
            for (Path folder : modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(folder)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                }
            }
            return sources;
        }
    }

    private static String name(Path source) {
        return String.valueOf(source.getFileName()).replace(".java", "");
    }

    @Test
    void thePageNamesAllThatOnlyTheFullRingRuns() throws IOException {
        var tags = new TreeSet<String>();
        var inFullRing = new TreeSet<String>();
        for (Path source : sources()) {
            String text = Files.readString(source);
            Set<String> found =
                    TAG.matcher(text).results().map(match -> match.group(1)).collect(Collectors.toSet());
            tags.addAll(found);
            if (!found.isEmpty() || text.contains("\"hearth.full\"")) {
                inFullRing.add(name(source));
            }
        }
        assertEquals(Set.of("\"full\""), tags);

        String page = Files.readString(ROOT.resolve(PAGE));
        int begin = page.indexOf(SECTION);
        assertTrue(begin >= 0, PAGE + " has no: " + SECTION);
        int end = page.indexOf("\n## ", begin);
        Set<String> named = FIRST_CELL
                .matcher(page.substring(begin, end < 0 ? page.length() : end))
                .results()
                .flatMap(cell -> NAME.matcher(cell.group(1)).results())
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(inFullRing, named, "what the full ring adds, and the table's rows");
    }
}
