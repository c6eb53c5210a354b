package io.hearth.identity.pairing.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Attack 17: an attacker on the connection, and other machines beside it, drop, repeat, swap, cut and edit messages, hang up and let time
 * pass. {@code -Dhearth.runs=N} runs other numbers of seeds, {@code -Dhearth.seed=S} one seed.
 */
final class PairingFuzzTest {
    private static final int RUNS =
            Integer.getInteger("hearth.runs", Boolean.getBoolean("hearth.full") ? 4_000 : 1_000);
    private static final long SECOND = 1_000_000_000L;
    private static final Bytes SECRET = Bytes.of(Duel.filled(100, 9));

    @Test
    void noRunBreaksARule() {
        Map<PairingFailure, Integer> failures = new EnumMap<>(PairingFailure.class);
        int paired = 0;
        int runs = 0;
        long only = Long.getLong("hearth.seed", -1);
        for (long seed = Math.max(0, only); runs < RUNS && (only < 0 || seed == only); seed++) {
            try {
                Duel duel = play(seed);
                check(duel);
                runs += duel.sponsorState.runs();
                duel.failures().forEach(failure -> failures.merge(failure, 1, Integer::sum));
                paired += duel.sponsorsEnd().orElseThrow() instanceof SponsorMachine.Outcome.Paired ? 1 : 0;
            } catch (RuntimeException | AssertionError broken) {
                throw new AssertionError("seed " + seed + ": " + broken, broken);
            }
        }
        if (only < 0 && RUNS >= 1_000) {
            assertTrue(paired > RUNS / 20, "only " + paired + " of " + runs + " runs paired");
            for (PairingFailure expected : List.of(
                    PairingFailure.WRONG_CODE,
                    PairingFailure.MALFORMED,
                    PairingFailure.PROOF,
                    PairingFailure.HUNG_UP,
                    PairingFailure.TOO_LATE)) {
                assertTrue(failures.getOrDefault(expected, 0) > RUNS / 500, expected + " was not met: " + failures);
            }
        }
    }

    private static Duel play(long seed) {
        var random = new SplittableRandom(seed);
        var duel = new Duel(seed, SECRET);
        var heard = new ArrayList<Bytes>();
        int mischief = random.nextInt(4) * 5; // percent; a quarter of the runs have no attack
        duel.tap = (toSponsor, frame) -> {
            heard.add(frame);
            return random.nextInt(100) < mischief ? edited(duel, frame, heard, random) : List.of(frame);
        };
        for (int round = 0; round < 8 && duel.sponsorsEnd().isEmpty(); round++) {
            boolean isWrong = random.nextInt(3) == 0;
            duel.newcomer(10 + round, isWrong ? PairingCode.of(42, random.nextInt(1_000)) : Duel.CODE);
            stranger(duel, heard, mischief, random);
            duel.play();
            if (random.nextInt(3) == 0) {
                stranger(duel, heard, mischief, random);
            }
            switch (random.nextInt(4)) {
                case 0 -> duel.toSponsor(new SponsorMachine.Event.Gone(duel.joinerId));
                case 1 -> duel.tickBoth(random.nextLong(SECOND));
                default -> duel.tickBoth(5 * SECOND + random.nextLong(SECOND));
            }
            duel.deliver();
            assertTrue(duel.sponsorState.guests().size() <= PairingLimits.DEFAULT.guestsMax());
        }
        duel.tickBoth(310 * SECOND);
        duel.tickBoth(6 * SECOND);
        return duel;
    }

