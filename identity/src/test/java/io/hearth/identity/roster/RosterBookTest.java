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

import io.hearth.core.SetupException;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.RosterBook.Offer;
import io.hearth.identity.roster.RosterBook.Verdict;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        assertTrue(sleeper.granted(hand(3), peer(9), "m9", How.PAIRED, 1, Hands.INSTANCE)
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
        RosterBook last = moved.rotated(hand(3), secret(3, 9), 10);
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
                new Offer(good.charter().signed(io.hearth.core.Bytes.of(new byte[64])), secret(2, 7)),
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
        assertThrows(IllegalArgumentException.class, () -> book.rotated(hand(9), secret(2, 2), 1));
        assertThrows(IllegalArgumentException.class, () -> remove(book, 9, 2, peer(1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> book.granted(hand(9), peer(8), "", How.PAIRED, 1, Hands.INSTANCE));
    }

    @Test
    void keyIdsTellWhatTwoMachinesHaveInCommon() {
        RosterBook first = book(3);
        RosterBook second = remove(first, 1, 7, peer(3));
        RosterBook third = second.rotated(hand(1), secret(3, 8), 1);
        assertEquals(Common.CURRENT, common(first, first));
        assertEquals(Common.PEER_IS_BEHIND, common(second, first));
        assertEquals(Common.PEER_IS_AHEAD, common(first, second));
        assertEquals(Common.NONE, common(first, third));
        assertEquals(Common.NONE, common(third, first));
    }

    @Test
    void aPersonNamesAMachineByIdPartOrLabel() throws SetupException {
        var known = Map.of(peer(1), "Kitchen", peer(2), "desk", peer(3), "desk");
        assertEquals(peer(1), Who.find("kitchen", known));
        assertEquals(peer(2), Who.find(peer(2).text(), known));
        assertEquals(peer(3), Who.find(peer(3).shortText(), known));
        String several = assertThrows(SetupException.class, () -> Who.find("desk", known))
                .getMessage();
        assertTrue(String.valueOf(several).contains("several machines"), several);
        for (String text : List.of("", "xyz", "garden", peer(9).text(), "12D3")) {
            assertThrows(SetupException.class, () -> Who.find(text, known), text);
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
        var members = new java.util.TreeSet<>(book.roster().members());
        members.add(peer(issuer));
        Charter unsigned =
                Charter.of(generation, RosterBook.keyId(secret(generation, seed)), peer(issuer), 1, members, List.of());
        return unsigned.signed(hand(issuer).sign(RosterCodec.words(Hands.HOME, unsigned)));
    }
}
