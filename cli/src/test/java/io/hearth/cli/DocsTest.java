package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Finds dead links in the docs, and names of classes and tests that no longer exist. */
final class DocsTest {
    private static final Path ROOT =
            Path.of(System.getProperty("hearth.root", "..")).toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*)$");
    private static final Pattern CODE = Pattern.compile("(?s)```mermaid\\n(.*?)```|```.*?```|`([^`\\n]+)`");
    private static final Pattern FOREIGN =
            Pattern.compile("-\\S+|\\b(jdk|java)\\.\\S+"); // a flag, or a name of the JDK
    private static final Pattern WORD = Pattern.compile("[A-Za-z_$][A-Za-z0-9_$]*");

    /** The name of a class of two or more words, or of a method of four or more words, as tests have. */
    private static final Pattern NAME =
            Pattern.compile("[A-Z][a-z0-9]+([A-Z][a-z0-9]*)+|[a-z][a-z0-9]*([A-Z][a-z0-9]*){3,}");

    private static final Set<String> ENDINGS = Set.of("java", "metal", "cpp", "h", "c", "proto", "py", "xml", "sh");

    private static List<Path> files(String... endings) throws IOException {
        try (Stream<Path> all = Files.walk(ROOT)) {
            Set<String> wanted = Set.of(endings);
            return all.filter(Files::isRegularFile)
                    .filter(file -> wanted.contains(ending(file)))
                    .filter(file -> Stream.of("target", ".git")
                            .noneMatch(folder -> ROOT.relativize(file).startsWith(folder)
                                    || file.toString().contains("/" + folder + "/")))
                    .toList();
        }
    }

    private static String ending(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** The anchor that web pages have for a heading. */
    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .strip()
                .replace(' ', '-');
    }

    private static boolean isDead(Path page, String link) throws IOException {
        if (link.contains("://") || link.startsWith("mailto:")) {
            return false;
        }
        int hash = link.indexOf('#');
        String path = hash < 0 ? link : link.substring(0, hash);
        Path folder = page.getParent();
        Path target = path.isEmpty() || folder == null ? page : folder.resolve(path);
        if (!Files.exists(target)) {
            return true;
        }
        return hash >= 0
                && HEADING.matcher(Files.readString(target))
                        .results()
                        .noneMatch(heading -> anchor(heading.group(1)).equals(link.substring(hash + 1)));
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        var dead = new TreeSet<String>();
        for (Path page : files("md")) {
            for (MatchResult link :
                    LINK.matcher(Files.readString(page)).results().toList()) {
                if (isDead(page, link.group(1))) {
                    dead.add(ROOT.relativize(page) + ": " + link.group(1));
                }
            }
        }
        assertEquals(Set.of(), dead);
        assertTrue(isDead(ROOT.resolve("README.md"), "docs/no-such-page.md"));
        assertTrue(isDead(ROOT.resolve("README.md"), "#no-such-heading"));
    }

    private static Set<String> unknown(String text, Set<String> words) {
        var unknown = new TreeSet<String>();
        for (MatchResult code : CODE.matcher(text).results().toList()) {
            String named = code.group(1) != null ? code.group(1) : code.group(2); // of a diagram, or in a line
            if (named != null) {
                WORD.matcher(FOREIGN.matcher(named).replaceAll(""))
                        .results()
                        .map(MatchResult::group)
                        .filter(word -> NAME.matcher(word).matches() && !words.contains(word))
                        .forEach(unknown::add);
            }
        }
        return unknown;
    }

    /** The changelog may name classes that no longer exist. */
    @Test
    void everyClassAndTestThatAPageNamesExists() throws IOException {
        var words = new HashSet<String>();
        for (Path source : files(ENDINGS.toArray(String[]::new))) {
            words.add(String.valueOf(source.getFileName()).replaceFirst("\\..*", ""));
            WORD.matcher(Files.readString(source))
                    .results()
                    .map(MatchResult::group)
                    .forEach(words::add);
        }
        var unknown = new TreeSet<String>();
        for (Path page : files("md")) {
            if (!page.endsWith("CHANGELOG.md")) {
                unknown(Files.readString(page), words)
                        .forEach(word -> unknown.add(ROOT.relativize(page) + ": " + word));
            }
        }
        assertEquals(Set.of(), unknown);
        assertEquals(
                Set.of("NoSuch" + "Class", "aTestThat" + "IsGone"),
                unknown("see `NoSuch" + "Class.aTestThat" + "IsGone` of `DocsTest`", words));
        assertEquals(
                Set.of("NoSuch" + "Class"),
                unknown("```mermaid\nDocsTest --> NoSuch" + "Class\n```\n```\nNoSuch" + "Block\n```\n", words));
    }
}
