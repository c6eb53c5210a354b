package io.hearth.identity.roster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NamespaceLookup;
import io.hearth.identity.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RosterFileTest {
    private static final NetworkNamespace FIRST = Hands.secret(1, 1);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private HearthHome home;

    @SuppressWarnings("NullAway.Init") // set before each test
    private RosterFile file;

    @BeforeEach
    void openHome() throws SetupException {
        home = HearthHome.open(folder.resolve("home"));
        file = RosterFile.in(home, Hands.HOME);
        NamespaceFile.in(home).add(FIRST);
    }

    private RosterBook paired(int machines) throws SetupException {
        return file.change(FIRST, _ -> Hands.book(machines));
    }

    private RosterBook rotated() throws SetupException {
        return file.change(FIRST, book -> book.rotated(Hands.hand(1), Hands.secret(2, 5), 3, Hands.INSTANCE));
    }

    @Test
    void whatIsStoredIsReadAgainByTheNextProcess() throws SetupException, IOException {
        assertEquals(Optional.empty(), file.stored());
        assertFalse(file.load(FIRST).roster().root().isPresent());
        paired(3);
        rotated();
        RosterBook read = RosterFile.in(home, Hands.HOME).load(FIRST);
        assertEquals(Hands.secret(2, 5), read.current());
        assertEquals(Optional.of(FIRST), read.former());
        assertEquals(3, read.roster().members().size());
        assertEquals(PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(file.path()));
    }

    @Test
    void theSecretFileFollowsAndKeepsWhatElseIsInIt() throws SetupException, IOException {
        Path toml = NamespaceFile.in(home).path();
        Files.writeString(toml, Files.readString(toml) + "closed = true # mine\n");
        NetworkNamespace other = NetworkNamespace.create("other");
        NamespaceFile.in(home).add(other);
        paired(2);
        rotated();
        assertEquals(Hands.secret(2, 5), new NamespaceLookup(home, Map.of()).named(Hands.HOME));
        assertEquals(other, new NamespaceLookup(home, Map.of()).named("other"));
        assertTrue(Files.readString(toml).contains("closed = true # mine"));
        assertTrue(NamespaceFile.in(home).isClosed(Hands.HOME));
        assertFalse(NamespaceFile.in(home).isClosed("other"));
    }

    @Test
    void aCrashBetweenTheTwoFilesIsMendedByTheNextChange() throws SetupException, IOException {
        Path toml = NamespaceFile.in(home).path();
        paired(2);
        String before = Files.readString(toml);
        rotated();
        Files.writeString(toml, before); // as if the process had ended after the first of the two writes
        assertEquals(Hands.secret(2, 5), file.load(FIRST).current());
        file.change(FIRST, book -> book);
        assertEquals(Hands.secret(2, 5), new NamespaceLookup(home, Map.of()).named(Hands.HOME));
    }

    @Test
    void aDamagedFileIsOneClearLineAndStaysAsItIs() throws SetupException, IOException {
        paired(3);
        byte[] sound = Files.readAllBytes(file.path());
        for (int at = 0; at < sound.length; at += 7) {
            byte[] damaged = sound.clone();
            damaged[at] ^= 0x10;
            Files.write(file.path(), damaged);
            String why = String.valueOf(
                    assertThrows(SetupException.class, () -> file.load(FIRST)).getMessage());
            assertTrue(why.contains("is damaged") && why.contains("hearth join") && !why.contains("\n"), why);
            assertThrows(SetupException.class, () -> file.change(FIRST, book -> book));
            assertArrayEquals(damaged, Files.readAllBytes(file.path()));
        }
        for (int length : List.of(0, 1, 40, sound.length - 1)) {
            Files.write(file.path(), java.util.Arrays.copyOf(sound, length));
            assertThrows(SetupException.class, () -> file.load(FIRST));
        }
        Files.write(file.path(), sound);
        assertEquals(3, file.load(FIRST).roster().members().size());
    }

    @Test
    void anotherSecretPutInByHandIsToldAndNothingIsMixed() throws SetupException {
        paired(2);
        String why = String.valueOf(assertThrows(SetupException.class, () -> file.load(Hands.secret(1, 9)))
                .getMessage());
        assertTrue(why.contains("another secret was put in by hand"), why);
        assertFalse(why.contains("hearth1-"), why);
    }

    /** A lower generation proves nothing: only the key ids of older secrets identify the namespace of a secret. */
    @Test
    void anOlderSecretIsKnownByItsKeyIdAndNotByItsGeneration() throws SetupException {
        paired(2);
        for (int generation = 2; generation <= 5; generation++) {
            NetworkNamespace next = Hands.secret(generation, generation);
            file.change(FIRST, book -> book.rotated(Hands.hand(1), next, 3, Hands.INSTANCE));
        }
        assertEquals(Hands.secret(5, 5), file.load(FIRST).current());
        assertEquals(Hands.secret(5, 5), file.load(Hands.secret(2, 2)).current());
        assertThrows(SetupException.class, () -> file.load(Hands.secret(1, 9)));
        assertThrows(SetupException.class, () -> file.load(Hands.secret(3, 9)));
        assertFalse(file.setAsideUnless(FIRST));
        assertTrue(file.setAsideUnless(Hands.secret(1, 9)));
        assertEquals(Optional.empty(), file.stored());
        assertTrue(Files.exists(file.path().resolveSibling("roster-home.aside-1")));
    }

    @Test
    void aSecretFileThatCannotFollowStopsTheChangeBeforeItTakesEffect() throws SetupException, IOException {
        Path toml = NamespaceFile.in(home).path();
        paired(2);
        String usual = Files.readString(toml);
        Files.writeString(
                toml,
                usual.replace("\"hearth1-", "\"\\u0068earth1-")); // the same value, but no text to find and replace
        assertEquals(FIRST, new NamespaceLookup(home, Map.of()).named(Hands.HOME));
        byte[] before = Files.readAllBytes(file.path());
        assertThrows(SetupException.class, this::rotated);
        assertArrayEquals(before, Files.readAllBytes(file.path()));
        Files.writeString(toml, usual.replace('"', '\''));
        rotated();
        assertEquals(Hands.secret(2, 5), new NamespaceLookup(home, Map.of()).named(Hands.HOME));
    }

    @Test
    void manyProcessesChangeItAndNoneLosesAnothersEntries() throws Exception {
        paired(1);
        try (var threads = Executors.newFixedThreadPool(4)) {
            var changes = java.util.stream.IntStream.rangeClosed(2, 21)
                    .mapToObj(number -> threads.submit(() -> RosterFile.in(home, Hands.HOME)
                            .change(
                                    FIRST,
                                    book -> book.granted(
                                                    Hands.hand(1),
                                                    Hands.peer(number),
                                                    "",
                                                    GrantKind.PAIRED,
                                                    1,
                                                    Hands.INSTANCE)
                                            .orElseThrow())))
                    .toList();
            for (var change : changes) {
                change.get();
            }
        } catch (ExecutionException failed) {
            throw new AssertionError(failed);
        }
        assertEquals(21, file.load(FIRST).roster().members().size());
    }

    @Test
    void aChangeTellsTheVersionThatItLeft() throws SetupException {
        RosterFile.Changed stored = file.changed(FIRST, _ -> Hands.book(2));
        assertEquals(file.version(), stored.version());
        assertEquals(stored.version(), file.changed(FIRST, book -> book).version(), "nothing was stored");
        rotated();
        assertNotEquals(file.version(), stored.version());
    }

    @Test
    void aReplacementShowsInTheVersion() throws SetupException {
        String none = file.version();
        paired(1);
        String one = file.version();
        rotated();
        assertNotEquals(none, one);
        assertNotEquals(one, file.version());
    }
}
