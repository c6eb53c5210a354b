package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The modules that are published, and their poms as Maven installs and deploys them. */
final class PublishedPoms {
    static final Path ROOT = Path.of(System.getProperty("hearth.root", ".."));
    private static final Pattern MODULE = Pattern.compile("<module>(\\S+)</module>");
    private static final Pattern OWN_VERSION =
            Pattern.compile("<artifactId>hearth</artifactId>\\s*<version>(\\S+)</version>");

    private PublishedPoms() {}

    /** Folders of the modules whose poms do not skip the deployment. */
    static List<String> names() throws IOException {
        var names = new ArrayList<String>();
        for (String name :
                MODULE.matcher(rootPom()).results().map(match -> match.group(1)).toList()) {
            if (!Files.readString(ROOT.resolve(name).resolve("pom.xml")).contains("maven.deploy.skip>true<")) {
                names.add(name);
            }
        }
        return names;
    }

    static String rootPom() throws IOException {
        return Files.readString(ROOT.resolve("pom.xml"));
    }

    static String version() throws IOException {
        var own = OWN_VERSION.matcher(rootPom());
        assertTrue(own.find());
        return own.group(1);
    }

    /** The pom that the last build made of the module's. */
    static Path flattened(String name) {
        return ROOT.resolve(name).resolve("target").resolve(".flattened-pom.xml");
    }
}
