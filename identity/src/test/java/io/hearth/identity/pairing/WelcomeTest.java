package io.hearth.identity.pairing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.SecretText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

final class WelcomeTest {
    private static final NodeId SPONSOR = new NodeId(NodeIdentity.generate().peer(), "pair");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("home");

    private NamespaceFile file() throws SetupException {
        return NamespaceFile.in(HearthHome.open(folder.resolve("home")));
    }

    @Test
    void whatIsWrittenIsRead() throws MalformedMessageException {
        byte[] roster = new byte[200_000];
        roster[7] = 7;
        var welcome = new Welcome(namespace, roster);
        Welcome read = Welcome.decode(welcome.encode());
        assertEquals(namespace, read.namespace());
        assertArrayEquals(roster, read.roster());
        assertFalse(welcome.toString().contains(SecretText.of(namespace).substring(20, 30)));
    }

    @Test
    void whatIsCutOrEditedIsRejectedOrAnotherWelcome() {
        byte[] right = new Welcome(namespace, new byte[3]).encode();
        for (int length = 0; length < right.length; length++) {
            int cut = length;
            assertThrows(MalformedMessageException.class, () -> Welcome.decode(Arrays.copyOf(right, cut)));
        }
        assertThrows(MalformedMessageException.class, () -> Welcome.decode(Arrays.copyOf(right, right.length + 1)));
        assertThrows(MalformedMessageException.class, () -> Welcome.decode(new byte[Welcome.BYTES_MAX + 1]));
        var random = new SplittableRandom(5);
        for (int i = 0; i < 20_000; i++) {
            byte[] edited = right.clone();
            edited[random.nextInt(12)] = (byte) random.nextInt();
            try {
                assertTrue(NetworkNamespace.isName(
                        Welcome.decode(edited).namespace().name()));
            } catch (MalformedMessageException rejected) {
                assertTrue(String.valueOf(rejected.getMessage()).length() < 200);
            }
        }
    }

    @Test
    void anOpenNamespaceOrTooLargeARosterIsNoWelcome() {
        assertThrows(IllegalArgumentException.class, () -> new Welcome(NetworkNamespace.open("home"), new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> new Welcome(namespace, new byte[Welcome.BYTES_MAX]));
    }

    @Test
    void aNewcomerKeepsTheNamespaceForItselfAlone() throws Exception {
        var newcomer = new NamespaceNewcomer(file());
        newcomer.demandNone();
        byte[] welcome = new NamespaceSponsor(namespace).welcome(SPONSOR, "kitchen");
        newcomer.accept(SPONSOR, "study", welcome);
        assertEquals(namespace, file().find("home").orElseThrow());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file().path())));
        assertEquals(
                new NamespaceNewcomer.Joined("home", namespace.keyId()),
                newcomer.joined().orElseThrow());
        newcomer.accept(SPONSOR, "study", welcome); // the same again changes nothing
    }

    @Test
    void aMachineThatIsInANamespaceStaysThere() throws Exception {
        NetworkNamespace other = NetworkNamespace.create("lab");
        file().add(other);
        var newcomer = new NamespaceNewcomer(file());
        String before = said(newcomer::demandNone);
        assertTrue(before.contains("namespace lab") && before.contains("remove the table [lab] from "), before);
        byte[] welcome = new NamespaceSponsor(namespace).welcome(SPONSOR, "kitchen");
        String after = said(() -> newcomer.accept(SPONSOR, "study", welcome));
        assertEquals(before, after);
        assertEquals(List.of("lab"), file().names());
    }

    @Test
    void anotherSecretOfTheSameNameIsNotOverwritten() throws Exception {
        NetworkNamespace own = NetworkNamespace.create("home");
        file().add(own);
        byte[] welcome = new NamespaceSponsor(namespace).welcome(SPONSOR, "kitchen");
        var newcomer = new NamespaceNewcomer(file());
        assertThrows(SetupException.class, () -> newcomer.accept(SPONSOR, "study", welcome));
        assertEquals(own, file().find("home").orElseThrow());
    }

    @Test
    void aWelcomeOfAnotherVersionIsOneLine() throws Exception {
        byte[] welcome = new NamespaceSponsor(namespace).welcome(SPONSOR, "kitchen");
        welcome[0] = 9;
        String said = said(() -> new NamespaceNewcomer(file()).accept(SPONSOR, "study", welcome));
        assertTrue(said.contains("update Hearth on both machines"), said);
        assertFalse(new String(welcome, StandardCharsets.ISO_8859_1).contains(said));
    }

    private static String said(Executable refused) {
        return String.valueOf(assertThrows(SetupException.class, refused).getMessage());
    }
}
