package io.hearth.collective.choice;

import static io.hearth.collective.choice.SumsOfOneSize.COSTS;
import static io.hearth.collective.choice.SumsOfOneSize.FP16;
import static io.hearth.collective.choice.SumsOfOneSize.GIGABIT;
import static io.hearth.collective.choice.SumsOfOneSize.INT8;
import static io.hearth.collective.choice.SumsOfOneSize.MODEL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A group's decisions from its members' measurements. */
final class CodecDecisionTest {
    private static final long COUNT = 1 << 20;
    private static final double UNKNOWN = Double.NaN;
    private static final int PLAIN = 0;
    private static final long SEEDS = Boolean.getBoolean("hearth.full") ? 80 : 40;
    private static final long TRIAL_SEEDS = Boolean.getBoolean("hearth.full") ? 10 : 5;
    private static final List<Double> NOTHING = Collections.nCopies(CodecMeasurements.NANOS, UNKNOWN);

    private static SumsOfOneSize sums() {
        return new SumsOfOneSize(2, COUNT, 1);
    }

    @Test
    void sumsArePlainUntilAllKnowWhatCodecsCost() {
        SumsOfOneSize sums = sums();
        sums.measured = List.of();
        for (int i = 0; i < 100; i++) {
            sums.sum();
            assertEquals(PLAIN, sums.decision().chosen());
        }
        sums.measured = COSTS;
        sums.sum(16);
        assertEquals(3, sums.decision().chosen());
    }

    @Test
    void oneMemberThatDoesNotKnowItsCostsHoldsAllToPlainSums() {
        CodecDecision before = decision(PLAIN, 30e6, UNKNOWN, UNKNOWN, UNKNOWN);
        var knows = new CodecMeasurements(COUNT, before.round(), NOTHING, COSTS);
        var measures = new CodecMeasurements(COUNT, before.round(), NOTHING, List.of());
        assertEquals(PLAIN, before.next(List.of(knows, measures), MODEL).chosen());
        assertEquals(3, before.next(List.of(knows, knows), MODEL).chosen());
    }

    /** A group of one sends nothing, so no codec can save time. */
    @Test
    void aGroupOfOneStaysWithPlainValues() {
        var alone = new SumsOfOneSize(1, COUNT, 1);
        alone.sum(200);
        assertEquals(PLAIN, alone.decision().chosen());
        assertEquals(0, alone.tried);
        assertTrue(alone.decisions < 20, alone.decisions + " votes");
    }

    /** Links from Wi-Fi to shared memory, for which every codec is too slow. */
    @ParameterizedTest(name = "{0} ns a byte: {1}")
    @CsvSource({"100, 3", "8.5, 3", "0.8, 3", "0.05, 0", "0.02, 0"})
    void whatIsPredictedToBeFastestIsUsed(double link, int chosen) {
        SumsOfOneSize sums = sums();
        sums.link = link;
        sums.sum(8);
        assertFalse(Double.isNaN(sums.decision().expected()));
        assertEquals(chosen, sums.decision().chosen());
        assertEquals(0, sums.tried, "nothing is tried that is not predicted to win");
    }

    @Test
    void manyMembersMakeWholeEncodingsDear() {
        var many = new SumsOfOneSize(64, COUNT, 1);
        many.sum(8);
        assertEquals(2, many.decision().chosen());
    }

    /** A choice that is slower than predicted is dropped: after one sum if it is much slower, otherwise after three. */
    @ParameterizedTest(name = "{0} times as dear")
    @ValueSource(doubles = {25, 100})
    void aCodecThatIsDearerThanItWasMeasuredIsLeft(double dearer) {
        SumsOfOneSize sums = sums();
        sums.costs = List.of(FP16, INT8, new CodecCost(false, 0.0305, 0.9 * dearer, 0.1, 0.05));
        sums.sum(3);
        sums.sum(1);
        assertEquals(3, sums.decision().chosen());
        sums.sum(dearer > 50 ? 1 : 3);
        assertNotEquals(3, sums.decision().chosen());
        sums.sum(100);
        assertEquals(2, sums.decision().chosen(), "what is predicted to be second");
        double topk = sums.decision().times().seen().getLast();
        sums.sum(1000);
        assertEquals(topk, sums.decision().times().seen().getLast(), "it is not taken again");
    }

    /** A machine that was busy when it measured its codecs does not exclude them forever. */
    @Test
    void aCodecThatSeemedDearIsTriedIfItsBytesWouldPay() {
        SumsOfOneSize sums = sums();
        sums.measured = List.of(FP16, INT8, new CodecCost(false, 0.0305, 13, 1, 1)); // predicted 16 ms; int8 takes 10
        sums.sum(8);
        assertEquals(2, sums.decision().chosen());
        sums.sum(500);
        assertEquals(3, sums.decision().chosen());
        assertTrue(sums.tried > 0 && sums.tried < 0.03 * sums.spent, sums.tried + " of " + sums.spent);
    }

