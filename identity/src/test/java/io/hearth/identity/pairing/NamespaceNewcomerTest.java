package io.hearth.identity.pairing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Ed25519;
import io.hearth.identity.roster.GrantKind;
import io.hearth.identity.roster.Roster;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterDesk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

final class NamespaceNewcomerTest {
    private static final NodeId SPONSOR = new NodeId(NodeIdentity.generate().peer(), "pair");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("home");

    private NamespaceFile file() throws SetupException {
        return NamespaceFile.in(home("home"));
    }

    @Test
    void whatIsCutOrEditedIsRejectedOrAnotherWelcome() throws Exception {
        byte[] right = welcome();
        for (int length = 0; length < right.length; length += 7) {
            byte[] cut = Arrays.copyOf(right, length);
            assertThrows(SetupException.class, () -> new NamespaceNewcomer(home("cut")).accept(SPONSOR, "", cut));
        }
        byte[] huge = new byte[RosterDesk.WELCOME_BYTES_MAX + 1];
        assertThrows(SetupException.class, () -> new NamespaceNewcomer(home("cut")).accept(SPONSOR, "", huge));
        assertEquals(List.of(), NamespaceFile.in(home("cut")).names());
        var random = new SplittableRandom(5);
        for (int i = 0; i < 2_000; i++) {
            byte[] edited = right.clone();
            edited[random.nextInt(edited.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                assertTrue(NetworkNamespace.isName(RosterDesk.namespace(edited)));
            } catch (MalformedMessageException rejected) {
                assertTrue(String.valueOf(rejected.getMessage()).length() < 200);
            }
        }
    }

    @Test
    void anOpenNamespaceHasNoSponsor() {
        assertThrows(
                SetupException.class,
                () -> new NamespaceSponsor(home("open"), NetworkNamespace.open("home"), "", Clock.system()));
    }

    @Test
    void aWelcomeForAnotherMachineIsNone() throws Exception {
        byte[] welcome = welcome();
        String said = said(() -> new NamespaceNewcomer(home("third")).accept(SPONSOR, "study", welcome));
        assertTrue(said.contains("does not list this machine"), said);
        assertEquals(List.of(), NamespaceFile.in(home("third")).names());
    }

    @Test
    void whoMissedASecretPairsAgain() throws Exception {
        var newcomer = new NamespaceNewcomer(home("home"));
        newcomer.accept(SPONSOR, "study", welcome());
        HearthHome sponsor = home("sponsor");
        for (int change = 0; change < 2; change++) {
            var desk =
                    new RosterDesk(sponsor, namespace, IdentityFile.in(sponsor).loadOrCreate(), "study");
            desk.rotate(Map.of(), 7_000);
        }
        newcomer.requireRoom();
        newcomer.accept(SPONSOR, "study", welcome());
        assertEquals(3, file().find("home").orElseThrow().generation());
    }

    @Test
    void aRemovalThatOnlyThisMachineKnowsOutlivesItsPairing() throws Exception {
        var newcomer = new NamespaceNewcomer(home("home"));
        HearthHome sponsor = home("sponsor");
        var sponsors =
                new RosterDesk(sponsor, namespace, IdentityFile.in(sponsor).loadOrCreate(), "study");
        PeerId stolen = NodeIdentity.generate().peer();
        var _ = sponsors.found(1);
        var _ = sponsors.grant(stolen, "stolen", GrantKind.PAIRED, 1);
        newcomer.accept(SPONSOR, "study", welcome());
        var own = new RosterDesk(
                home("home"), namespace, IdentityFile.in(home("home")).loadOrCreate(), "kitchen");
        var _ = own.remove(List.of(stolen), Map.of(), 2); // no other machine gets it
        RosterBook removed = own.book();
        assertEquals(removed.keyId(), own.remove(List.of(stolen), Map.of(), 3).keyId(), "once is enough");
        newcomer.accept(SPONSOR, "study", welcome());
        assertTrue(own.book().roster().isRemoved(stolen));
        assertEquals(List.of(), newcomer.joined().orElseThrow().forgotten());
        assertTrue(own.book().isRotationDue(), "the sponsor's secret is one that it knows");
    }

    /** The sponsor removed the machine that signed the removal: the removal no longer counts, and a person has to know. */
    @Test
    void aRemovalThatDoesNotCountAnyMoreIsNamed() throws Exception {
        var newcomer = new NamespaceNewcomer(home("home"));
        HearthHome sponsor = home("sponsor");
        var sponsors =
                new RosterDesk(sponsor, namespace, IdentityFile.in(sponsor).loadOrCreate(), "study");
        PeerId stolen = NodeIdentity.generate().peer();
        var _ = sponsors.found(1);
        var _ = sponsors.grant(stolen, "stolen", GrantKind.PAIRED, 1);
        newcomer.accept(SPONSOR, "study", welcome());
        NodeIdentity former = IdentityFile.in(home("home")).loadOrCreate();
        var own = new RosterDesk(home("home"), namespace, former, "kitchen");
        var _ = own.remove(List.of(stolen), Map.of(), 2);
        var _ = sponsors.remove(List.of(former.peer()), Map.of(), 3);
        var _ = IdentityFile.in(home("home")).reset();
        newcomer.accept(SPONSOR, "study", welcome());
        assertEquals(List.of(stolen), newcomer.joined().orElseThrow().forgotten());
    }

    @Test
    void oneNamespaceThatItWasPairedToLetsItPairAgainThere() throws Exception {
        var newcomer = new NamespaceNewcomer(home("home"));
        newcomer.accept(SPONSOR, "study", welcome());
        file().add(NetworkNamespace.create("alpha"));
        newcomer.requireRoom();
        newcomer.accept(SPONSOR, "study", welcome());
    }

    private RosterDesk desk(String name) throws SetupException {
        return new RosterDesk(home(name), namespace, IdentityFile.in(home(name)).loadOrCreate(), name);
    }

    /** Two machines of one secret founded a roster; the one that is paired again replaces its own roster by the other one. */
    @Test
    void aSecondFounderThatIsPairedComesIntoTheRosterOfTheOther() throws Exception {
        file().add(namespace);
        var _ = desk("home").found(1);
        PeerId third = NodeIdentity.generate().peer();
        var _ = desk("home").grant(third, "third", GrantKind.PAIRED, 2);
        PeerId self = IdentityFile.in(home("home")).loadOrCreate().peer();
        var newcomer = new NamespaceNewcomer(home("home"));
        newcomer.requireRoom();
        newcomer.accept(SPONSOR, "study", welcome());
        Roster after = desk("home").book().roster();
        assertEquals(desk("sponsor").book().roster(), after);
        assertTrue(after.isMember(self) && !after.isMember(third), after.toString());
        var _ = desk("home").remove(List.of(after.root().orElseThrow()), Map.of(), 3);
        Roster there = desk("sponsor")
                .book()
                .roster()
                .merged(desk("home").book().roster().entries(), Ed25519.INSTANCE)
                .roster();
        assertTrue(there.isRemoved(after.root().orElseThrow()), "what it signs counts there");
    }

    /** The welcome that the sponsor's machine sends to this one. */
    private byte[] welcome() throws SetupException {
        var joiner = new NodeId(IdentityFile.in(home("home")).loadOrCreate().peer(), "join");
        var _ = desk("sponsor").found(1);
        return new NamespaceSponsor(home("sponsor"), namespace, "study", Clock.system()).welcome(joiner, "kitchen");
    }

    private HearthHome home(String name) throws SetupException {
        return HearthHome.open(folder.resolve(name));
    }

    @Test
    void aNewcomerKeepsTheNamespaceForItselfAlone() throws Exception {
        var newcomer = new NamespaceNewcomer(home("home"));
        newcomer.requireRoom();
        byte[] welcome = welcome();
        newcomer.accept(SPONSOR, "study", welcome);
        assertEquals(namespace, file().find("home").orElseThrow());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file().path())));
        assertEquals(
                new NamespaceNewcomer.Joined("home", namespace.keyId(), List.of()),
                newcomer.joined().orElseThrow());
        newcomer.accept(SPONSOR, "study", welcome); // the same again changes nothing
    }

    @Test
    void aMachineThatIsInANamespaceStaysThere() throws Exception {
        NetworkNamespace other = NetworkNamespace.create("lab");
        file().add(other);
        var newcomer = new NamespaceNewcomer(home("home"));
        String before = said(newcomer::requireRoom);
        assertTrue(before.contains("namespace lab") && before.contains("remove the table [lab] from "), before);
        byte[] welcome = welcome();
        String after = said(() -> newcomer.accept(SPONSOR, "study", welcome));
        assertEquals(before, after);
        assertEquals(List.of("lab"), file().names());
    }

    @Test
    void anotherSecretOfTheSameNameIsNotOverwritten() throws Exception {
        NetworkNamespace own = NetworkNamespace.create("home");
        file().add(own);
        byte[] welcome = welcome();
        var newcomer = new NamespaceNewcomer(home("home"));
        assertThrows(SetupException.class, () -> newcomer.accept(SPONSOR, "study", welcome));
        assertEquals(own, file().find("home").orElseThrow());
    }

    @Test
    void aWelcomeOfAnotherVersionIsOneLine() throws Exception {
        byte[] welcome = welcome();
        welcome[0] = 9;
        String said = said(() -> new NamespaceNewcomer(home("home")).accept(SPONSOR, "study", welcome));
        assertTrue(said.contains("update Hearth on both machines"), said);
        assertFalse(new String(welcome, StandardCharsets.ISO_8859_1).contains(said));
    }

    private static String said(Executable refused) {
        return String.valueOf(assertThrows(SetupException.class, refused).getMessage());
    }
}
