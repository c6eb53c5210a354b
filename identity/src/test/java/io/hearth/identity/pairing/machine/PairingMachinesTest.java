package io.hearth.identity.pairing.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.identity.pairing.machine.PairingMessage.Confirm;
import io.hearth.identity.pairing.machine.PairingMessage.Done;
import io.hearth.identity.pairing.machine.PairingMessage.Page;
import io.hearth.identity.pairing.machine.PairingMessage.Proof;
import io.hearth.identity.pairing.machine.PairingMessage.Round1;
import io.hearth.identity.pairing.machine.PairingMessage.Round2;
import io.hearth.identity.pairing.machine.PairingMessage.Sorry;
import io.hearth.identity.pairing.machine.PairingMessage.Welcome;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks 13 to 17 on the machines alone, and the transitions of each message. */
final class PairingMachinesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final PairingCode WRONG = PairingCode.of(42, 12_345_679);
    private static final BigInteger P = Exchanges.GROUP.getP();
    private static final BigInteger Q = Exchanges.GROUP.getQ();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 32 * 1024 - 23, 32 * 1024, 100_003, 300 * 1024})
    void theRightCodePairsTwoMachines(int welcomeBytes) {
        Bytes welcome = Bytes.of(Duel.filled(welcomeBytes, 5));
        var duel = new Duel(1, welcome).play();
        assertEquals(
                Optional.of(new SponsorMachine.Outcome.Paired(duel.joinerId, "kitchen", "192.168.1.77", true)),
                duel.sponsorsEnd());
        assertEquals(
                Optional.of(new JoinerMachine.Outcome.Paired(duel.sponsorId, "study", Duel.ADDRESS)),
                duel.joinersEnd());
        assertTrue(duel.byJoiner.contains(new JoinerMachine.Effect.Accept(duel.sponsorId, "study", welcome)));
        assertTrue(duel.bySponsor.contains(new SponsorMachine.Effect.Ask(duel.joinerId, "kitchen")));
        assertEquals(List.of(), duel.failures());
    }

    @Test
    void aWelcomeThatIsTooLargeIsSaidOnBothSides() {
        var duel = new Duel(1, Bytes.of(Duel.filled(300 * 1024 + 1, 5))).play();
        assertTrue(duel.sponsorsEnd().orElseThrow() instanceof SponsorMachine.Outcome.Broken);
        assertEquals(PairingFailure.UNABLE, failed(duel).failure());
        assertEquals(List.of(), duel.said(Welcome.class));
    }

    /** Attack 13. */
    @Test
    void afterThreeWrongCodesTheRightOneIsRejectedToo() {
        var duel = new Duel(2);
        for (int run = 1; run <= 3; run++) {
            duel.newcomer(10 + run, WRONG);
            duel.play();
            assertEquals(PairingFailure.WRONG_CODE, failed(duel).failure());
            assertEquals(3 - run, failed(duel).runsLeft());
        }
        assertEquals(Optional.of(new SponsorMachine.Outcome.Exhausted("192.168.1.77")), duel.sponsorsEnd());
        assertEquals(
                List.of(PairingFailure.WRONG_CODE, PairingFailure.WRONG_CODE, PairingFailure.WRONG_CODE),
                duel.failures());
        duel.newcomer(20, Duel.CODE);
        duel.play();
        assertEquals(PairingFailure.DEAD, failed(duel).failure());
        assertEquals(List.of(), duel.said(Welcome.class));
    }

    @Test
    void twoWrongCodesDoNotKeepTheRightOneOut() {
        var duel = new Duel(2);
        for (int run = 1; run <= 2; run++) {
            duel.newcomer(10 + run, WRONG);
            duel.play();
        }
        duel.newcomer(20, Duel.CODE);
        duel.play();
        assertTrue(duel.sponsorsEnd().orElseThrow() instanceof SponsorMachine.Outcome.Paired);
    }

    /** Attack 14. */
    @Test
    void whoHangsUpAfterRound2HasGuessedAllTheSame() {
        var duel = new Duel(3);
        for (int run = 1; run <= 10; run++) {
            duel.newcomer(10 + run, WRONG);
            duel.tap = (toSponsor, frame) ->
                    toSponsor && Duel.decode(frame) instanceof Confirm ? List.of() : List.of(frame);
            duel.play();
            duel.toSponsor(new SponsorMachine.Event.Gone(duel.joinerId));
        }
        assertEquals(3, duel.said(Round2.class).size());
        assertEquals(List.of(PairingFailure.HUNG_UP, PairingFailure.HUNG_UP, PairingFailure.HUNG_UP), duel.failures());
    }

    /** The run is counted when it begins: before round 1 leaves, and so before round 2 does. */
    @Test
    void aRunIsSpentBeforeTheSponsorSaysAnything() {
        var duel = new Duel(3);
        duel.tap = (toSponsor, frame) -> toSponsor ? List.of(frame) : List.of();
        duel.play();
        assertEquals(1, duel.said(Round1.class).size());
        assertEquals(1, duel.sponsorState.runs());
    }

    /** Attack 15, one impostor after the other: each has an identity and a place of its own. */
    @Test
    void aNewcomerRunsThreeExchangesWithFakeSponsorsAndJoinsNone() {
        var joiner =
                new JoinerMachine(Duel.node(2).peer(), "kitchen", Duel.CODE, Exchanges.of(4), PairingLimits.DEFAULT);
        var state = joiner.fresh(0);
        for (int i = 0; i < 100; i++) {
            state = joiner.step(state, new JoinerMachine.Event.Sighted("fake" + i, List.of("10.0.0." + i + ":1")), 0)
                    .state();
        }
        assertTrue(state.places().size() <= PairingLimits.DEFAULT.placesMax());
        int rounds = 0;
        int fake = 0;
        Optional<JoinerMachine.Outcome> end = Optional.empty();
        while (end.isEmpty() && fake < 200) {
            fake++;
            NodeId liar = Duel.node(100 + fake);
            String dialled = ((JoinerMachine.Phase.Dialing) state.phase()).address();
            var met = joiner.step(state, new JoinerMachine.Event.Met(liar, Duel.EXPORTER, dialled), 0);
            rounds += sends(met.effects());
            var honest = new SponsorMachine(liar.peer(), "", WRONG, Exchanges.of(fake), PairingLimits.DEFAULT);
            var there = honest.step(
                    SponsorMachine.State.fresh(0), new SponsorMachine.Event.Met(Duel.node(2), Duel.EXPORTER, ""), 0);
            var answer =
                    honest.step(there.state(), new SponsorMachine.Event.Arrived(Duel.node(2), sent(met.effects())), 0);
            var round2 = joiner.step(
                    met.state(),
                    new JoinerMachine.Event.Arrived(
                            liar, ((SponsorMachine.Effect.Send) answer.effects().getFirst()).frame()),
                    0);
            var lie = joiner.step(
                    round2.state(), new JoinerMachine.Event.Arrived(liar, PairingEncoding.encode(new Done())), 0);
            state = lie.state();
            end = lie.effects().stream()
                    .filter(JoinerMachine.Effect.Ended.class::isInstance)
                    .map(effect -> ((JoinerMachine.Effect.Ended) effect).outcome())
                    .findFirst();
        }
        assertEquals(3, rounds);
        assertTrue(end.orElseThrow() instanceof JoinerMachine.Outcome.Failed failed && failed.runs() == 3, "" + end);
    }

    /** Attack 16: both have the right code, and an attacker relays their messages over two connections of its own. */
    @Test
    void aRelayFailsAtItsFirstProof() {
        var otherExporter = new Duel(5);
        otherExporter.joinersExporter = Bytes.of(Duel.filled(32, 8));
        otherExporter.play();
        assertEquals(List.of(PairingFailure.PROOF), otherExporter.failures());
        assertEquals(PairingFailure.PROOF, failed(otherExporter).failure());
        assertEquals(List.of(), otherExporter.said(Round1.class));
        assertEquals(List.of(), otherExporter.said(Round2.class));

        var otherIdentity = new Duel(5);
        NodeId relay = Duel.node(66);
        otherIdentity.meet(relay);
        otherIdentity.tap = (toSponsor, frame) -> {
            if (toSponsor) {
                otherIdentity.toSponsor(new SponsorMachine.Event.Arrived(relay, frame));
                return List.of();
            }
            return List.of(frame);
        };
        otherIdentity.play();
        assertEquals(List.of(PairingFailure.PROOF), otherIdentity.failures());
        assertEquals(List.of(), otherIdentity.said(Round2.class));
    }

    /** Attack 16's second half, inside TLS. */
    @Test
    void nothingSecretTravelsInPlainAndNothingSecretIsPrinted() {
        byte[] marked = "the secret of the namespace, thirty-two".getBytes(StandardCharsets.US_ASCII);
        var duel = new Duel(6, Bytes.of(marked));
        var seen = new ArrayList<String>();
        var wire = new ArrayList<String>();
        duel.tap = (_, frame) -> {
            wire.add(new String(frame.toArray(), StandardCharsets.ISO_8859_1));
            seen.add(String.valueOf(Duel.decode(frame)));
            seen.add(duel.sponsorState + " " + duel.joinerState);
            return List.of(frame);
        };
        duel.play();
        assertTrue(duel.joinersEnd().orElseThrow() instanceof JoinerMachine.Outcome.Paired);
        seen.addAll(wire);
        seen.add(duel.bySponsor + " " + duel.byJoiner + " " + Duel.CODE + " " + duel.sponsorState + duel.joinerState);
        String all = String.join("\n", seen);
        for (String secret : List.of("the secret of", "12345678", "1234-5678")) {
            assertFalse(all.contains(secret), secret);
        }
        assertTrue(wire.stream().noneMatch(frame -> frame.contains("kitchen") || frame.contains("study")), "labels");
        assertTrue(all.contains("PairingKeys[redacted]"), "keys were there to print");
    }

    static Stream<BigInteger> badElements() {
        return Stream.of(
                BigInteger.ZERO,
                BigInteger.ONE,
                P.subtract(BigInteger.ONE),
                P,
                P.add(BigInteger.ONE),
                BigInteger.TWO, // not in the subgroup
                BigInteger.ONE.shiftLeft(3072).subtract(BigInteger.ONE));
    }

    /** Attack 17: each number of round 1 in turn. */
    @ParameterizedTest
    @MethodSource("badElements")
    void aBadElementInRound1IsRejectedAndCounted(BigInteger bad) {
        List<UnaryOperator<Round1>> lies = List.of(
                right -> new Round1(bad, right.gx2(), right.proof1(), right.proof2()),
                right -> new Round1(right.gx1(), bad, right.proof1(), right.proof2()),
                right -> new Round1(
                        right.gx1(), right.gx2(), new Proof(bad, right.proof1().response()), right.proof2()),
                right -> new Round1(
                        right.gx1(),
                        right.gx2(),
                        right.proof1(),
                        new Proof(bad, right.proof2().response())));
        for (UnaryOperator<Round1> lie : lies) {
            for (boolean toSponsor : List.of(true, false)) {
                var duel = lying(toSponsor, message -> message instanceof Round1 right ? lie.apply(right) : message);
                assertEquals(PairingFailure.PROOF, failed(duel).failure());
                assertEquals(List.of(PairingFailure.PROOF), duel.failures());
                assertEquals(1, duel.sponsorState.runs());
                assertEquals(List.of(), duel.said(Round2.class));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("badElements")
    void aBadElementInRound2IsRejectedAndCounted(BigInteger bad) {
        List<UnaryOperator<Round2>> lies = List.of(
                right -> new Round2(bad, right.proof()),
                right -> new Round2(right.a(), new Proof(bad, right.proof().response())));
        for (UnaryOperator<Round2> lie : lies) {
            for (boolean toSponsor : List.of(true, false)) {
                var duel = lying(toSponsor, message -> message instanceof Round2 right ? lie.apply(right) : message);
                assertEquals(PairingFailure.PROOF, failed(duel).failure());
                assertEquals(List.of(PairingFailure.PROOF), duel.failures());
                assertEquals(List.of(), duel.said(Welcome.class));
            }
        }
    }

    /** Also one that is right except for an added group order, which would be a second form of the same proof. */
    @Test
    void aBadResponseIsRejected() {
        for (UnaryOperator<BigInteger> lie : List.<UnaryOperator<BigInteger>>of(
                _ -> BigInteger.ZERO,
                _ -> Q,
                right -> right.add(Q),
                _ -> BigInteger.TWO.pow(256).subtract(BigInteger.ONE))) {
            var duel = lying(
                    true,
                    message -> message instanceof Round1 right
                            ? new Round1(
                                    right.gx1(),
                                    right.gx2(),
                                    new Proof(
                                            right.proof1().commitment(),
                                            lie.apply(right.proof1().response())),
                                    right.proof2())
                            : message);
            assertEquals(List.of(PairingFailure.PROOF), duel.failures());
        }
    }

    @Test
    void anElementOf4KiBIsRejectedBeforeItIsANumber() {
        BigInteger huge = BigInteger.ONE.shiftLeft(8 * 4096);
        var duel = lying(
                true,
                message -> message instanceof Round1 right
                        ? new Round1(huge, right.gx2(), right.proof1(), right.proof2())
                        : message);
        assertEquals(List.of(PairingFailure.MALFORMED), duel.failures());
        assertEquals(PairingFailure.MALFORMED, failed(duel).failure());
    }

    /** A number may be written with a zero before it: the same number, other bytes. */
    @Test
    void everyByteOfTheExchangeIsConfirmed() {
        for (int which = 0; which < 4; which++) {
            boolean toSponsor = which % 2 == 0;
            Class<? extends PairingMessage> kind = which < 2 ? Round1.class : Round2.class;
            var duel = new Duel(20);
            duel.tap = (isToSponsor, frame) -> isToSponsor == toSponsor && kind.isInstance(Duel.decode(frame))
                    ? List.of(lengthened(frame))
                    : List.of(frame);
            duel.play();
            assertEquals(List.of(PairingFailure.WRONG_CODE), duel.failures(), kind + " " + toSponsor);
        }
    }

    /** The first number gets a zero before it. */
    private static Bytes lengthened(Bytes frame) {
        byte[] bytes = frame.toArray();
        int length = (((bytes[1] & 0xFF) << 8) | (bytes[2] & 0xFF)) + 1;
        byte[] longer = new byte[bytes.length + 1];
        longer[0] = bytes[0];
        longer[1] = (byte) (length >>> 8);
        longer[2] = (byte) length;
        System.arraycopy(bytes, 3, longer, 4, bytes.length - 3);
        return Bytes.of(longer);
    }

    /** Both ends are one machine: their names differ only by the role, so only the role distinguishes them. */
    @Test
    void ownMessagesSentBackAreRejected() {
        var echo = new Duel(7);
        var first = new ArrayList<Bytes>();
        echo.tap = (toSponsor, frame) -> {
            if (toSponsor) {
                first.add(frame);
                return List.of(frame);
            }
            return Duel.decode(frame) instanceof Round1 ? List.of(first.getFirst()) : List.of(frame);
        };
        echo.play();
        assertEquals(PairingFailure.PROOF, failed(echo).failure());
    }

    @Test
    void aMachineDoesNotPairWithItself() {
        var duel = new Duel(7);
        duel.meet(duel.sponsorId);
        assertEquals(List.of(new Sorry(PairingFailure.ITSELF, 0)), duel.said(Sorry.class));
        assertEquals(0, duel.sponsorState.runs());

        var state = duel.joiner
                .step(duel.joinerState, new JoinerMachine.Event.Sighted("place", List.of(Duel.ADDRESS)), duel.now)
                .state();
        var met = duel.joiner.step(
                state, new JoinerMachine.Event.Met(duel.joinerId, Duel.EXPORTER, Duel.ADDRESS), duel.now);
        assertEquals(0, sends(met.effects()));
        assertEquals(0, met.state().runs());
    }

    /** Attack 17: each message to the sponsor, at each stage where it is not allowed. */
    @Test
    void aMessageOutOfOrderEndsTheRunAndCounts() {
        Round1 round1 = Exchanges.of(8).begin("a", "b", "1").round1();
        var round2 = new Round2(BigInteger.TEN, new Proof(BigInteger.TEN, BigInteger.TEN));
        var mac = Bytes.of(Duel.filled(32, 1));
        List<PairingMessage> all = List.of(
                round1,
                round2,
                new Confirm(mac, Bytes.of((byte) 1)),
                new Welcome(mac, 100),
                new Page(Bytes.of((byte) 1)),
                new Done(),
                new Sorry(PairingFailure.UNKNOWN, 0));
        for (PairingMessage odd : all) {
            if (!(odd instanceof Round1)) {
                var first = new Duel(8);
                first.meet(first.joinerId);
                first.say(first.joinerId, odd);
                assertEquals(List.of(PairingFailure.MALFORMED), first.failures(), "first: " + odd);
                assertEquals(1, first.sponsorState.runs());
            }
            if (!(odd instanceof Round2 || odd instanceof Sorry)) {
                var second = lying(true, message -> message instanceof Round2 ? odd : message);
                assertEquals(List.of(PairingFailure.MALFORMED), second.failures(), "for round 2: " + odd);
                assertEquals(PairingFailure.MALFORMED, failed(second).failure());
            }
            if (!(odd instanceof Confirm || odd instanceof Sorry)) {
                var third = lying(true, message -> message instanceof Confirm ? odd : message);
                assertEquals(List.of(PairingFailure.MALFORMED), third.failures(), "for the confirmation: " + odd);
            }
            if (!(odd instanceof Round1 || odd instanceof Sorry)) {
                var joiner = lying(false, message -> message instanceof Round1 ? odd : message);
                assertEquals(PairingFailure.MALFORMED, failed(joiner).failure(), "to the newcomer: " + odd);
            }
        }
        var repeated = new Duel(8);
        repeated.tap = (toSponsor, frame) ->
                toSponsor && Duel.decode(frame) instanceof Round1 ? List.of(frame, frame) : List.of(frame);
        repeated.play();
        assertEquals(List.of(PairingFailure.MALFORMED), repeated.failures());
    }

    @Test
    void aWrongConfirmationOfTheSponsorIsNotBelieved() {
        var duel = lying(
                false,
                message -> message instanceof Welcome right
                        ? new Welcome(Bytes.of(Duel.filled(32, 1)), right.sealedBytes())
                        : message);
        assertEquals(PairingFailure.WRONG_CODE, failed(duel).failure());
        assertTrue(duel.byJoiner.stream().noneMatch(JoinerMachine.Effect.Accept.class::isInstance));
    }

    @Test
    void aWelcomeThatWasTouchedIsNotAccepted() {
        for (UnaryOperator<PairingMessage> lie : List.<UnaryOperator<PairingMessage>>of(
                message -> message instanceof Page(var part) ? new Page(flipped(part)) : message,
                message -> message instanceof Page(var part)
                        ? new Page(Bytes.of(Duel.filled(part.size() + 1, 0)))
                        : message,
                message -> message instanceof Welcome(var mac, var _) ? new Welcome(mac, Integer.MAX_VALUE) : message,
                message -> message instanceof Welcome(var mac, var _) ? new Welcome(mac, -1) : message,
                message -> message instanceof Welcome(var mac, var bytes) ? new Welcome(mac, bytes - 1) : message)) {
            var duel = lying(false, lie);
            assertEquals(PairingFailure.MALFORMED, failed(duel).failure());
            assertTrue(duel.byJoiner.stream().noneMatch(JoinerMachine.Effect.Accept.class::isInstance));
            assertEquals(
                    false,
                    ((SponsorMachine.Outcome.Paired) duel.sponsorsEnd().orElseThrow()).confirmed(),
                    "it has the secret, if it is not honest");
        }
    }

    /** Pages of one byte each would fill a list. */
    @Test
    void pagesAreCounted() {
        var duel = new Duel(9);
        duel.tap = (toSponsor, frame) -> {
            if (!toSponsor && Duel.decode(frame) instanceof Page(var part)) {
                var crumbs = new ArrayList<Bytes>();
                for (byte crumb : part.toArray()) {
                    crumbs.add(PairingEncoding.encode(new Page(Bytes.of(crumb))));
                }
                return crumbs;
            }
            return List.of(frame);
        };
        duel.play();
        assertEquals(PairingFailure.MALFORMED, failed(duel).failure());
    }

    @Test
    void oneRunAtATimeAndTheOthersCostNothing() {
        var duel = new Duel(10);
        var held = new ArrayList<Bytes>();
        duel.tap = (toSponsor, frame) -> {
            if (toSponsor && Duel.decode(frame) instanceof Confirm) {
                held.add(frame);
                return List.of();
            }
            return List.of(frame);
        };
        duel.play();
        NodeId other = Duel.node(50);
        duel.meet(other);
        duel.say(other, Exchanges.of(50).begin("a", "b", "1").round1());
        assertEquals(List.of(new Sorry(PairingFailure.BUSY, 0)), duel.said(Sorry.class));
        assertEquals(1, duel.sponsorState.runs());
        duel.say(duel.joinerId, held.getFirst());
        assertTrue(duel.joinersEnd().orElseThrow() instanceof JoinerMachine.Outcome.Paired, "" + duel.joinersEnd());
    }

    @Test
    void aRunTakesFiveSecondsAtMost() {
        var duel = new Duel(11);
        duel.tap =
                (toSponsor, frame) -> toSponsor && Duel.decode(frame) instanceof Confirm ? List.of() : List.of(frame);
        duel.play();
        assertEquals(5 * SECOND, duel.sponsor.sleepNanos(duel.sponsorState, duel.now));
        duel.tickBoth(5 * SECOND - 1);
        assertEquals(List.of(), duel.failures());
        duel.now++;
        duel.toSponsor(new SponsorMachine.Event.Tick());
        duel.deliver();
        assertEquals(List.of(PairingFailure.TOO_LATE), duel.failures());
        assertEquals(PairingFailure.TOO_LATE, failed(duel).failure());
    }

    /**
     * Only monotonic time counts: whatever the wall clock shows, and wherever the monotonic clock begins, the code is valid for 5 minutes.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - SECOND, Long.MIN_VALUE, -5})
    void aCodeLivesFiveMinutes(long born) {
        var machine =
                new SponsorMachine(Duel.node(1).peer(), "study", Duel.CODE, Exchanges.of(1), PairingLimits.DEFAULT);
        var state = SponsorMachine.State.fresh(born);
        assertEquals(300 * SECOND, machine.sleepNanos(state, born));
        var before = machine.step(state, new SponsorMachine.Event.Tick(), born + 300 * SECOND - 1);
        assertEquals(List.of(), before.effects());
        var after = machine.step(state, new SponsorMachine.Event.Tick(), born + 300 * SECOND);
        assertEquals(List.of(new SponsorMachine.Effect.Ended(new SponsorMachine.Outcome.Expired())), after.effects());
        var late = machine.step(
                after.state(), new SponsorMachine.Event.Met(Duel.node(2), Duel.EXPORTER, ""), born + 301 * SECOND);
        assertEquals(
                new SponsorMachine.Effect.Send(Duel.node(2), PairingEncoding.encode(new Sorry(PairingFailure.DEAD, 0))),
                late.effects().getFirst());
    }

    @Test
    void aRunThatBeganInTimeIsPlayedToItsEnd() {
        var duel = new Duel(12);
        duel.now += 299 * SECOND;
        duel.tap = (toSponsor, frame) -> {
            duel.now += SECOND / 2;
            return List.of(frame);
        };
        duel.joinerState = duel.joiner.fresh(duel.now);
        duel.play();
        assertTrue(duel.sponsorsEnd().orElseThrow() instanceof SponsorMachine.Outcome.Paired, "" + duel.sponsorsEnd());
    }

    @Test
    void whoConnectsAndSaysNothingCostsNoRunAndIsSentAway() {
        var duel = new Duel(13);
        for (int i = 0; i < 1000; i++) {
            duel.meet(Duel.node(i % 250));
        }
        assertTrue(duel.sponsorState.guests().size() <= PairingLimits.DEFAULT.guestsMax());
        duel.tickBoth(5 * SECOND);
        assertEquals(0, duel.sponsorState.guests().size());
        duel.meet(Duel.node(30));
        duel.toSponsor(new SponsorMachine.Event.Gone(Duel.node(30)));
        assertEquals(0, duel.sponsorState.guests().size());
        assertEquals(0, duel.sponsorState.runs());
        duel.play();
        assertTrue(duel.sponsorsEnd().orElseThrow() instanceof SponsorMachine.Outcome.Paired);
    }

    @Test
    void aNewcomerThatFallsSilentAtTheEndIsPairedButUnconfirmed() {
        var duel = new Duel(14);
        duel.tap = (toSponsor, frame) -> toSponsor && Duel.decode(frame) instanceof Done ? List.of() : List.of(frame);
        duel.play();
        duel.toSponsor(new SponsorMachine.Event.Gone(duel.joinerId));
        assertEquals(
                Optional.of(new SponsorMachine.Outcome.Paired(duel.joinerId, "kitchen", "192.168.1.77", false)),
                duel.sponsorsEnd());
    }

    /** The joining machine holds the secret: whatever it sends then, the code is valid for no other machine. */
    @Test
    void aCodeIsUsedOnceTheWelcomeIsSent() {
        for (PairingMessage odd : List.of(new Page(Bytes.of((byte) 1)), new Sorry(PairingFailure.MALFORMED, 0))) {
            var duel = lying(true, message -> message instanceof Done ? odd : message);
            assertEquals(
                    Optional.of(new SponsorMachine.Outcome.Paired(duel.joinerId, "kitchen", "192.168.1.77", false)),
                    duel.sponsorsEnd());
            duel.tap = (_, frame) -> List.of(frame);
            duel.newcomer(20, Duel.CODE);
            duel.play();
            assertEquals(PairingFailure.DEAD, failed(duel).failure());
            assertEquals(1, duel.said(Welcome.class).size());
        }
    }

    /** The joining machine holds the secret, and its disk is full. */
    @Test
    void whatCannotBeStoredIsSaidOnBothSides() {
        var duel = new Duel(15);
        duel.isDiskFull = true;
        duel.play();
        assertEquals(Optional.of(new JoinerMachine.Outcome.NotStored("the disk is full")), duel.joinersEnd());
        assertEquals(
                Optional.of(new SponsorMachine.Outcome.Paired(duel.joinerId, "kitchen", "192.168.1.77", false)),
                duel.sponsorsEnd());
    }

    // ---- the search of a joining machine

    @Test
    void withoutASponsorANewcomerGivesUpInTime() {
        var duel = new Duel(16);
        assertEquals(60 * SECOND, duel.joiner.sleepNanos(duel.joinerState, duel.now));
        duel.tickBoth(60 * SECOND - 1);
        assertEquals(Optional.empty(), duel.joinersEnd());
        duel.tickBoth(1);
        assertEquals(Optional.of(new JoinerMachine.Outcome.NotFound("")), duel.joinersEnd());
    }

    @Test
    void aPlaceThatDoesNotAnswerIsTriedAgainAtItsOtherAddressAndNotForEver() {
        var machine = new JoinerMachine(Duel.node(2).peer(), "", Duel.CODE, Exchanges.of(1), PairingLimits.DEFAULT);
        var state = machine.fresh(0);
        var dialled = new ArrayList<String>();
        var step = machine.step(state, new JoinerMachine.Event.Sighted("place", List.of("a:1", "b:1")), 0);
        long now = 0;
        Optional<JoinerMachine.Outcome> end = Optional.empty();
        while (end.isEmpty()) {
            for (JoinerMachine.Effect effect : step.effects()) {
                if (effect instanceof JoinerMachine.Effect.Dial(var address)) {
                    dialled.add(address);
                } else if (effect instanceof JoinerMachine.Effect.Ended(var outcome)) {
                    end = Optional.of(outcome);
                } else {
                    fail("" + effect);
                }
            }
            if (end.isPresent()) {
                break;
            }
            step = step.state().phase() instanceof JoinerMachine.Phase.Dialing(var _, var address)
                    ? machine.step(step.state(), new JoinerMachine.Event.NotMet(address, "refused"), now)
                    : machine.step(step.state(), new JoinerMachine.Event.Tick(), now);
            now += step.effects().isEmpty() ? Math.max(1, machine.sleepNanos(step.state(), now)) : 0;
        }
        assertEquals(List.of("a:1", "b:1", "a:1"), dialled.subList(0, 3));
        assertTrue(dialled.size() <= PairingLimits.DEFAULT.dialsMax() && dialled.size() > 50, "" + dialled.size());
        assertEquals(new JoinerMachine.Outcome.NotFound("b:1: refused"), end.orElseThrow());
    }

    @Test
    void aBusySponsorIsAskedAgain() {
        var duel = new Duel(17);
        duel.meet(Duel.node(50));
        var other = new JoinerMachine(Duel.node(50).peer(), "", WRONG, Exchanges.of(50), PairingLimits.DEFAULT);
        var begun = other.step(
                other.step(other.fresh(0), new JoinerMachine.Event.Sighted("x", List.of("x:1")), 0)
                        .state(),
                new JoinerMachine.Event.Met(duel.sponsorId, Duel.EXPORTER, "x:1"),
                0);
        duel.say(Duel.node(50), sent(begun.effects()));
        duel.play();
        assertEquals(Optional.empty(), duel.joinersEnd());
        assertEquals(1, duel.joinerState.runs());
        duel.toSponsor(new SponsorMachine.Event.Gone(Duel.node(50)));
        duel.tickBoth(5 * SECOND);
        assertTrue(duel.joinersEnd().orElseThrow() instanceof JoinerMachine.Outcome.Paired, "" + duel.joinersEnd());
    }

    @Test
    void theRightSponsorIsFoundBehindALiar() {
        var machine = new JoinerMachine(Duel.node(2).peer(), "", Duel.CODE, Exchanges.of(1), PairingLimits.DEFAULT);
        var seen = machine.step(machine.fresh(0), new JoinerMachine.Event.Sighted("liar", List.of("l:1")), 0);
        NodeId liar = Duel.node(60);
        var met = machine.step(seen.state(), new JoinerMachine.Event.Met(liar, Duel.EXPORTER, "l:1"), 0);
        var lied = machine.step(met.state(), new JoinerMachine.Event.Gone(liar), 0);
        assertTrue(lied.effects().stream().noneMatch(JoinerMachine.Effect.Ended.class::isInstance), "" + lied);
        assertEquals(3 * SECOND, machine.sleepNanos(lied.state(), 0));
        var again = machine.step(lied.state(), new JoinerMachine.Event.Sighted("other", List.of("o:1")), SECOND);
        assertEquals(List.of(new JoinerMachine.Effect.Dial("o:1")), again.effects());
        var same = machine.step(again.state(), new JoinerMachine.Event.Met(liar, Duel.EXPORTER, "o:1"), SECOND);
        assertEquals(0, sends(same.effects()), "one identity has one run");
        var over = machine.step(same.state(), new JoinerMachine.Event.Tick(), 3 * SECOND);
        assertTrue(over.effects().getFirst() instanceof JoinerMachine.Effect.Ended, "" + over);
    }

    private static Duel lying(boolean toSponsor, UnaryOperator<PairingMessage> lie) {
        var duel = new Duel(20);
        duel.tap = (isToSponsor, frame) -> isToSponsor == toSponsor
                ? List.of(PairingEncoding.encode(lie.apply(Duel.decode(frame))))
                : List.of(frame);
        return duel.play();
    }

    private static JoinerMachine.Outcome.Failed failed(Duel duel) {
        return duel.joinersEnd().orElseThrow() instanceof JoinerMachine.Outcome.Failed failed
                ? failed
                : fail("ended as " + duel.joinersEnd());
    }

    private static JoinerMachine.Outcome.Failed fail(String why) {
        throw new AssertionError(why);
    }

    private static Bytes flipped(Bytes part) {
        byte[] bytes = part.toArray();
        bytes[bytes.length / 2] ^= 1;
        return Bytes.of(bytes);
    }

    private static int sends(List<JoinerMachine.Effect> effects) {
        return (int) effects.stream()
                .filter(JoinerMachine.Effect.Send.class::isInstance)
                .count();
    }

    private static Bytes sent(List<JoinerMachine.Effect> effects) {
        return effects.stream()
                .filter(JoinerMachine.Effect.Send.class::isInstance)
                .map(effect -> ((JoinerMachine.Effect.Send) effect).frame())
                .findFirst()
                .orElseThrow();
    }
}
