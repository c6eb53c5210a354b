package io.hearth.discovery.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.discovery.Candidate;
import io.hearth.discovery.Medium;
import io.hearth.discovery.Nonces;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.SourceKind;
import io.hearth.discovery.table.PeerTableMachine.DialRejection;
import io.hearth.discovery.table.PeerTableMachine.Effect;
import io.hearth.discovery.table.PeerTableMachine.Event;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class PeerTableMachineTest {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final PeerAddress A = new PeerAddress("192.168.1.2", 52_416);
    private static final PeerAddress B = new PeerAddress("192.168.1.3", 52_416);
    private static final PeerAddress C = new PeerAddress("fe80::3%eth0", 52_416);
    private static final NodeId ANNA = node(1);
    private static final NodeId BERT = node(2);

    private final PeerTableMachine machine = new PeerTableMachine(PeerTableLimits.DEFAULT);
    private PeerTable table = PeerTable.EMPTY;
    private long now =
            Long.MAX_VALUE - 3 * SECOND; // the monotonic clock may start anywhere, so it overflows on the way

    @Test
    void aSightedPeerIsDialledAtOnce() {
        assertEquals(List.of(dial(A)), happens(sighted("a", A)));
    }

    @Test
    void theSameRecordAgainCostsNothing() {
        happens(sighted("a", A));
        assertEquals(List.of(), happens(sighted("a", A)));
        happens(new Event.DialFailed(A, "refused"));
        assertEquals(List.of(), happens(sighted("a", A)), "a replay shortened the pause");
    }

    @Test
    void pausesGrowFromOneSecondToSixty() {
        happens(sighted("a", A));
        for (long seconds : List.of(1, 2, 4, 8, 16, 32, 60, 60)) {
            assertEquals(List.of(), happens(new Event.DialFailed(A, "refused")));
            assertEquals(seconds * SECOND, machine.sleepNanos(table, now));
            passes(seconds * SECOND - 1);
            assertEquals(List.of(), happens(new Event.Tick()));
            passes(1);
            assertEquals(List.of(dial(A)), happens(new Event.Tick()));
        }
        assertEquals("refused", record().round().trouble());
    }

    @Test
    void anUnansweredDialEndsByItself() {
        happens(sighted("a", A));
        assertEquals(10 * SECOND, machine.sleepNanos(table, now));
        passes(10 * SECOND);
        assertEquals(List.of(), happens(new Event.Tick()));
        passes(SECOND);
        assertEquals(List.of(dial(A)), happens(new Event.Tick()));
    }

    @Test
    void addressesOfOnePeerAreTriedTogether() {
        assertEquals(List.of(dial(A)), happens(sighted("a", A, B, C)));
        passes(249 * MILLI);
        assertEquals(List.of(), happens(new Event.Tick()));
        passes(MILLI);
        assertEquals(List.of(dial(C)), happens(new Event.Tick()), "IPv6 follows IPv4");
        assertEquals(
                List.of(dial(B)), happens(new Event.DialFailed(A, "no route")), "a failure starts the next at once");
    }

    @Test
    void theBetterMediumGoesFirst() {
        var wifi = new Candidate(A, Medium.WIRELESS);
        var cable = new Candidate(B, Medium.WIRED);
        var unknown = new Candidate(C, Medium.OTHER);
        assertEquals(List.of(cable, wifi, unknown), DialOrder.of(List.of(unknown, wifi, cable)));
    }

    @Test
    void noMoreThanFourDialsInAnySecond() {
        var dials = new ArrayList<Long>();
        for (int i = 0; i < 30; i++) {
            count(dials, happens(sighted("r" + i, new PeerAddress("10.0.0." + (i + 1), 1))));
        }
        while (dials.size() < 30) {
            passes(machine.sleepNanos(table, now));
            count(dials, happens(new Event.Tick()));
        }
        for (int i = 4; i < dials.size(); i++) {
            assertTrue(dials.get(i) - dials.get(i - 4) >= SECOND, "five dials within a second: " + dials);
        }
    }

    /** The other members wait for its address to refuse, because that shows that its process ended. */
    @Test
    void whoWasJustLostIsDialledThoughThisSecondsDialsAreUsed() {
        happens(sighted("a", A));
        happens(new Event.Admitted(A, ANNA));
        for (int i = 0; i < 30; i++) {
            happens(sighted("r" + i, new PeerAddress("10.0.0." + (i + 1), 1)));
        }
        assertEquals(List.of(dial(A)), happens(new Event.Lost(ANNA)));
        happens(new Event.DialFailed(A, "refused"));
        passes(PeerTableLimits.DEFAULT.pauseMinNanos());
        assertFalse(happens(new Event.Tick()).contains(dial(A)), "later it waits for its turn");
    }

    /** The sockets of an ending process are closed one after the other; the last one accepts connections until then. */
    @Test
    void whoWasJustLostAndHangsUpIsDialledAgainAtOnceUntilItsAddressRefuses() {
        happens(sighted("a", A));
        happens(new Event.Admitted(A, ANNA));
        for (int i = 0; i < 30; i++) {
            happens(sighted("r" + i, new PeerAddress("10.0.0." + (i + 1), 1)));
        }
        assertEquals(List.of(dial(A)), happens(new Event.Lost(ANNA)));
        for (int again = 0; again < 3; again++) {
            happens(new Event.HungUp(A, "reset"));
            assertEquals(25 * MILLI, machine.sleepNanos(table, now), "though this second's dials are used");
            passes(25 * MILLI);
            assertEquals(List.of(dial(A)), happens(new Event.Tick()));
        }
        happens(new Event.DialFailed(A, "refused"));
        passes(25 * MILLI);
        assertEquals(List.of(), happens(new Event.Tick()));
    }

    @Test
    void whoWasLostLongAgoAndHangsUpIsDialledWithPauses() {
        happens(sighted("a", A));
        happens(new Event.Admitted(A, ANNA));
        happens(new Event.Lost(ANNA));
        passes(SECOND / 4);
        assertEquals(List.of(), happens(new Event.HungUp(A, "reset")));
        passes(25 * MILLI);
        assertEquals(List.of(), happens(new Event.Tick()));
        passes(PeerTableLimits.DEFAULT.pauseMinNanos());
        assertEquals(List.of(dial(A)), happens(new Event.Tick()));
    }

    /** A report of members is a separate record until a dial shows which node it is; that dial makes no second link. */
    @Test
    void whoWasReachedAgainWhileItWasLinkedIsDialledAtOnceWhenItIsLost() {
        happens(new Event.Accepted(B, ANNA));
        assertEquals(List.of(dial(A)), happens(sighted("a", A)));
        happens(new Event.Admitted(A, ANNA));
        assertEquals(List.of(dial(A)), happens(new Event.Lost(ANNA)));
    }

    @Test
    void anAdmittedPeerIsRememberedAndNotDialled() {
        happens(sighted("a", A));
        assertEquals(List.of(new Effect.Remember(ANNA, List.of(A))), happens(new Event.Admitted(A, ANNA)));
        assertEquals(Long.MAX_VALUE, machine.sleepNanos(table, now));
        passes(3_600 * SECOND);
        assertEquals(List.of(), happens(new Event.Tick()));
        assertEquals(List.of(), happens(sighted("a", A, B)));
    }

    @Test
    void aLostPeerIsDialledAtOnceThenWithPauses() {
        happens(sighted("a", A, B));
        happens(new Event.DialFailed(A, "refused"));
        happens(new Event.Admitted(B, ANNA));
        passes(60 * SECOND);
        assertEquals(List.of(dial(B)), happens(new Event.Lost(ANNA)), "what worked before goes first");
        assertEquals(List.of(dial(A)), happens(new Event.DialFailed(B, "refused")));
        assertEquals(List.of(), happens(new Event.DialFailed(A, "refused")));
        assertEquals(SECOND, machine.sleepNanos(table, now));
        passes(SECOND);
        assertEquals(List.of(dial(B)), happens(new Event.Tick()));
        assertEquals(List.of(), happens(new Event.Admitted(B, ANNA)), "nothing new to remember");
    }

    @Test
    void aLostPeerIsTriedEveryFewSecondsForADay() {
        happens(sighted("a", A));
        happens(new Event.Admitted(A, ANNA));
        assertEquals(List.of(dial(A)), happens(new Event.Lost(ANNA)));
        long lost = now;
        for (long seconds = 1; now - lost < 24 * 3_600 * SECOND - 4 * SECOND; seconds = Math.min(4, 2 * seconds)) {
            assertEquals(List.of(), happens(new Event.DialFailed(A, "no route")));
            assertEquals(seconds * SECOND, machine.sleepNanos(table, now));
            passes(seconds * SECOND);
            assertEquals(List.of(dial(A)), happens(new Event.Tick()));
        }
        passes(5 * SECOND);
        assertEquals(List.of(new Effect.Forget("a", "no news for a day")), happens(new Event.Tick()));
    }

    /** Makes the node lost for a long time, and in the middle of a pause. */
    private void lostForLong(String name, PeerAddress address, NodeId node) {
        happens(sighted(name, address));
        happens(new Event.Admitted(address, node));
        happens(new Event.Lost(node));
        long lost = now;
        while (now - lost < 700 * SECOND) {
            happens(new Event.DialFailed(address, "no route"));
            passes(machine.sleepNanos(table, now));
            happens(new Event.Tick());
        }
        happens(new Event.DialFailed(address, "no route"));
        assertEquals(4 * SECOND, machine.sleepNanos(table, now));
        passes(SECOND);
    }

    @Test
    void aLinkToAnybodyEndsThePausesOfAllThatWereLost() {
        for (boolean dialled : List.of(true, false)) {
            table = PeerTable.EMPTY;
            lostForLong("a", A, ANNA);
            List<Effect> then = happens(dialled ? new Event.Admitted(B, BERT) : new Event.Accepted(B, BERT));
            assertTrue(then.contains(dial(A)), then::toString);
            happens(new Event.DialFailed(A, "no route"));
            assertEquals(SECOND, machine.sleepNanos(table, now), "and they begin again with the shortest");
            List<Effect> second = happens(dialled ? new Event.Admitted(B, BERT) : new Event.Accepted(B, BERT));
            assertTrue(second.stream().noneMatch(Effect.Dial.class::isInstance), "it was linked already");
        }
    }

    @Test
    void aLinkEndsThePauseOfAPeerThatAPersonNamedAndOfNoOtherHint() {
        var named = new Sighting("b", List.of(new Candidate(B, Medium.OTHER)), SourceKind.STATIC, OptionalInt.of(1));
        happens(new Event.Sighted(named));
        happens(sighted("c", C));
        for (int i = 0; i < 7; i++) {
            happens(new Event.DialFailed(B, "no route"));
            happens(new Event.DialFailed(C, "no route"));
            passes(60 * SECOND);
            happens(new Event.Tick());
        }
        happens(new Event.DialFailed(B, "no route"));
        happens(new Event.DialFailed(C, "no route"));
        passes(SECOND);
        List<Effect> dials = happens(new Event.Accepted(A, ANNA));
        assertTrue(dials.contains(dial(B)), dials::toString);
        assertTrue(!dials.contains(dial(C)), "whoever replays a record gets no dial for a link of somebody else");
    }

    @Test
    void aLinkChangesNothingForADialThatIsUnderWay() {
        lostForLong("a", A, ANNA);
        assertEquals(List.of(dial(A)), happens(new Event.NetworkChanged()));
        List<Effect> then = happens(new Event.Accepted(B, BERT));
        assertTrue(then.stream().noneMatch(Effect.Dial.class::isInstance), then::toString);
        happens(new Event.DialFailed(A, "no route"));
        passes(SECOND);
        assertEquals(List.of(dial(A)), happens(new Event.Tick()));
    }

    @Test
    void aSilentPeerIsDialledAroundAtAllItsAddressesAndAnyOtherAtNone() {
        happens(sighted("a", A, B));
        happens(new Event.Admitted(A, ANNA));
        assertEquals(
                List.of(new Effect.DialAround(ANNA, A), new Effect.DialAround(ANNA, B)),
                happens(new Event.Silent(ANNA)),
                "the shell knows which of them is of the silent link");
        assertEquals(List.of(), happens(new Event.Silent(BERT)));
        assertEquals(List.of(), happens(new Event.DialFailed(B, "no route")), "the link is still up");
        happens(new Event.Lost(ANNA));
        assertEquals(List.of(), happens(new Event.Silent(ANNA)), "it is dialled anyway");
    }

    @Test
    void aLostPeerThatOthersHearIsDialledAtOnceAlsoOverADialThatHangs() {
        happens(sighted("a", A));
        happens(new Event.Admitted(A, ANNA));
        assertEquals(List.of(dial(A)), happens(new Event.Lost(ANNA)));
        passes(SECOND);
        assertEquals(List.of(), happens(new Event.Tick()));
        assertEquals(List.of(dial(A)), happens(new Event.Vouched(ANNA)));
        assertEquals(List.of(), happens(new Event.DialFailed(A, "no answer")), "the outcome of one of the two");
        assertEquals(List.of(dial(A)), happens(new Event.Vouched(ANNA)), "nor does a pause hold it back");
        assertEquals(List.of(), happens(new Event.Vouched(BERT)), "nobody knows where");
        happens(new Event.Admitted(A, ANNA));
        assertEquals(List.of(), happens(new Event.Vouched(ANNA)), "it is linked");
    }

    @Test
    void anAcceptedPeerIsNotDialledAgainOnceKnown() {
        happens(sighted("a", A));
        happens(new Event.Admitted(A, ANNA));
        assertEquals(List.of(dial(A)), happens(new Event.Lost(ANNA)));
        happens(new Event.Accepted(A, ANNA));
        happens(new Event.DialFailed(A, "the second link of two"));
        passes(120 * SECOND);
        assertEquals(List.of(), happens(new Event.Tick()));
    }

    @Test
    void twoRecordsThatTurnOutToBeOnePeerBecomeOne() {
        happens(sighted("cable", A));
        happens(sighted("wifi", B));
        happens(new Event.Admitted(A, ANNA));
        happens(new Event.Admitted(B, ANNA));
        assertEquals(1, table.records().size());
        assertEquals(List.of(B, A), record().good());
        happens(new Event.Lost(ANNA));
        passes(SECOND);
        happens(new Event.Tick());
        assertEquals(List.of(A, B), table.dialling().keySet().stream().toList());
    }

    @Test
    void oneAddressFromTwoSourcesIsDialledOnce() {
        assertEquals(List.of(dial(A)), happens(sighted("mdns", A)));
        assertEquals(List.of(), happens(sighted("static", A)));
        happens(new Event.Admitted(A, ANNA));
        assertEquals(1, table.records().size());
    }

    @Test
    void anAddressBelongsToWhoWasAdmittedThereLast() {
        happens(sighted("a", A));
        happens(new Event.Admitted(A, ANNA));
        happens(new Event.Lost(ANNA));
        assertEquals(List.of(new Effect.Remember(BERT, List.of(A))), happens(new Event.Admitted(A, BERT)));
        passes(120 * SECOND);
        assertEquals(List.of(), happens(new Event.Tick()), "the former owner is still looked for there");
    }

    @Test
    void aNewRecordAtALinkedPeersAddressIsDialled() {
        happens(sighted("a", A));
        happens(new Event.Admitted(A, ANNA));
        assertEquals(List.of(dial(A)), happens(sighted("another process took the port", A)));
    }

    @Test
    void theOwnReflectionIsDroppedAndNotDialledAgain() {
        happens(sighted("me", A));
        assertEquals(
                List.of(new Effect.Forget("me", "own reflection")),
                happens(new Event.Rejected(A, DialRejection.OWN_REFLECTION, "")));
        assertEquals(List.of(), happens(sighted("me too", A)));
        assertEquals(0, table.records().size());
        happens(new Event.NetworkChanged());
        assertEquals(List.of(dial(A)), happens(sighted("somebody else's now", A)));
    }

    @Test
    void whoIsForeignIsLeftAloneForAMinute() {
        happens(sighted("a", A));
        happens(new Event.Rejected(A, DialRejection.FOREIGN, "another secret"));
        assertEquals(60 * SECOND, machine.sleepNanos(table, now));
        assertEquals("another secret", record().round().trouble());
    }

    @Test
    void anotherNetworkMeansAnotherChance() {
        happens(sighted("a", A));
        happens(new Event.Rejected(A, DialRejection.FOREIGN, "another secret"));
        assertEquals(List.of(dial(A)), happens(new Event.NetworkChanged()));
    }

    @Test
    void newAddressesUnderAReplayedNameBuyNoDials() {
        happens(sighted("a", A));
        happens(new Event.DialFailed(A, "refused"));
        for (int i = 1; i < 100; i++) {
            assertEquals(List.of(), happens(sighted("a", new PeerAddress("10.0.0." + i, 7))));
        }
        assertEquals(Sighting.CANDIDATES_MAX, record().candidates().size());
    }

    /** Forged addresses take all places before the peer itself is heard. */
    @Test
    void aRealAddressFindsRoomAmongMadeUpOnes() {
        happens(sighted("a", made(1, 8)));
        var dialled = new TreeSet<PeerAddress>();
        for (int i = 0; i < 40 && !dialled.contains(A); i++) {
            PeerAddress[] newest = made(10 + 7 * i, 8);
            newest[0] = A; // the source reports the likeliest address together with the newest ones
            for (Effect effect : happens(sighted("a", newest))) {
                if (effect instanceof Effect.Dial dial) {
                    dialled.add(dial.address());
                    happens(new Event.DialFailed(dial.address(), "nobody"));
                }
            }
            passes(250 * MILLI);
        }
        assertTrue(dialled.contains(A), "not dialled within 10 s, but " + dialled);
        assertEquals(Sighting.CANDIDATES_MAX, record().candidates().size());
    }

    @Test
    void everNewAddressesMakeNoRoundLonger() {
        happens(sighted("a", made(1, 8)));
        int dials = 4;
        for (int i = 0; record().round().failures() == 0; i++) {
            for (PeerAddress address : List.copyOf(record().round().awaited())) {
                dials += dials(happens(new Event.DialFailed(address, "nobody")));
            }
            dials += dials(happens(sighted("a", made(10 + 8 * i, 8))));
            passes(SECOND);
            dials += dials(happens(new Event.Tick()));
            assertTrue(i < 20, "the round does not end");
        }
        assertTrue(dials <= 2 * Sighting.CANDIDATES_MAX, dials + " dials in one round");
    }

    @Test
    void whatWorkedAndWhatAPersonNamedKeepTheirPlaces() {
        happens(sighted("a", A));
        happens(new Event.Admitted(A, ANNA));
        happens(new Event.Lost(ANNA));
        happens(sighted("a", made(1, 8)));
        happens(sighted("a", made(20, 8)));
        assertTrue(record().has(A));
        table = PeerTable.EMPTY;
        PeerAddress[] named = made(1, 8);
        happens(new Event.Sighted(new Sighting(
                "named",
                Stream.of(named)
                        .map(address -> new Candidate(address, Medium.WIRED))
                        .toList(),
                SourceKind.STATIC,
                OptionalInt.empty())));
        happens(sighted("named", made(20, 8)));
        assertTrue(Stream.of(named).allMatch(record()::has));
    }

    private static int dials(List<Effect> effects) {
        return (int) effects.stream().filter(Effect.Dial.class::isInstance).count();
    }

    private static PeerAddress[] made(int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(i -> new PeerAddress("10.0." + i / 200 + "." + i % 200, 7))
                .toArray(PeerAddress[]::new);
    }

    @Test
    void whatANobodyToldIsForgottenAfterADayAndWhatAPersonSaidIsNot() {
        happens(sighted("a", A));
        happens(new Event.Sighted(
                new Sighting("b", List.of(new Candidate(B, Medium.OTHER)), SourceKind.STATIC, OptionalInt.empty())));
        passes(24 * 3_600 * SECOND);
        assertTrue(happens(new Event.Tick()).contains(new Effect.Forget("a", "no news for a day")));
        assertEquals(1, table.records().size());
    }

    @Test
    void aFullTableMakesRoomByForgettingWhatFailed() {
        happens(sighted("failing", A));
        happens(new Event.DialFailed(A, "refused"));
        for (int i = 0; i < 255; i++) {
            happens(sighted("r" + i, new PeerAddress("10.0.1." + i, 7)));
        }
        assertEquals(
                List.of(new Effect.Forget("failing", "the table is full")),
                happens(sighted("new", B)).stream()
                        .filter(effect -> effect instanceof Effect.Forget)
                        .toList());
        assertEquals(
                List.of(new Effect.Forget("newer", "the table is full of better records")),
                happens(sighted("newer", C)).stream()
                        .filter(effect -> effect instanceof Effect.Forget)
                        .toList());
        assertEquals(256, table.records().size());
    }

    @Test
    void whatAPersonNamedIsNeverForgottenForRoom() {
        happens(new Event.Sighted(new Sighting(
                "named", List.of(new Candidate(A, Medium.OTHER)), SourceKind.STATIC, OptionalInt.empty())));
        happens(new Event.DialFailed(A, "refused"));
        for (int i = 0; i < 300; i++) {
            happens(sighted("r" + i, new PeerAddress("10.0." + i / 256 + "." + i % 256, 7)));
        }
        assertTrue(table.records().values().stream()
                .anyMatch(record -> record.names().contains("named")));
    }

    /** A table full of a member's old records, replayed again and again, at addresses without a node. */
    @Test
    void aTableFullOfReplaysDelaysARealPeerByLessThanASecond() {
        for (int i = 0; i < 7_000; i++) {
            fails(happens(sighted("old" + i % 256, new PeerAddress("10.0.0." + i % 256, 7))));
            passes(10 * MILLI);
            assertTrue(table.records().size() <= 256);
        }
        var dialled = new ArrayList<>(happens(sighted("real", A)));
        for (int i = 0; i < 4; i++) {
            fails(dialled);
            passes(250 * MILLI);
            dialled.addAll(happens(new Event.Tick()));
        }
        assertTrue(dialled.contains(dial(A)), "a second later only " + dialled);
    }

    private void fails(List<Effect> effects) {
        for (Effect effect : List.copyOf(effects)) {
            if (effect instanceof Effect.Dial dial && !dial.address().equals(A)) {
                happens(new Event.DialFailed(dial.address(), "refused"));
            }
        }
    }

    /** Random worlds: bounds hold after every event, and a due tick never asks for another at once. */
    @Test
    void ofTwoThatSeeEachOtherTheSmallerNonceDialsAtOnceAndTheOtherALittleLater() {
        assertEquals(List.of(dial(A)), happens(met("a", 1, 2, A)));
        assertEquals(List.of(), happens(met("b", 3, 2, B)));
        assertEquals(500 * MILLI, machine.sleepNanos(table, now));
        passes(500 * MILLI - 1);
        assertEquals(List.of(), happens(new Event.Tick()));
        passes(1);
        assertEquals(List.of(dial(B)), happens(new Event.Tick()));
    }

    @Test
    void noncesAreComparedAsUnsignedNumbers() {
        assertEquals(List.of(dial(A)), happens(met("a", 0x7f, 0x80, A)));
        assertEquals(List.of(), happens(met("b", 0x80, 0x7f, B)));
    }

    @Test
    void whoWaitsForTheOthersDialDoesNotDialOnceItsLinkIsThere() {
        happens(met("a", 2, 1, A));
        passes(100 * MILLI);
        assertEquals(List.of(), happens(new Event.Accepted(A, ANNA)));
        assertEquals(Long.MAX_VALUE, machine.sleepNanos(table, now));
        passes(SECOND);
        assertEquals(List.of(), happens(new Event.Tick()));
        assertEquals(List.of(dial(A)), happens(new Event.Lost(ANNA)), "a lost peer is dialled by both");
    }

    @Test
    void aLinkThatCameBeforeTheRecordStandsForIt() {
        happens(new Event.Accepted(A, ANNA));
        passes(3 * SECOND);
        assertEquals(List.of(), happens(met("a", 2, 1, A)));
        assertEquals(List.of(), happens(met("a", 2, 1, A, B)), "as any further news of a linked peer");
        passes(SECOND);
        assertEquals(List.of(), happens(new Event.Tick()));
        assertEquals(ANNA, ((PeerState.Linked) record().state()).node());
        assertEquals(List.of(dial(A)), happens(new Event.Lost(ANNA)));
    }

    @Test
    void anOldLinkDoesNotStandForANewRecordWithItsAddress() {
        happens(new Event.Accepted(A, ANNA));
        passes(10 * SECOND);
        assertEquals(List.of(), happens(met("new", 2, 1, A)));
        passes(500 * MILLI);
        assertEquals(List.of(dial(A)), happens(new Event.Tick()));
    }

    @Test
    void anAcceptedPeersWordDoesNotTakeAnAddressFromAnotherNode() {
        happens(sighted("a", A));
        happens(new Event.Admitted(A, ANNA));
        happens(new Event.Accepted(A, BERT));
        assertEquals(List.of(dial(A)), happens(new Event.Lost(ANNA)));
    }

    @Test
    void waitingForTheOthersDialCostsAnOldPauseNothing() {
        happens(met("a", 2, 1, A));
        passes(500 * MILLI);
        happens(new Event.Tick());
        happens(new Event.DialFailed(A, "refused"));
        assertEquals(List.of(), happens(met("a", 2, 1, A)));
        assertEquals(SECOND, machine.sleepNanos(table, now));
    }

    @Test
    void theBoundsHoldWhateverHappens() {
        for (long seed = 0; seed < 40; seed++) {
            var random = new SplittableRandom(seed);
            table = PeerTable.EMPTY;
            var dials = new ArrayList<Long>();
            for (int i = 0; i < 600; i++) {
                Event event = anything(random);
                List<Effect> effects = happens(event);
                count(
                        dials,
                        effects.stream().filter(effect -> !isOfJustLost(effect)).toList());
                String where = "seed " + seed + ", event " + i;
                assertTrue(table.records().size() <= 256, where);
                assertTrue(machine.sleepNanos(table, now) > 0, where + ": asks for a tick at once");
                for (PeerRecord record : table.records().values()) {
                    assertTrue(record.candidates().size() <= Sighting.CANDIDATES_MAX, where);
                    assertTrue(!record.isLinked() || record.round().untried().isEmpty(), where);
                    assertTrue(
                            table.dialling().keySet().containsAll(record.round().awaited()), where);
                }
                passes(random.nextLong(400 * MILLI));
            }
            for (int i = 4; i < dials.size(); i++) {
                assertTrue(dials.get(i) - dials.get(i - 4) >= SECOND, "five dials in a second, seed " + seed);
            }
        }
    }

    /** A peer that was just lost is dialled beyond the limit. */
    private boolean isOfJustLost(Effect effect) {
        return effect instanceof Effect.Dial(PeerAddress address, OptionalInt _)
                && table.records().values().stream()
                        .anyMatch(record -> record.has(address)
                                && record.state() instanceof PeerState.Lost(NodeId _, long sinceNanos)
                                && now - sinceNanos < SECOND / 4);
    }

    private static Event anything(SplittableRandom random) {
        var address = new PeerAddress("10.0.0." + random.nextInt(12), 1 + random.nextInt(2));
        NodeId node = node(random.nextInt(6));
        return switch (random.nextInt(12)) {
            case 0, 1 -> sighted("r" + random.nextInt(10), address);
            case 2 -> met("m" + random.nextInt(10), random.nextInt(2), 1, address);
            case 3 -> new Event.DialFailed(address, "refused");
            case 4 -> new Event.HungUp(address, "reset");
            case 5 -> new Event.Rejected(address, DialRejection.FOREIGN, "foreign");
            case 6 -> new Event.Rejected(address, DialRejection.OWN_REFLECTION, "own");
            case 7, 8 -> new Event.Admitted(address, node);
            case 9 -> new Event.Accepted(address, node);
            case 10 -> random.nextBoolean() ? new Event.Lost(node) : new Event.Vouched(node);
            default -> random.nextInt(10) == 0 ? new Event.NetworkChanged() : new Event.Tick();
        };
    }

    private List<Effect> happens(Event event) {
        Step<PeerTable, Effect> step = machine.step(table, event, now);
        table = step.state();
        return step.effects();
    }

    private void passes(long nanos) {
        now += nanos;
    }

    private PeerRecord record() {
        assertEquals(1, table.records().size());
        return table.records().values().iterator().next();
    }

    @Test
    void whatAMemberTellsOfIsDialledAtOnceByOneOfTheTwo() {
        assertEquals(List.of(plain(A)), happens(new Event.Reported(ANNA, List.of(A), true)));
        assertEquals(List.of(), happens(new Event.Reported(BERT, List.of(B), false)));
        passes(500 * MILLI);
        assertEquals(List.of(plain(B)), happens(new Event.Tick()));
    }

    @Test
    void anAddressThatAMemberTellsEndsThePauseOfAPeer() {
        happens(sighted("a", A));
        happens(new Event.Admitted(A, ANNA));
        happens(new Event.Lost(ANNA));
        happens(new Event.DialFailed(A, "no route"));
        assertEquals(List.of(), happens(new Event.Reported(ANNA, List.of(A), true)), "nothing new");
        List<Effect> effects = happens(new Event.Reported(ANNA, List.of(B), true));
        passes(250 * MILLI);
        assertTrue(
                Stream.concat(effects.stream(), happens(new Event.Tick()).stream())
                        .anyMatch(dial(B)::equals),
                "the new address was not dialled");
    }

    @Test
    void aNodeThatOthersHearIsTriedEveryFourSeconds() {
        happens(new Event.Reported(ANNA, List.of(A), true));
        for (long seconds : List.of(1, 2, 4, 4, 4)) {
            happens(new Event.DialFailed(A, "no answer"));
            assertEquals(seconds * SECOND, machine.sleepNanos(table, now));
            passes(seconds * SECOND);
            assertEquals(List.of(plain(A)), happens(new Event.Tick()));
        }
        assertEquals(List.of(plain(A)), happens(new Event.Vouched(ANNA)), "a new view ends the pause");
    }

    @Test
    void membersFillAQuarterOfTheTableAtMost() {
        for (int i = 0; i < 200; i++) {
            happens(new Event.Reported(node(i), List.of(new PeerAddress("10.1.0." + i, 1_000)), true));
        }
        assertEquals(PeerTableTurn.REPORTED_MAX, table.records().size());
        happens(sighted("a", A));
        assertEquals(PeerTableTurn.REPORTED_MAX + 1, table.records().size(), "what mDNS hears has room");
    }

    @Test
    void whoWasToldOfAndAdmittedIsOnePeer() {
        happens(new Event.Reported(ANNA, List.of(A, B), true));
        happens(new Event.Admitted(A, ANNA));
        assertEquals(1, table.records().size());
        happens(new Event.Reported(ANNA, List.of(B), true));
        assertEquals(1, table.records().size());
        assertTrue(table.records().values().iterator().next().has(B), "it is needed when the link is lost");
    }

    @Test
    void aNameThatMovesAgainAndAgainKeepsItsNewestAddressAndTheLastThatWorked() {
        for (int move = 0; move < 20; move++) {
            var address = new PeerAddress("10.2.0." + move, 52_416);
            happens(new Event.Sighted(new Sighting(
                    "named", List.of(new Candidate(address, Medium.OTHER)), SourceKind.STATIC, OptionalInt.empty())));
            assertTrue(record().has(address), "no place for address " + move);
            if (move % 2 == 0) {
                happens(new Event.Admitted(address, ANNA));
                happens(new Event.Lost(ANNA));
            } else {
                assertTrue(
                        record().has(new PeerAddress("10.2.0." + (move - 1), 52_416)), "the one that worked is gone");
            }
            assertTrue(record().candidates().size() <= Sighting.CANDIDATES_MAX);
            passes(10 * SECOND);
        }
    }

    private static Effect plain(PeerAddress address) {
        return new Effect.Dial(address, OptionalInt.empty());
    }

    private void count(List<Long> dials, List<Effect> effects) {
        effects.stream().filter(effect -> effect instanceof Effect.Dial).forEach(_ -> dials.add(now));
    }

    private static Effect dial(PeerAddress address) {
        return new Effect.Dial(address, OptionalInt.of(1));
    }

    private static Event sighted(String name, PeerAddress... addresses) {
        List<Candidate> candidates = Arrays.stream(addresses)
                .map(address -> new Candidate(address, Medium.OTHER))
                .toList();
        return new Event.Sighted(new Sighting(name, candidates, SourceKind.MDNS, OptionalInt.of(1)));
    }

    /** A sighting by a tag on a network where this node has a nonce too. */
    private static Event met(String name, int ownNonce, int peersNonce, PeerAddress... addresses) {
        Sighting plain = ((Event.Sighted) sighted(name, addresses)).sighting();
        var nonces = new Nonces(Bytes.of((byte) ownNonce, (byte) 9), Bytes.of((byte) peersNonce, (byte) 8));
        return new Event.Sighted(
                new Sighting(name, plain.candidates(), plain.source(), plain.generation(), Optional.of(nonces)));
    }

    private static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        IntStream.range(0, key.length).forEach(i -> key[i] = (byte) number);
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }
}
