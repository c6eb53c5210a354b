package io.hearth.identity;

import static io.hearth.identity.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NamespaceFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private HearthHome home;

    @SuppressWarnings("NullAway.Init") // set before each test
    private NamespaceFile file;

    @BeforeEach
    void openHome() throws SetupException {
        home = HearthHome.open(folder.resolve("home"));
        file = NamespaceFile.in(home);
    }

    @Test
    void whatWasAddedIsFound() throws SetupException, IOException {
        NetworkNamespace one = NetworkNamespace.create("home");
        NetworkNamespace two = NetworkNamespace.create("lab-2");
        assertEquals(Optional.empty(), file.find("home"));
        assertTrue(file.add(one));
        assertTrue(file.add(two));
        assertFalse(file.add(one));
        assertEquals(Optional.of(one), file.find("home"));
        assertEquals(Optional.of(two), file.find("lab-2"));
        assertEquals(Optional.empty(), file.find("lab"));
        assertEquals(List.of("home", "lab-2"), file.names());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path())));
    }

    @Test
    void anotherSecretOfTheSameNameIsNeverOverwritten() throws SetupException, IOException {
        NetworkNamespace first = NetworkNamespace.create("home");
        NetworkNamespace second = NetworkNamespace.create("home");
        file.add(first);
        String before = Files.readString(file.path());
        String line = assertRefused(() -> file.add(second), "not overwritten", first.keyId(), second.keyId());
        assertNoSecret(line, first, second);
        assertEquals(before, Files.readString(file.path()));
    }

    @Test
    void whatAPersonWroteStaysAsItIs() throws SetupException, IOException {
        NetworkNamespace mine = NetworkNamespace.create("mine");
        String written = "# my note\n[mine]\nsecret='" + SecretText.of(mine)
                + "' # and here\ncolour = \"green\"\n[mine.more]\nx=1";
        write(written);
        file.add(NetworkNamespace.create("home"));
        assertTrue(Files.readString(file.path()).startsWith(written + "\n"));
        assertEquals(Optional.of(mine), file.find("mine"));
        assertEquals(List.of("home", "mine"), file.names());
    }

    @Test
    void namespacesAddedAtOnceAreAllKept() throws Exception {
        List<Callable<Boolean>> adders = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            NetworkNamespace namespace = NetworkNamespace.create("space-" + i % 12);
            adders.add(() -> {
                try {
                    return NamespaceFile.in(home).add(namespace);
                } catch (SetupException another) {
                    return false;
                }
            });
        }
        int added = 0;
        try (ExecutorService executor = Executors.newFixedThreadPool(6)) {
            for (var future : executor.invokeAll(adders)) {
                added += future.get() ? 1 : 0;
            }
        }
        assertEquals(12, added);
        assertEquals(12, file.names().size());
    }

    @Test
    void aFileThatOthersCanReadOrThatLeadsElsewhereIsRefused() throws SetupException, IOException {
        file.add(NetworkNamespace.create("home"));
        Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString("rw-r-----"));
        assertRefused(() -> file.find("home"), "chmod 600");
        assertRefused(() -> file.add(NetworkNamespace.create("lab")), "chmod 600");
        Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString("rw-------"));
        Path elsewhere = folder.resolve("elsewhere");
        Files.move(file.path(), elsewhere);
        Files.createSymbolicLink(file.path(), elsewhere);
        assertRefused(() -> file.find("home"), "a symbolic link");
    }

    @Test
    void whereTheFileIsNoTomlIsSaidAndNothingOfIt() throws SetupException, IOException {
        NetworkNamespace namespace = NetworkNamespace.create("home");
        write("[home]\nsecret = " + SecretText.of(namespace) + "\n");
        assertNoSecret(assertRefused(() -> file.find("home"), "line 2"), namespace);
        write("[home]\nsecret = \"" + SecretText.of(namespace) + "\n");
        assertNoSecret(assertRefused(() -> file.find("home"), "line 2"), namespace);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "home = 1\n",
                "[home]\n",
                "[home]\nsecret = 5\n",
                "[home]\nsecret = [\"a\"]\n",
                "[[home]]\nsecret = \"x\"\n",
                "[home]\nsecret = \"password123\"\n",
                "[home.secret]\nx = 1\n"
            })
    void aTableWithoutASecretIsRefused(String content) throws IOException {
        write(content);
        assertRefused(() -> file.find("home"), "namespace.toml", "home");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{", "a={", "a=[", "[a.", "\"", "'''", "\u0000", "ÿ"})
    void contentThatIsDeepOrStrangeCannotCrash(String part) throws IOException {
        write(part.repeat(16_000 / part.length()));
        assertRefused(file::names, "namespace.toml");
    }

    @Test
    void aKeyOfThousandsOfPartsCannotCrash() throws SetupException, IOException {
        write("a.".repeat(5_000) + "a = 1\n");
        assertEquals(List.of("a"), file.names());
        assertRefused(() -> file.find("a"), "has no secret");
    }

    @Test
    void aFileThatGrewTooLargeIsRefused() throws IOException {
        write("#".repeat(20_000));
        assertRefused(file::names, "larger than");
    }

    @Test
    void withoutASecretThereIsNoNamespaceAndTheWayToOneIsSaid() throws SetupException {
        assertRefused(
                () -> lookup(Map.of()).named("home"),
                "'hearth init home'",
                "'hearth secret show home' there",
                "'hearth init home --secret-file -' here");
        file.add(NetworkNamespace.create("lab"));
        assertRefused(() -> lookup(Map.of()).named("home"), "only for lab");
        assertRefused(() -> lookup(Map.of()).named("No Name\u001b"), "'No Name'", "a-z");
    }

    @Test
    void theEnvironmentComesBeforeTheFile() throws SetupException, IOException {
        NetworkNamespace stored = NetworkNamespace.create("home");
        NetworkNamespace given = NetworkNamespace.create("home");
        file.add(stored);
        Path secret = Files.writeString(folder.resolve("secret"), SecretText.of(given) + "\n");
        assertEquals(stored, lookup(Map.of()).named("home"));
        assertEquals(stored, lookup(Map.of("HEARTH_SECRET", "")).named("home"));
        assertEquals(
                given, lookup(Map.of("HEARTH_SECRET", SecretText.of(given))).named("home"));
        assertEquals(
                given, lookup(Map.of("HEARTH_SECRET_FILE", secret.toString())).named("home"));
        assertEquals(
                given, lookup(Map.of("HEARTH_SECRET_FILE", secret.toString())).preferred());
        assertRefused(
                () -> lookup(Map.of("HEARTH_SECRET", "x", "HEARTH_SECRET_FILE", "y"))
                        .named("home"),
                "unset");
        assertRefused(() -> lookup(Map.of("HEARTH_SECRET_FILE", "/nonexistent")).named("home"), "no such file");
        assertRefused(
                () -> lookup(Map.of("HEARTH_SECRET_FILE", folder.toString())).named("home"), "HEARTH_SECRET_FILE");
    }

    @Test
    void aSecretFileThatOthersMayReadIsTakenWithAWarningThatSaysWhatToDo() throws Exception {
        NetworkNamespace given = NetworkNamespace.create("home");
        Path secret = Files.writeString(folder.resolve("secret"), SecretText.of(given) + "\n");
        NamespaceLookup lookup = lookup(Map.of("HEARTH_SECRET_FILE", secret.toString()));
        for (String mode : List.of("rw-r--r--", "rw-r-----", "r-----r--")) {
            Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString(mode));
            assertEquals(given, lookup.named("home"));
            String warning = lookup.warning().orElseThrow();
            assertTrue(warning.contains("HEARTH_SECRET_FILE") && warning.contains("chmod 600 '" + secret), warning);
            assertEquals(1, warning.lines().count());
            assertNoSecret(warning, given);
        }
        Path link = Files.createSymbolicLink(folder.resolve("link"), secret);
        assertTrue(
                lookup(Map.of("HEARTH_SECRET_FILE", link.toString())).warning().isPresent(),
                "as a container mounts it");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("r--------"));
        assertEquals(Optional.empty(), lookup.warning());
        assertEquals(Optional.empty(), lookup(Map.of()).warning());
    }

    @ParameterizedTest
    @ValueSource(strings = {"password123", "hearth1-aaaa", "0"})
    void aPassphraseInTheEnvironmentIsRefusedAndNeverReplacedByTheStoredSecret(String text) throws Exception {
        file.add(NetworkNamespace.create("home"));
        assertRefused(
                () -> lookup(Map.of("HEARTH_SECRET", text)).named("home"), "HEARTH_SECRET holds no Hearth secret");
        Path secret = Files.writeString(folder.resolve("secret"), text);
        assertRefused(
                () -> lookup(Map.of("HEARTH_SECRET_FILE", secret.toString())).named("home"),
                "HEARTH_SECRET_FILE holds no Hearth secret");
    }

    @Test
    void aNodeThatWasToldNoNameTakesTheOnlyOneOrHome() throws SetupException {
        NetworkNamespace lab = NetworkNamespace.create("lab");
        file.add(lab);
        assertEquals(lab, lookup(Map.of()).preferred());
        NetworkNamespace office = NetworkNamespace.create("office");
        file.add(office);
        assertRefused(() -> lookup(Map.of()).preferred(), "only for lab, office");
        NetworkNamespace home1 = NetworkNamespace.create("home");
        file.add(home1);
        assertEquals(home1, lookup(Map.of()).preferred());
    }

    private NamespaceLookup lookup(Map<String, String> environment) {
        return new NamespaceLookup(home, environment);
    }

    private void write(String content) throws IOException {
        Files.writeString(file.path(), content);
        Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString("rw-------"));
    }

    private static void assertNoSecret(String line, NetworkNamespace... namespaces) {
        for (NetworkNamespace namespace : namespaces) {
            String text = SecretText.of(namespace);
            for (int from = 8; from + 6 <= text.length(); from++) {
                assertFalse(line.contains(text.substring(from, from + 6)), line);
            }
        }
    }
}