    /** A gain of 8 % is too small for a change, but a codec without any gain is dropped. The preferred choice comes first. */
    @ParameterizedTest(name = "{0}, {1}, {2}, {3} ms, now {4}: {5}")
    @CsvSource({
        "100, 200, 200, 93, 0, 0",
        "100, 200, 200, 93, 3, 3",
        "100, 200, 200, 102, 3, 0",
        "100, 50, 48, 47, 0, 1",
        "100, 50, 48, 47, 3, 3",
        "100, 50, 30, 20, 1, 3"
    })
    void aChangeHasToPay(double plain, double fp16, double int8, double topk, int now, int chosen) {
        CodecDecision before = decision(now, plain * 1e6, fp16 * 1e6, int8 * 1e6, topk * 1e6);
        var ballot = new CodecMeasurements(COUNT, before.round(), NOTHING, COSTS);
        assertEquals(chosen, before.next(List.of(ballot, ballot), MODEL).chosen());
    }

    /** The link becomes so slow that another choice is faster, for any earlier choice and any waiting times of the members. */
    @ParameterizedTest(name = "{0} members, {1} values, {2} to {3} ns a byte")
    @CsvSource({
        "2, 16777216, 0.05, 8.5",
        "2, 262144, 8.5, 85",
        "4, 1048576, 0.8, 8.5",
        "8, 262144, 8.5, 850",
        "2, 16777216, 0.9, 85",
        "4, 4194304, 8.5, 850"
    })
    void aSlowLinkIsNoticedWithinFourSums(int members, long count, double fast, double slow) {
        for (long seed = 0; seed < TRIAL_SEEDS; seed++) {
            var sums = new SumsOfOneSize(members, count, seed);
            sums.costs = List.of(FP16, INT8);
            // topk is expensive here, because otherwise it would be the right choice on any link
            sums.measured = List.of(FP16, INT8, new CodecCost(false, 8, 9, 9, 9));
            sums.costs = sums.measured;
            sums.link = fast;
            sums.sum(200 + (int) seed);
            int before = sums.decision().chosen();
            sums.link = slow;
            sums.sum(5); // the vote that sees the fourth comes before the fifth
            double seen = sums.decision().times().nanosPerByte();
            assertTrue(seen > slow / 3, "after choice " + before + " the link is still estimated at " + seen);
            sums.sum(100);
            assertTrue(sums.nanos(sums.decision().settled()) < 1.11 * sums.best());
        }
    }

    @Test
    void aSumThatHadBadLuckChangesNothing() {
        SumsOfOneSize sums = sums();
        sums.sum(50);
        CodecDecision before = sums.decision();
        double link = sums.link;
        for (int i = 0; i < 10; i++) {
            sums.link = 100 * link;
            sums.sum();
            sums.link = link;
            sums.sum(5);
            assertEquals(before.times().seen(), sums.decision().times().seen());
        }
    }

    /** With topk a faster link hardly shows, so plain values are tried sometimes. */
    @Test
    void aLinkThatBecameFastIsFound() {
        SumsOfOneSize sums = sums();
        sums.link = 85;
        sums.sum(100);
        assertEquals(3, sums.decision().settled());
        sums.link = 0.02;
        int before = sums.sums;
        while (sums.decision().settled() != PLAIN && sums.sums < 1e6) {
            sums.sum();
        }
        assertTrue(sums.sums - before < 10_000, "" + (sums.sums - before));
        assertTrue(sums.tried < 0.03 * sums.spent, sums.tried + " of " + sums.spent);
    }

