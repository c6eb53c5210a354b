package io.hearth.identity.roster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

final class RosterDeskTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("home");
    private final NodeIdentity self = NodeIdentity.generate();
    private final PeerId friend = NodeIdentity.generate().peer();

    private RosterDesk desk(NodeIdentity identity) throws SetupException {
        return new RosterDesk(HearthHome.open(folder.resolve("home")), namespace, identity, "own");
    }

    private static String said(Executable refused) {
        return String.valueOf(assertThrows(SetupException.class, refused).getMessage());
    }

    @Test
    void nothingIsSignedBeforeSomebodyFounded() throws Exception {
        RosterDesk desk = desk(self);
        for (Executable each : List.<Executable>of(
                () -> desk.grant(friend, "friend", GrantKind.PAIRED, 1),
                () -> desk.remove(List.of(friend), Map.of(), 1),
                () -> desk.rotate(Map.of(friend, "friend"), 1),
                desk::requireSponsor)) {
            assertTrue(said(each).contains("no roster of namespace home"), said(each));
        }
        assertEquals(Optional.empty(), desk.book().roster().root());
        var _ = desk.found(1);
        assertTrue(desk.grant(friend, "friend", GrantKind.PAIRED, 1).isMember(friend));
        assertEquals(desk.book().roster(), desk.found(2).roster(), "once");
    }

    @Test
    void thereIsOneFounder() throws Exception {
        NodeIdentity first = NodeIdentity.generate();
        var _ = desk(first).found(1);
        assertTrue(said(() -> desk(self).found(2)).contains(first.peer().shortText()));
        assertEquals(Optional.of(first.peer()), desk(self).book().roster().root());
    }

    /** A machine that is on the roster already may pair again, so the warning of a full roster names that use of the code. */
    @Test
    void aFullRosterIsSaidBeforeACodeIsShown() throws Exception {
        RosterDesk desk = desk(self);
        RosterBook founded = desk.found(1);
        assertEquals(Optional.empty(), desk.requireSponsor());
        Signatures.Hand hand = Ed25519.hand(self);
        var entries = new ArrayList<RosterEntry>();
        for (int number = 1; number < Roster.GRANTS_MAX; number++) {
            var grant = new RosterEntry.Grant(Hands.peer(number), self.peer(), "m", GrantKind.PAIRED, 1, Bytes.EMPTY);
            entries.add(grant.signed(hand.sign(RosterEncoding.words("home", grant))));
        }
        Roster full = founded.roster().merged(entries, Ed25519.INSTANCE).roster();
        var _ = RosterFile.in(HearthHome.open(folder.resolve("home")), "home")
                .change(namespace, book -> book.with(full));
        assertEquals(Roster.GRANTS_MAX, desk.book().roster().members().size());
        assertTrue(desk.requireSponsor().orElse("").contains("hearth remove"));
        assertTrue(said(() -> desk.grant(friend, "friend", GrantKind.PAIRED, 2)).contains("no room"));
        assertTrue(desk.grant(Hands.peer(7), "m", GrantKind.PAIRED, 2).isMember(Hands.peer(7)), "paired again");
    }
}
