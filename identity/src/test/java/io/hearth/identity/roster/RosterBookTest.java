package io.hearth.identity.roster;

import static io.hearth.identity.roster.Hands.book;
import static io.hearth.identity.roster.Hands.grant;
import static io.hearth.identity.roster.Hands.hand;
import static io.hearth.identity.roster.Hands.peer;
import static io.hearth.identity.roster.Hands.removal;
import static io.hearth.identity.roster.Hands.secret;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.SetupException;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.RosterBook.Offer;
import io.hearth.identity.roster.RosterBook.Verdict;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class RosterBookTest {
    private static RosterBook remove(RosterBook book, int by, int seed, PeerId... machines) {
        return book.without(
                        hand(by), List.of(machines), secret(book.current().generation() + 1, seed), 9, Hands.INSTANCE)
                .orElseThrow();
    }

    private static RosterBook heard(RosterBook own, RosterBook other) {
        return own.with(
                own.roster().merged(other.roster().entries(), Hands.INSTANCE).roster());
    }

    private static Verdict judge(RosterBook own, RosterBook other, int self) {
        return heard(own, other).judge(other.offer().orElseThrow(), peer(self), Hands.INSTANCE);
    }

    private static RosterBook adopted(RosterBook own, RosterBook other, int self) {
        return assertInstanceOf(Verdict.Adopted.class, judge(own, other, self)).book();
    }

    @Test
    void aMemberThatWasAwayTakesTheNewSecretOfAnIssuerThatItKnows() {
        RosterBook before = book(4);
        RosterBook after = remove(before, 2, 7, peer(4));
        RosterBook sleeper = adopted(before, after, 3);
        assertEquals(after.current(), sleeper.current());
        assertEquals(Optional.of(before.current()), sleeper.former());
        assertTrue(sleeper.roster().isRemoved(peer(4)));
        assertFalse(sleeper.isRotationDue());
        assertInstanceOf(Verdict.Kept.class, judge(after, after, 2));
    }

    @Test
    void theFoundersRemovalTakesNobodyAlong() {
        RosterBook after = remove(book(4), 2, 7, peer(1));
        for (int self = 2; self <= 4; self++) {
            assertTrue(after.roster().isMember(peer(self)));
        }
        assertTrue(after.roster().isRemoved(peer(1)));
        RosterBook sleeper = adopted(book(4), after, 3);
        assertTrue(sleeper.roster().isMember(peer(4)));
        assertTrue(sleeper.granted(hand(3), peer(9), "m9", GrantKind.PAIRED, 1, Hands.INSTANCE)
                .isPresent());
    }

    @Test
    void whatARemovedMachineSignsAfterTheNewSecretCountsNowhere() {
        RosterBook after = remove(book(4), 2, 7, peer(4));
        Roster.Merged merged =
                after.roster().merged(List.of(removal(4, 1), grant(4, 9), grant(9, 10), removal(9, 2)), Hands.INSTANCE);
        assertEquals(after.roster(), merged.roster());
        assertEquals(Map.of(Roster.Drop.BAD_SIGNER, 4), merged.dropped());
    }

    /** Attack 20: rogue generation. */
    @Test
    void aSecretOfAMachineThatWasRemovedIsGivenUpForThatOfAMember() {
        RosterBook before = book(4);
        RosterBook victim = adopted(
                before,
                new RosterBook(before.roster().under(charter(before, 4, 11, 66)), secret(11, 66), Optional.empty()),
                3);
        assertEquals(11, victim.current().generation());
        RosterBook after = remove(before, 2, 7, peer(4));
        assertEquals(Common.DIVERGED, common(victim, after));
        RosterBook cured = adopted(victim, after, 3);
        assertEquals(after.current(), cured.current());
        assertEquals(Optional.of(before.current()), cured.former(), "never the one that a removed machine knows");
        assertInstanceOf(Verdict.PairAgain.class, judge(after, victim, 2));
    }

    @Test
    void ofTwoSecretsOfOneGenerationTheLowerKeyIdLivesOnAndIsReplacedThen() {
        RosterBook before = book(6);
        RosterBook one = remove(before, 1, 7, peer(5));
        RosterBook other = remove(before, 2, 8, peer(6));
        assertEquals(Common.DIVERGED, common(one, other));
        boolean isFirst = one.keyId().hex().compareTo(other.keyId().hex()) < 0;
        RosterBook winner = isFirst ? one : other;
        RosterBook loser = isFirst ? other : one;
        assertInstanceOf(Verdict.Kept.class, judge(winner, loser, isFirst ? 1 : 2));
        RosterBook moved = adopted(loser, winner, isFirst ? 2 : 1);
        assertEquals(winner.current(), moved.current());
        assertEquals(Optional.of(loser.current()), moved.former());
        assertTrue(moved.isRotationDue());
        assertTrue(heard(winner, loser).isRotationDue());
        RosterBook last = moved.rotated(hand(3), secret(3, 9), 10, Hands.INSTANCE);
        assertFalse(last.isRotationDue());
        assertTrue(last.roster().isRemoved(peer(5)) && last.roster().isRemoved(peer(6)));
        assertEquals(
                last.current(),
                adopted(heard(winner, loser), last, isFirst ? 1 : 2).current());
    }

    @Test
    void offersWithAnythingWrongDoNotCount() {
        RosterBook before = book(4);
        RosterBook after = remove(before, 2, 7, peer(4));
        Offer good = after.offer().orElseThrow();
        RosterBook own = heard(before, after);
        List<Offer> bad = List.of(
                new Offer(good.charter(), secret(2, 8)),
                new Offer(good.charter(), secret(3, 7)),
                new Offer(good.charter().signed(Bytes.of(new byte[64])), secret(2, 7)),
                new Offer(charter(before, 9, 2, 7), secret(2, 7)),
                new Offer(charter(before, 2, 1_000, 7), secret(1_000, 7)),
                new Offer(charter(before, 2, Integer.MAX_VALUE, 7), secret(Integer.MAX_VALUE, 7)));
        for (Offer offer : bad) {
            assertInstanceOf(
                    Verdict.Rejected.class,
                    own.judge(offer, peer(3), Hands.INSTANCE),
                    () -> offer.charter().toString());
        }
        RosterBook without = remove(before, 2, 7, peer(3));
        assertInstanceOf(Verdict.PairAgain.class, judge(before, without, 3));
    }

    /** Attacks 18 and 20: a charter that invents, marks or leaves out machines. */
    @Test
    void aCharterIsBelievedOnlyAsFarAsEntriesBackIt() {
        RosterBook before = book(4);
        var all = before.roster().members();
        var withSybil = new TreeSet<>(all);
        withSybil.add(peer(9));
        var short1 = new TreeSet<>(all);
        short1.remove(peer(2));
        short1.remove(peer(1));
        List<Charter> bad = List.of(
                charter(4, 2, 66, withSybil, List.of()),
                charter(4, 60, 66, withSybil, List.of(Charter.mark(peer(2)))),
                charter(4, 2, 66, all, List.of(Charter.mark(peer(2)))),
                charter(4, 2, 66, all, List.of(Charter.mark(peer(77)))),
                charter(4, 2, 66, short1, List.of()));
        for (Charter charter : bad) {
            assertInstanceOf(
                    Verdict.Kept.class,
                    before.judge(new Offer(charter, secret(charter.generation(), 66)), peer(3), Hands.INSTANCE),
                    () -> charter.toString());
        }
        Offer honest = new Offer(charter(4, 2, 66, all, List.of()), secret(2, 66));
        assertInstanceOf(Verdict.Adopted.class, before.judge(honest, peer(3), Hands.INSTANCE));
        Offer later = new Offer(charter(4, 2, 66, withSybil, List.of()), secret(2, 66));
        Roster granted =
                before.roster().merged(List.of(grant(2, 9)), Hands.INSTANCE).roster();
        assertInstanceOf(Verdict.Adopted.class, before.with(granted).judge(later, peer(3), Hands.INSTANCE));
    }

    /** A machine that was asleep makes a secret in good faith, for one that the removed machine granted: that secret is given up. */
    @Test
    void aSecretThatListsWhomARemovedMachineGrantedYieldsWhateverItsKeyId() {
        RosterBook before = book(4);
        RosterBook removed = remove(before, 2, 7, peer(4));
        for (int seed = 20; seed < 30; seed++) {
            Roster lied = before.roster()
                    .merged(List.of(grant(4, 9), grant(9, 4)), Hands.INSTANCE)
                    .roster();
            RosterBook laundered = before.with(lied).rotated(hand(3), secret(2, seed), 5, Hands.INSTANCE);
            assertTrue(laundered.roster().isMember(peer(9)));
            assertInstanceOf(Verdict.Kept.class, judge(removed, laundered, 2));
            assertFalse(adopted(laundered, removed, 3).roster().isMember(peer(9)));
        }
    }

    /** A machine that removed its only granter keeps its standing by that removal, because no other machine vouches for it. */
    @Test
    void whoRemovesItsOnlyGranterIsBelievedAndTakesItsOwnAlong() {
        RosterBook before = book(2);
        Roster chain = before.roster()
                .merged(List.of(grant(2, 3), grant(2, 4), grant(3, 5)), Hands.INSTANCE)
                .roster();
        RosterBook after = remove(before.with(chain), 3, 7, peer(2));
        Roster early = heard(before.with(chain), after).roster(); // the secret is still on its way
        for (int member : List.of(1, 3, 4, 5)) {
            assertTrue(early.isMember(peer(member)), "member " + member);
        }
        for (int self : List.of(1, 4, 5)) {
            RosterBook sleeper = adopted(before.with(chain), after, self);
            for (int member : List.of(1, 3, 4, 5)) {
                assertTrue(sleeper.roster().isMember(peer(member)), "member " + member);
            }
        }
        RosterBook third = adopted(before.with(chain), after, 1).rotated(hand(1), secret(3, 8), 6, Hands.INSTANCE);
        RosterBook fresh = adopted(after, third, 3);
        assertTrue(fresh.roster().isMember(peer(3)));
        assertTrue(third.roster().unsupported().isEmpty());
    }

    @Test
    void aChainThatOnlyTheRemovedOneBeganIsAskedForLinkByLink() {
        Roster roster = book(3).roster()
                .merged(List.of(grant(3, 4), grant(4, 5), grant(5, 4), grant(2, 6), grant(3, 6)), Hands.INSTANCE)
                .roster();
        assertEquals(new TreeSet<>(Set.of(peer(4))), roster.introducedBy(peer(3)));
        assertEquals(new TreeSet<>(Set.of(peer(5))), roster.introducedBy(Set.of(peer(3), peer(4)), Set.of(peer(1))));
        assertEquals(new TreeSet<>(), roster.introducedBy(Set.of(peer(3)), Set.of(peer(1), peer(4))));
        RosterBook issued = book(3).rotated(hand(3), secret(2, 2), 1, Hands.INSTANCE);
        Charter bare = charter(3, 2, 2, new TreeSet<>(Set.of(peer(1), peer(2), peer(3), peer(9))), List.of());
        assertEquals(new TreeSet<>(), issued.roster().introducedBy(peer(3)));
        assertEquals(
                new TreeSet<>(Set.of(peer(9))), book(3).roster().under(bare).introducedBy(peer(3)));
    }

    /** Even with a full roster, a machine that was away for one generation accepts the charter of the others. */
    @Test
    void aSleeperBelievesTheCharterOfAFullRoster() {
        RosterBook book = book(Roster.GRANTS_MAX);
        for (int number = 2; number <= 5; number++) { // and second witnesses
            book = book.with(book.roster()
                    .merged(List.of(grant(number, number + 1), grant(number + 1, number)), Hands.INSTANCE)
                    .roster());
        }
        for (int number = 2; number < 40; number++) {
            RosterBook sleeper = book;
            book = remove(book, number % 2 == 0 ? 1 : 500, number, peer(number));
            assertTrue(book.roster().entries().size() <= Roster.ENTRIES_MAX);
            RosterBook woken = adopted(sleeper, book, 510);
            assertEquals(book.roster().members(), woken.roster().members());
            assertTrue(woken.roster().isRemoved(peer(2)));
        }
    }

    @Test
    void twoThatRemovedOneAnotherApartStayApartAndAPersonDecides() {
        RosterBook one = remove(book(4), 1, 7, peer(2));
        RosterBook other = remove(book(4), 2, 8, peer(1));
        boolean isFirst = one.keyId().hex().compareTo(other.keyId().hex()) < 0;
        Verdict verdict = isFirst ? judge(other, one, 4) : judge(one, other, 3);
        String why = assertInstanceOf(Verdict.PairAgain.class, verdict).why();
        assertTrue(why.contains("a person decides"), why);
    }

    @Test
    void onlyMembersGrantRemoveAndRotate() {
        RosterBook book = book(2);
        assertThrows(IllegalArgumentException.class, () -> book.rotated(hand(9), secret(2, 2), 1, Hands.INSTANCE));
        assertThrows(IllegalArgumentException.class, () -> remove(book, 9, 2, peer(1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> book.granted(hand(9), peer(8), "", GrantKind.PAIRED, 1, Hands.INSTANCE));
    }

    @Test
    void keyIdsTellWhatTwoMachinesHaveInCommon() {
        RosterBook first = book(3);
        RosterBook second = remove(first, 1, 7, peer(3));
        RosterBook third = second.rotated(hand(1), secret(3, 8), 1, Hands.INSTANCE);
        assertEquals(Common.CURRENT, common(first, first));
        assertEquals(Common.PEER_IS_BEHIND, common(second, first));
        assertEquals(Common.PEER_IS_AHEAD, common(first, second));
        assertEquals(Common.NONE, common(first, third));
        assertEquals(Common.NONE, common(third, first));
    }

    @Test
    void aPersonNamesAMachineByIdPartOrLabel() throws SetupException {
        var known = Map.of(peer(1), "Kitchen", peer(2), "desk", peer(3), "desk");
        assertEquals(peer(1), MachineLookup.find("kitchen", known));
        assertEquals(peer(2), MachineLookup.find(peer(2).text(), known));
        assertEquals(peer(3), MachineLookup.find(peer(3).shortText(), known));
        String several = assertThrows(SetupException.class, () -> MachineLookup.find("desk", known))
                .getMessage();
        assertTrue(String.valueOf(several).contains("several machines"), several);
        for (String text : List.of("", "xyz", "garden", peer(9).text(), "12D3")) {
            assertThrows(SetupException.class, () -> MachineLookup.find(text, known), text);
        }
    }

    private static Common common(RosterBook own, RosterBook other) {
        return Common.of(
                own.keyId(),
                own.former().map(RosterBook::keyId),
                other.keyId(),
                other.former().map(RosterBook::keyId));
    }

    private static Charter charter(RosterBook book, int issuer, int generation, int seed) {
        var members = new TreeSet<>(book.roster().members());
        members.add(peer(issuer));
        return charter(issuer, generation, seed, members, List.of());
    }

    private static Charter charter(int issuer, int generation, int seed, Set<PeerId> members, List<Bytes> marks) {
        Charter unsigned =
                Charter.of(generation, RosterBook.keyId(secret(generation, seed)), peer(issuer), 1, members, marks);
        return unsigned.signed(hand(issuer).sign(RosterEncoding.words(Hands.HOME, unsigned)));
    }

    @Test
    void whoWasSeenPairedOrMadeTheSecretSinceIsNotBehind() {
        RosterBook first = book(5);
        assertEquals(
                Set.of(), first.behind(first.roster().members(), Map.of(), 9_000), "no machine lacks the first secret");
        RosterBook second = first.rotated(hand(2), secret(2, 2), 1_000, Hands.INSTANCE)
                .granted(hand(2), peer(6), "m6", GrantKind.PAIRED, 2_000, Hands.INSTANCE)
                .orElseThrow();
        Map<PeerId, SeenFile.Seen> seen = Map.of(
                peer(1), new SeenFile.Seen(999, ""),
                peer(3), new SeenFile.Seen(1_000, ""),
                peer(4), new SeenFile.Seen(9_001, ""));
        assertEquals(
                Set.of(peer(1), peer(4), peer(5)), second.behind(second.roster().members(), seen, 9_000));
        RosterBook rogue = second.with(
                second.roster().merged(List.of(removal(1, 2)), Hands.INSTANCE).roster());
        assertEquals(
                Set.of(),
                rogue.behind(rogue.roster().members(), Map.of(), 9_000),
                "the next secret is made beside that of the removed one");
    }
}