    /** For any changes of links and processors, trials stay within their budget, and a good choice follows soon after the last change. */
    @Test
    void trialsTakeThreePercentAtMost() {
        double worst = 0;
        int good = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            var random = new SplittableRandom(seed);
            var sums = new SumsOfOneSize(2 + random.nextInt(7), 1L << random.nextInt(15, 25), seed);
            sums.noise = 0.3 * random.nextDouble();
            double dearer = Math.pow(2, random.nextDouble(-1, 1));
            sums.measured = COSTS.stream().map(cost -> times(cost, dearer)).toList();
            for (int phase = 0; phase < 6; phase++) {
                sums.link = GIGABIT * Math.pow(10, random.nextDouble(-2.5, 1.5));
                sums.processors = Math.pow(1.4, random.nextDouble(-1, 1));
                sums.sum(random.nextInt(50, 500));
                double share = (sums.tried - sums.longestTrial)
                        / sums.spent; // one trial may run on a link that just became slower
                assertTrue(share <= 0.03, "seed " + seed + ": " + share);
            }
            sums.sum(20_000);
            worst = Math.max(worst, sums.tried / sums.spent);
            assertTrue(sums.tried <= 0.03 * sums.spent, "seed " + seed + ": " + sums.tried / sums.spent);
            good += sums.nanos(sums.decision().settled()) < 1.6 * sums.best() ? 1 : 0;
        }
        assertTrue(good > 0.97 * SEEDS, good + " good choices"); // a trial is one sum, which may be an outlier
        assertTrue(worst > 0.005, "nothing was tried");
    }

    private static CodecCost times(CodecCost cost, double dearer) {
        return new CodecCost(
                cost.inBlocks(),
                cost.bytes(),
                cost.encodeNanos() * dearer,
                cost.decodeNanos() * dearer,
                cost.addNanos() * dearer);
    }

    /** A vote costs a message to each member: negligible beside long sums, too much beside short ones. */
    @Test
    void shortSumsVoteRarely() {
        var slow = new SumsOfOneSize(2, 16 * COUNT, 1);
        slow.sum(100);
        assertEquals(100, slow.decisions);
        var fast = new SumsOfOneSize(4, COUNT / 32, 1);
        fast.sum(160);
        assertTrue(fast.decisions < 40, fast.decisions + " votes");
    }

    /** After the vote all members have the same decision again. */
    @Test
    void membersThatRememberOtherVotesBeginAnewTogether() {
        CodecDecision before = decision(3, 34e6, 17e6, 9e6, 3e6);
        var one = new CodecMeasurements(COUNT, before.round(), NOTHING, COSTS);
        for (CodecMeasurements other : List.of(
                new CodecMeasurements(COUNT, before.round() + 4, NOTHING, COSTS),
                new CodecMeasurements(COUNT, 0, NOTHING, COSTS),
                new CodecMeasurements(COUNT + 1, before.round(), NOTHING, COSTS))) {
            CodecDecision decision = before.next(List.of(one, other), MODEL);
            assertEquals(CodecDecision.none(3, Math.max(before.round(), other.round()) + 1), decision);
            assertEquals(decision, CodecDecision.none(3, 7).next(List.of(one, other), MODEL));
        }
    }

    private static CodecDecision decision(int chosen, double... seen) {
        var times = new CodecTimes(
                8, 1e9, 0, 0, List.of(), Arrays.stream(seen).boxed().toList());
        return new CodecDecision(chosen, chosen, 1, 5, times);
    }

    @Test
    void aBallotAndADecisionComeBackFromTheirBytes() throws Exception {
        var nanos = List.of(UNKNOWN, 9e6, UNKNOWN, 3e6);
        for (List<CodecCost> costs : List.of(COSTS, List.<CodecCost>of())) {
            var ballot = new CodecMeasurements(COUNT, 7, nanos, costs);
            MemorySegment bytes = MemorySegment.ofArray(new byte[(int) CodecMeasurements.bytes(3)]);
            ballot.writeTo(bytes);
            assertEquals(ballot, CodecMeasurements.readFrom(bytes, 3));
        }
        var times = new CodecTimes(8.5, 3e9, 1e7, 70, List.of(1e6, 2e6), List.of(34e6, UNKNOWN, 9e6, 3e6));
        var decision = new CodecDecision(0, 3, 16, 5, times);
        MemorySegment made = MemorySegment.ofArray(new byte[CodecDecision.bytes(3)]);
        decision.writeTo(made);
        assertEquals(decision, CodecDecision.readFrom(made, 3));
        assertTrue(decision.isTrial());
        assertNotEquals(decision, CodecDecision.none(3, 5));
    }

    /** Any bytes from a member lead to a decision or to a typed error. */
    @Test
    void anyBytesAreABallotAndADecisionOrRefused() {
        var random = new SplittableRandom(7);
        int[] refused = new int[2];
        int decided = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] ballot = likely(random, (int) CodecMeasurements.bytes(3), 16);
            byte[] decision = likely(random, CodecDecision.bytes(3), 24);
            CodecMeasurements read;
            try {
                read = CodecMeasurements.readFrom(MemorySegment.ofArray(ballot), 3);
            } catch (MalformedMessageException expected) {
                refused[0]++;
                continue;
            }
            try {
                CodecDecision before = CodecDecision.readFrom(MemorySegment.ofArray(decision), 3);
                for (int round = 0; round < 30; round++) {
                    before = before.next(List.of(read, read), MODEL);
                }
                decided++;
            } catch (MalformedMessageException expected) {
                refused[1]++;
            }
        }
        assertTrue(decided > 1000 && refused[0] > 1000 && refused[1] > 1000, decided + ", " + Arrays.toString(refused));
        assertThrows(IllegalArgumentException.class, () -> new CodecMeasurements(1, 0, List.of(1.0), COSTS));
        assertThrows(IllegalArgumentException.class, () -> new CodecMeasurements(1, -1, NOTHING, COSTS));
    }

    /** Random bytes with small integers in the head, and often with valid times. */
    private static byte[] likely(SplittableRandom random, int length, int head) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        for (int at = 0; at < head; at++) {
            bytes[at] = (byte) (at % Integer.BYTES == 0 ? random.nextInt(4) : 0);
        }
        if (random.nextInt(4) > 0) {
            for (int at = head + 7; at < length; at += Double.BYTES) {
                bytes[at] = (byte) (0x3f + random.nextInt(3));
            }
        }
        return bytes;
    }
}
