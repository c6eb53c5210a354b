package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.agent.HearthConfig;
import io.hearth.agent.LocalAgent;
import io.hearth.cli.Commands.Outcome;
import io.hearth.cli.terminal.Exit;
import io.hearth.identity.NetworkNamespace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code hearth doctor} on loopback, with and without an agent. */
final class DoctorIT {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("home");

    @SuppressWarnings("NullAway.Init") // set before each test
    private Commands here;

    @BeforeEach
    void makeAHome() throws Exception {
        here = Commands.in(folder.resolve("here"), namespace);
    }

    private static LocalAgent agent(Commands commands, String... peers) throws Exception {
        HearthConfig config =
                HearthConfig.defaults().agent("agent").interfaces(List.of("lo")).peers(List.of(peers));
        return LocalAgent.start(config, commands.environment());
    }

    private static Optional<String> level(JsonObject report, String check, String part) {
        for (JsonElement element : report.getAsJsonArray("findings")) {
            JsonObject found = element.getAsJsonObject();
            if (found.get("check").getAsString().equals(check)
                    && found.get("text").getAsString().contains(part)) {
                return Optional.of(found.get("level").getAsString());
            }
        }
        return Optional.empty();
    }

    private static JsonObject report(Outcome outcome) {
        return JsonParser.parseString(outcome.out()).getAsJsonObject();
    }

    @Test
    void aPeerIsTestedInBothDirections() throws Exception {
        Commands there = Commands.in(folder.resolve("there"), namespace);
        try (LocalAgent other = agent(there)) {
            String address = "127.0.0.1:" + other.node().port();
            JsonObject report =
                    report(here.run("doctor", "--interface", "lo", "--peer", address, "--wait", "1s", "--json"));
            assertEquals(Optional.of("ok"), level(report, "multicast", "lo: sends and receives"), report.toString());
            assertEquals(Optional.of("note"), level(report, "agent", "no agent runs"), report.toString());
            assertEquals(Optional.of("ok"), level(report, "peers", "of namespace home"), report.toString());
            assertEquals(Optional.of("ok"), level(report, "peer", "answers after"), report.toString());
            assertTrue(level(report, "link", "round trip").isPresent(), report.toString());
        }
    }

    @Test
    void aWrongSecretIsNamedOnTheMachineThatHasIt() throws Exception {
        Commands strangers = Commands.in(folder.resolve("there"), NetworkNamespace.create("home"));
        try (LocalAgent other = agent(strangers)) {
            String address = "127.0.0.1:" + other.node().port();
            Outcome outcome = here.run("doctor", "--interface", "lo", "--peer", address, "--wait", "1s");
            assertEquals(Exit.FAILED, outcome.code(), outcome.out());
            assertTrue(outcome.out().contains("do not admit each other"), outcome.out());
            assertTrue(outcome.out().contains("another namespace"), outcome.out());
            assertTrue(outcome.out().lines().toList().getLast().endsWith("problems"), outcome.out());
        }
    }

    @Test
    void aKeyThatOthersCanReadIsAProblem() throws Exception {
        try (LocalAgent _ = agent(here)) {
            Path key = here.home().resolve("identity.pem");
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
            JsonObject report = report(here.run("doctor", "--interface", "lo", "--json"));
            assertEquals(false, report.get("ok").getAsBoolean());
            assertEquals(Optional.of("problem"), level(report, "identity", "identity.pem"), report.toString());
        }
    }

    @Test
    void aMistakeInTheSettingsIsTold() throws Exception {
        Files.writeString(here.home().resolve("config.toml"), "helth = 'wan'\n");
        Outcome outcome = here.run("doctor", "--interface", "lo");
        assertEquals(Exit.FAILED, outcome.code());
        assertTrue(outcome.out().contains("did you mean 'health'?"), outcome.out());
        assertTrue(outcome.out().contains("-> correct it in an editor"), outcome.out());
    }

    @Test
    void aPeerThatIsNotAnAddressIsAMistake() {
        assertEquals(Exit.USAGE, here.run("doctor", "--peer", "::::").code());
    }
}
