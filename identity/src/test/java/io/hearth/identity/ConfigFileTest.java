package io.hearth.identity;

import static io.hearth.identity.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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

    @Test
    void withoutTheFileOrTheKeyNoPeerIsNamed() throws Exception {
        assertEquals(List.of(), file.peers());
        writes("# nothing yet\n");
        assertEquals(List.of(), file.peers());
    }

    @Test
    void theNamedPeersComeInTheirOrder() throws Exception {
        writes("peers = [\n  'nas:7', # the one in the attic\n  \"dns:all.example.org\",\n]\n");
        assertEquals(List.of("nas:7", "dns:all.example.org"), file.peers());
    }

    @Test
    void theSpansOfTheFailureDetectorHaveAName() throws Exception {
        assertEquals(Optional.empty(), file.health());
        writes("health = 'wan'");
        assertEquals(Optional.of("wan"), file.health());
        assertEquals(List.of(), file.peers());
    }

    @Test
    void theFileMayBeAMountedOne() throws Exception {
        Path mounted = Files.writeString(folder.resolve("mounted"), "peers = ['k8s:trainers']");
        Files.createSymbolicLink(file.path(), mounted);
        assertEquals(List.of("k8s:trainers"), file.peers());
    }

    @Test
    void anythingElseIsRejectedWithTheFileTheRuleAndTheRemedy() throws Exception {
        for (String[] row : new String[][] {
            {"peers = 'nas'", "peers must be a list of texts, got another value"},
            {"peers = ['nas', 7]", "got another value at place 2"},
            {"[peers]\nnas = 1", "peers must be a list of texts"},
            {"peer = ['nas']", "its keys must be of health, peers; got peer"},
            {"health = 3", "health must be a text, got another value"},
            {"peers = ['nas'", "not well-formed TOML at line 1"},
            {"peers = " + "[".repeat(50_000 / 8), "nested deeper than 32"},
            {"#".repeat(16 * 1024 + 1), "larger than 16384 bytes"},
            {"\"\\u001b[2J\" = 1", "its keys must be of health, peers; got [2J"},
        }) {
            writes(row[0]);
            assertRefused(() -> List.of(file.peers(), file.health()), "config.toml", row[1], "write it like peers = [");
        }
    }

    @Test
    void aFolderInItsPlaceIsReported() throws Exception {
        Files.createDirectory(file.path());
        assertRefused(file::peers, "cannot read ", "config.toml", "make it readable for you");
    }

    private void writes(String content) throws IOException {
        Files.writeString(file.path(), content);
    }
}