    /** The invariants, which hold under any attack. */
    private static void check(Duel duel) {
        assertTrue(duel.sponsorsEnd().isPresent(), "the code is dead in the end");
        assertEquals(
                1,
                duel.bySponsor.stream()
                        .filter(SponsorMachine.Effect.Ended.class::isInstance)
                        .count());
        assertTrue(duel.said(PairingMessage.Round2.class).size() <= 3, "three guesses");
        assertTrue(duel.said(PairingMessage.Round1.class).size() <= 3, "three runs");
        assertTrue(duel.failures().size() <= 3);
        assertTrue(duel.said(PairingMessage.Welcome.class).size() <= 1, "one machine");
        boolean isPaired = duel.sponsorsEnd().orElseThrow() instanceof SponsorMachine.Outcome.Paired;
        assertEquals(isPaired, duel.said(PairingMessage.Welcome.class).size() == 1);
        for (JoinerMachine.Effect effect : duel.byJoiner) {
            if (effect instanceof JoinerMachine.Effect.Accept(var from, var label, var welcome)) {
                assertEquals(duel.sponsorId, from);
                assertEquals("study", label);
                assertEquals(SECRET, welcome);
                assertTrue(isPaired);
            }
        }
        assertTrue(duel.joinerState.runs() <= 3);
    }

    private static void stranger(Duel duel, List<Bytes> heard, int mischief, SplittableRandom random) {
        if (random.nextInt(100) >= mischief) {
            return;
        }
        NodeId who = Duel.node(100 + random.nextInt(20));
        duel.meet(who);
        for (int said = random.nextInt(3); said > 0; said--) {
            duel.say(
                    who,
                    heard.isEmpty() || random.nextInt(3) == 0
                            ? noise(random)
                            : heard.get(random.nextInt(heard.size())));
        }
        if (random.nextBoolean()) {
            duel.toSponsor(new SponsorMachine.Event.Gone(who));
        }
    }

    private static List<Bytes> edited(Duel duel, Bytes frame, List<Bytes> heard, SplittableRandom random) {
        byte[] bytes = frame.toArray();
        return switch (random.nextInt(9)) {
            case 0 -> List.of();
            case 1 -> List.of(frame, frame);
            case 2 -> List.of(heard.get(random.nextInt(heard.size())));
            case 3 -> List.of(heard.get(random.nextInt(heard.size())), frame);
            case 4 -> List.of(Bytes.of(Arrays.copyOf(bytes, random.nextInt(bytes.length))));
            case 5 -> List.of(noise(random));
            case 6 -> {
                duel.now += random.nextLong(4 * SECOND);
                yield List.of(frame);
            }
            case 7 -> List.of(numbers(frame, random));
            default -> {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                yield List.of(Bytes.of(bytes));
            }
        };
    }

    /** A round message with numbers at the limits of their ranges. */
    private static Bytes numbers(Bytes frame, SplittableRandom random) {
        BigInteger p = Exchanges.GROUP.getP();
        List<BigInteger> edges = List.of(
                BigInteger.ZERO,
                BigInteger.ONE,
                p.subtract(BigInteger.ONE),
                p,
                Exchanges.GROUP.getQ(),
                Exchanges.GROUP.getG(),
                BigInteger.ONE.shiftLeft(3071));
        BigInteger edge = edges.get(random.nextInt(edges.size()));
        PairingMessage message;
        try {
            message = PairingEncoding.decode(frame);
        } catch (MalformedMessageException edited) {
            return frame;
        }
        return switch (message) {
            case PairingMessage.Round1 round
            when random.nextBoolean() ->
                PairingEncoding.encode(new PairingMessage.Round1(edge, round.gx2(), round.proof1(), round.proof2()));
            case PairingMessage.Round1 round ->
                PairingEncoding.encode(new PairingMessage.Round1(
                        round.gx1(), edge, round.proof1(), new PairingMessage.Proof(edge, BigInteger.ZERO)));
            case PairingMessage.Round2 round -> PairingEncoding.encode(new PairingMessage.Round2(edge, round.proof()));
            case PairingMessage other -> PairingEncoding.encode(other);
        };
    }

    private static Bytes noise(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(random.nextInt(20) == 0 ? 70_000 : 300)];
        random.nextBytes(bytes);
        if (bytes.length > 0 && random.nextBoolean()) {
            bytes[0] = (byte) random.nextInt(9);
        }
        return Bytes.of(bytes);
    }
}
