package io.hearth.identity;

import static io.hearth.identity.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.SetupException;
import io.hearth.identity.ConfigFile.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConfigFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ConfigFile file;

    @BeforeEach
    void openHome() throws SetupException {
        file = ConfigFile.in(HearthHome.open(folder.resolve("home")));
    }

    private Map<String, List<String>> read() throws SetupException {
        return file.read(Map.of("health", Kind.TEXT, "page_port", Kind.NUMBER, "peers", Kind.TEXTS));
    }

    @Test
    void withoutTheFileOrAKeyNothingIsSet() throws Exception {
        assertEquals(Map.of(), read());
        writes("# nothing yet\n");
        assertEquals(Map.of(), read());
    }

    @Test
    void valuesOfAllKindsAreRead() throws Exception {
        writes("""
                peers = [
                  'nas:7', # the one in the attic
                  "dns:all.example.org",
                ]
                health = 'wan'
                page_port = 8080
                """);
        assertEquals(
                Map.of(
                        "peers", List.of("nas:7", "dns:all.example.org"),
                        "health", List.of("wan"),
                        "page_port", List.of("8080")),
                read());
    }

    @Test
    void theFileMayBeAMountedOne() throws Exception {
        Path mounted = Files.writeString(folder.resolve("mounted"), "peers = ['k8s:trainers']");
        Files.createSymbolicLink(file.path(), mounted);
        assertEquals(Map.of("peers", List.of("k8s:trainers")), read());
    }

    @Test
    void anythingElseIsRejectedWithTheFileTheRuleAndTheRemedy() throws Exception {
        for (String[] row : new String[][] {
            {"peers = 'nas'", "peers must be a list of texts, such as [\"en0\"], got another value"},
            {"peers = ['nas', 7]", "got another value at place 2"},
            {"[peers]\nnas = 1", "peers must be a list of texts"},
            {"peer = ['nas']", "no setting 'peer'; did you mean 'peers'? The settings are health, page_port, peers"},
            {"helth = 'wan'", "no setting 'helth'; did you mean 'health'?"},
            {"pageport = 1", "did you mean 'page_port'?"},
            {"health = 3", "health must be a text, such as \"wifi\", got another value"},
            {"page_port = '3'", "page_port must be a whole number, got another value"},
            {"page_port = 3.5", "page_port must be a whole number, got another value"},
            {"peers = ['nas'", "not well-formed TOML at line 1"},
            {"peers = " + "[".repeat(50_000 / 8), "nested deeper than 32"},
            {"#".repeat(16 * 1024 + 1), "larger than 16384 bytes"},
            {"\"\\u001b[2J\" = 1", "no setting '[2J'"},
        }) {
            writes(row[0]);
            assertRefused(this::read, "config.toml", row[1], "correct it in an editor");
        }
    }

    @Test
    void aFolderInItsPlaceIsReported() throws Exception {
        Files.createDirectory(file.path());
        assertRefused(this::read, "cannot read ", "config.toml", "make it readable for you");
    }

    private void writes(String content) throws IOException {
        Files.writeString(file.path(), content);
    }
}
