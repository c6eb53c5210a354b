package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MainTest {
    private static final Pattern SECRET = Pattern.compile("secret = \"(hearth1-\\w+)\"");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void useAHomeOfOnesOwn() {
        environment.put("HEARTH_HOME", folder.resolve("home").toString());
    }

    @Test
    void theIdIsMadeOnceAndPrinted() {
        String id = hearth("id").out();
        assertTrue(id.startsWith("12D3KooW"), id);
        assertEquals(id, hearth("id").out());
        JsonObject json = hearth("id", "--json").json();
        assertEquals(id.strip(), json.get("id").getAsString());
        assertEquals(id.strip().substring(44), json.get("short").getAsString());
        assertEquals(folder.resolve("home").toString(), json.get("home").getAsString());
    }

    @Tag("full")
    @Test
    void simulateSaysWhatItPlayedAndFindsWhatIsPlanted() {
        JsonObject clean =
                hearth("simulate", "--seeds", "4", "--threads", "1", "--json").json();
        assertEquals(4, clean.get("seeds").getAsInt());
        assertEquals(0, clean.get("violations").getAsInt());
        assertTrue(clean.get("views").getAsInt() > 4 && clean.get("collectives").getAsInt() > 4, clean.toString());
        Commands.Outcome found = hearth("simulate", "--plant", "keep-silent", "--seeds", "30", "--threads", "1");
        assertEquals(0, found.code(), found.err());
        Matcher replay = Pattern.compile("replay: hearth (simulate --seed \\d+ --plant keep-silent --trace)")
                .matcher(found.out());
        assertTrue(replay.find(), found.out());
        Commands.Outcome again = hearth(replay.group(1).split(" ", -1));
        assertEquals(0, again.code(), again.err());
        assertTrue(again.out().contains("VIOLATION I4"), again.out());
    }

    @Test
    void withoutACommandItShowsHelp() {
        Commands.Outcome outcome = hearth();
        assertEquals(Exit.OK, outcome.code());
        assertTrue(outcome.out().startsWith("Usage: hearth"), outcome.out());
    }

    @ParameterizedTest
    @CsvSource({
        "statuss, 'status'",
        "trian, 'train'",
        "bench alreduce, allreduce",
    })
    void aMistypedCommandNamesTheNearest(String line, String meant) {
        Commands.Outcome outcome = hearth(line.split(" ", -1));
        assertEquals(Exit.USAGE, outcome.code());
        assertTrue(outcome.line().contains("did you mean ") && outcome.line().contains(meant), outcome.line());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void theCompletionOfAShellHasCommandsAndOptions(String shell) {
        Commands.Outcome outcome = hearth("completion", shell);
        assertEquals(Exit.OK, outcome.code());
        for (String word : List.of("allreduce", "rotate", "with-secret", "topology")) {
            assertTrue(outcome.out().contains(word), word);
        }
        assertFalse(outcome.out().contains("chaos-worker"), "a hidden command is for the program only");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "chaos --hosts 2",
                "chaos --hosts 10",
                "chaos --only nothing",
                "chaos --only killed --hosts 2",
                "chaos --only killed --duration 1m",
                "chaos --count 3",
                "chaos --only killed --count 0",
            })
    void chaosRefusesWhatMakesNoSense(String line) {
        Commands.Outcome outcome = hearth(line.split(" ", -1));
        assertEquals(Exit.USAGE, outcome.code());
        assertTrue(outcome.line().endsWith("; try 'hearth chaos --help'\n"), outcome.line());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "simulate --trace",
                "simulate --seed 1 --trace --json",
                "simulate --plant nothing",
                "simulate --seeds 0",
                "simulate --seeds -1",
                "simulate --first-seed -1",
                "simulate --seed x",
                "simulate --threads 0"
            })
    void simulateRefusesWhatMakesNoSense(String line) {
        Commands.Outcome outcome = hearth(line.split(" ", -1));
        assertEquals(2, outcome.code());
        assertTrue(outcome.line().contains("hearth simulate --help"), outcome.err());
    }

    @Test
    void initPrintsTheKeyIdAndNeverTheSecret() throws IOException {
        Commands.Outcome first = hearth("init");
        assertTrue(first.out().matches("namespace home, key id [0-9a-f]{16}\n"), first.out());
        JsonObject again = hearth("init", "home", "--json").json();
        assertFalse(again.get("new").getAsBoolean());
        assertTrue(first.out().contains(again.get("key_id").getAsString()));
        assertTrue(hearth("init", "lab", "--json").json().get("new").getAsBoolean());
        String secret = secret();
        assertFalse((first.out() + first.err() + again).contains(secret.substring(8, 20)));
    }

    @Test
    void aSecretGoesFromMachineToMachine() throws IOException {
        String keyId = hearth("init", "--json").json().get("key_id").getAsString();
        String secret = secret();

        environment.put("HEARTH_HOME", folder.resolve("other").toString());
        Commands.Outcome other = hearthWithInput(secret + "\n", "init", "--secret-file", "-", "--json");
        assertEquals(keyId, other.json().get("key_id").getAsString());

        environment.put("HEARTH_HOME", folder.resolve("third").toString());
        Path file = Files.writeString(folder.resolve("file"), secret);
        assertEquals(
                keyId,
                hearth("init", "home", "--secret-file=" + file, "--json")
                        .json()
                        .get("key_id")
                        .getAsString());
    }

    @Test
    void initNeverReplacesASecret() throws IOException {
        hearth("init");
        String secret = secret();
        environment.put("HEARTH_HOME", folder.resolve("other").toString());
        hearth("init");
        String kept = secret();
        Commands.Outcome refused = hearthWithInput(secret, "init", "--secret-file", "-");
        assertEquals(Exit.FAILED, refused.code());
        assertTrue(refused.line().contains("not overwritten"));
        assertEquals(kept, secret());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "password123",
                "",
                "hearth1-x",
                "correct horse battery staple",
                "hearth1-password123",
                "0123456789abcdef0123456789abcdef"
            })
    void aPassphraseIsRefusedWithTheRemedy(String text) {
        Commands.Outcome refused = hearthWithInput(text, "init", "--secret-file", "-");
        assertEquals(Exit.FAILED, refused.code());
        assertTrue(refused.line().contains("'hearth init home'"), refused.err());
        assertFalse(Files.exists(folder.resolve("home/namespace.toml")));
    }

    @Test
    void theSecretIsShownToATerminalOnly() throws IOException {
        hearth("init");
        Commands.Outcome piped = hearth("secret", "show");
        assertEquals(Exit.FAILED, piped.code());
        assertTrue(piped.line().contains("not a terminal"));
        Commands.Outcome shown = run(true, "", "secret", "show");
        assertEquals(secret() + "\n", shown.out());
        assertEquals(shown, run(true, "", "secret", "show", "home"));
    }

    @Test
    void withoutASecretTheWayToOneIsSaid() {
        Commands.Outcome refused = run(true, "", "secret", "show");
        assertEquals(Exit.FAILED, refused.code());
        assertTrue(refused.line().contains("'hearth init home'"), refused.err());
    }

    @Test
    void resetMakesAnotherIdentityAndKeepsTheFormer() throws IOException {
        String former = hearth("id").out();
        JsonObject reset = hearth("identity", "reset", "--json").json();
        assertNotEquals(former.strip(), reset.get("id").getAsString());
        assertEquals(reset.get("id").getAsString(), hearth("id").out().strip());
        assertTrue(Files.readString(Path.of(reset.get("kept").getAsString())).contains(former.strip()));
    }

    @Test
    void resetIsTheWayOutOfADamagedKey() throws IOException {
        hearth("id");
        Files.writeString(folder.resolve("home/identity.pem"), "half");
        Commands.Outcome refused = hearth("id");
        assertEquals(Exit.FAILED, refused.code());
        assertTrue(refused.line().contains("'hearth identity reset'"), refused.err());
        assertEquals(Exit.OK, hearth("identity", "reset").code());
        assertEquals(Exit.OK, hearth("id").code());
    }

    @Test
    void anUnusableHomeIsOneLine() throws IOException {
        Path home = Files.createDirectory(folder.resolve("home"));
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
        Commands.Outcome refused = hearth("id");
        assertEquals(Exit.FAILED, refused.code());
        assertTrue(refused.line().contains("chmod 700"), refused.err());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "id --bogus|hearth id",
                "bogus|hearth",
                "id extra|hearth id",
                "secret|hearth secret",
                "secret bogus|hearth secret",
                "identity|hearth identity",
                "init Home|hearth init",
                "init a b|hearth init",
                "init --secret-file|hearth init",
                "--bogus|hearth",
                "id --bo\u001b[31m\ngus|hearth id"
            })
    void aWrongCommandLineIsOneLineThatNamesTheHelp(String line) {
        String[] parts = line.split("\\|", -1);
        Commands.Outcome refused = hearth(parts[0].split(" ", -1));
        assertEquals(Exit.USAGE, refused.code());
        assertTrue(refused.line().endsWith("; try '" + parts[1] + " --help'\n"), refused.err());
        assertFalse(refused.err().contains("\u001b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "id", "init", "secret", "secret show", "identity", "identity reset", "version"})
    void everyCommandHasHelp(String command) {
        Commands.Outcome help = hearth((command + " --help").strip().split(" ", -1));
        assertEquals(Exit.OK, help.code());
        assertTrue(help.out().startsWith("Usage: hearth"), help.out());
        assertEquals("", help.err());
    }

    @Test
    void versionNamesHearthAndJava() {
        assertTrue(hearth("version").out().startsWith("hearth "));
        assertEquals(hearth("version").out(), hearth("--version").out());
        assertEquals(
                Runtime.version().toString(),
                hearth("version", "--json").json().get("java").getAsString());
    }

    @Test
    void aStackTraceIsForThoseWhoAskForIt() {
        environment.put("HEARTH_TRACE", "1");
        Commands.Outcome traced = hearth("secret", "show");
        assertTrue(traced.err().contains("\tat io.hearth.cli.namespace.SecretShowCommand"), traced.err());
    }

    private Commands.Outcome hearth(String... arguments) {
        return run(false, "", arguments);
    }

    private Commands.Outcome hearthWithInput(String input, String... arguments) {
        return run(false, input, arguments);
    }

    private Commands.Outcome run(boolean interactive, String input, String... arguments) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var terminal = new Terminal(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                environment,
                interactive);
        int code = Main.run(terminal, arguments);
        return new Commands.Outcome(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** The first secret in the home of this test. */
    private String secret() throws IOException {
        Matcher found = SECRET.matcher(
                Files.readString(Path.of(String.valueOf(environment.get("HEARTH_HOME")), "namespace.toml")));
        assertTrue(found.find());
        return found.group(1);
    }
}
