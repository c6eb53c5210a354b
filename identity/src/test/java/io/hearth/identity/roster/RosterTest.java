package io.hearth.identity.roster;

import static io.hearth.identity.roster.Hands.founder;
import static io.hearth.identity.roster.Hands.grant;
import static io.hearth.identity.roster.Hands.peer;
import static io.hearth.identity.roster.Hands.removal;
import static io.hearth.identity.roster.Hands.roster;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.identity.roster.Roster.Drop;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class RosterTest {
    @Test
    void theFounderGrantsAndTheGrantedGrant() {
        Roster roster = roster(founder(1), grant(1, 2), grant(2, 3));
        assertEquals(new TreeSet<>(Set.of(peer(1), peer(2), peer(3))), roster.members());
        assertEquals(new TreeSet<>(Set.of(peer(3))), roster.introducedBy(peer(2)));
        assertEquals("m3", roster.grant(peer(3)).orElseThrow().label());
    }

    /** Attack 19: resurrection. */
    @Test
    void aRemovalBeatsEveryGrantForEver() {
        Roster roster = roster(founder(1), grant(1, 2), grant(1, 3), removal(1, 3));
        assertFalse(roster.isMember(peer(3)));
        for (int times = 0; times < 100; times++) {
            Roster.Merged merged = roster.merged(List.of(grant(1, 3), grant(2, 3)), Hands.INSTANCE);
            assertEquals(Map.of(Drop.REMOVED, 1), merged.dropped());
            assertTrue(merged.roster().isRemoved(peer(3)) && !merged.roster().isMember(peer(3)));
            roster = merged.roster();
        }
    }

    @Test
    void whomARemovedMachineIntroducedGoesWithItUnlessAnotherGrantsIt() {
        Roster alone = roster(founder(1), grant(1, 2), grant(2, 3), grant(2, 4), grant(1, 4), removal(1, 2));
        assertFalse(alone.isMember(peer(3)));
        assertFalse(alone.isRemoved(peer(3)));
        assertTrue(alone.isMember(peer(4)));
    }

    /** Attacks 19 and 22: entries with a forged author, or with one without standing. */
    @Test
    void whatStrangersAndForgersSignIsDroppedAndCounted() {
        Roster roster = roster(founder(1), grant(1, 2));
        RosterEntry forged = grant(1, 7).signed(grant(9, 8).signature());
        Roster.Merged merged = roster.merged(List.of(grant(9, 8), removal(9, 1), forged, founder(9)), Hands.INSTANCE);
        assertEquals(roster, merged.roster());
        assertEquals(Map.of(Drop.BAD_SIGNATURE, 1, Drop.BAD_SIGNER, 2, Drop.OTHER_FOUNDER, 1), merged.dropped());
    }

    @Test
    void anEntryOfAnotherNamespaceHasAWrongSignatureHere() {
        var elsewhere = new RosterEntry.Grant(peer(5), peer(1), "x", GrantKind.PAIRED, 1, Bytes.EMPTY);
        RosterEntry signed = elsewhere.signed(Hands.hand(1).sign(RosterEncoding.words("other", elsewhere)));
        Roster.Merged merged = roster(founder(1)).merged(List.of(signed), Hands.INSTANCE);
        assertEquals(Map.of(Drop.BAD_SIGNATURE, 1), merged.dropped());
    }

    @Test
    void twoThatRemoveOneAnotherAreBothOutInAnyOrder() {
        Roster roster = roster(founder(1), grant(1, 2), grant(1, 3));
        Roster one = roster.merged(List.of(removal(2, 3)), Hands.INSTANCE)
                .roster()
                .merged(List.of(removal(3, 2)), Hands.INSTANCE)
                .roster();
        Roster other = roster.merged(List.of(removal(3, 2), removal(2, 3)), Hands.INSTANCE)
                .roster();
        assertEquals(one, other);
        assertEquals(new TreeSet<>(Set.of(peer(1))), one.members());
    }

    @Test
    void aUnionIsTheSameInWhateverOrderItIsMade() {
        List<RosterEntry> entries = new ArrayList<>(List.of(
                founder(1),
                grant(1, 2),
                grant(2, 3),
                grant(3, 4),
                grant(1, 4),
                grant(4, 5),
                removal(3, 5),
                grant(2, 6)));
        Roster expected = roster(entries.toArray(RosterEntry[]::new));
        for (int seed = 0; seed < 50; seed++) {
            Collections.shuffle(entries, new Random(seed));
            Roster roster = Roster.empty(Hands.HOME);
            for (int round = 0;
                    round < entries.size();
                    round++) { // others send all entries again as long as digests differ
                for (RosterEntry entry : entries) {
                    roster = roster.merged(List.of(entry), Hands.INSTANCE).roster();
                }
            }
            assertEquals(expected.members(), roster.members(), "seed " + seed);
            assertEquals(expected.digest(), roster.digest());
        }
    }

    @Test
    void aRosterThatIsFullTakesNoGrantAndStillTheRemovalOfEachMember() {
        Roster roster = roster(founder(1));
        for (int number = 2; number <= Roster.GRANTS_MAX; number++) {
            roster = roster.merged(List.of(grant(1, number)), Hands.INSTANCE).roster();
        }
        assertEquals(Roster.GRANTS_MAX, roster.members().size());
        assertEquals(
                Map.of(Drop.FULL, 1),
                roster.merged(List.of(grant(1, 600)), Hands.INSTANCE).dropped());
        for (int number = 700; number < 1_300; number++) { // and one floods it with removals of unknown machines
            roster = roster.merged(List.of(removal(2, number)), Hands.INSTANCE).roster();
        }
        assertEquals(
                Roster.GRANTS_MAX + Roster.UNGRANTED_BY_ONE_MAX,
                roster.entries().size());
        for (int number = 2; number <= Roster.GRANTS_MAX; number++) {
            Roster.Merged merged = roster.merged(List.of(removal(1, number)), Hands.INSTANCE);
            roster = merged.roster();
            assertEquals(Map.of(), merged.dropped());
            assertTrue(roster.isRemoved(peer(number)), "member " + number);
            assertTrue(roster.entries().size() <= Roster.ENTRIES_MAX);
        }
        assertEquals(new TreeSet<>(Set.of(peer(1))), roster.members());
    }

    @Test
    void theRosterOfAFullNamespaceFitsTheWelcomeOfAPairing() {
        Roster roster = roster(founder(1));
        for (int number = 2; number <= Roster.GRANTS_MAX; number++) {
            RosterEntry long1 = Hands.signed(
                    1,
                    new RosterEntry.Grant(
                            peer(number), peer(1), "\u00e9".repeat(63), GrantKind.PAIRED, number, Bytes.EMPTY));
            assertTrue(RosterEncoding.encode(long1).length <= RosterEntry.BYTES_MAX);
            roster = roster.merged(List.of(long1), Hands.INSTANCE).roster();
        }
        assertTrue(RosterEncoding.encode(roster).length <= RosterEncoding.ROSTER_BYTES_MAX);
        int worst =
                39 + RosterEncoding.CHARTER_BYTES_MAX + Roster.ENTRIES_MAX * (2 + 140 + RosterEntry.LABEL_BYTES_MAX);
        assertTrue(worst <= RosterEncoding.ROSTER_BYTES_MAX, "worst " + worst);
    }

    @Test
    void realSignaturesAreCheckedAndBrokenKeysVerifyNothing() {
        var identity = io.hearth.identity.NodeIdentity.generate();
        Signatures.Hand hand = Ed25519.hand(identity);
        byte[] words = {1, 2, 3};
        Bytes signature = hand.sign(words);
        assertTrue(Ed25519.INSTANCE.verify(identity.peer(), words, signature));
        assertFalse(Ed25519.INSTANCE.verify(identity.peer(), new byte[] {1, 2, 4}, signature));
        assertFalse(Ed25519.INSTANCE.verify(peer(3), words, signature));
        assertFalse(Ed25519.INSTANCE.verify(identity.peer(), words, Bytes.EMPTY));
        byte[] notAPoint = new byte[32];
        java.util.Arrays.fill(notAPoint, (byte) 0xff);
        assertFalse(Ed25519.INSTANCE.verify(io.hearth.identity.PeerId.of(notAPoint), words, signature));
    }
}
