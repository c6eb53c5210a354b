package io.hearth.collective.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a group decides, by what its members measured. */
final class CodecDecisionTest {
    private static final SumModel MODEL = new SumModel(60_000);
    private static final CodecCost FP16 = new CodecCost(true, 2, 0.2, 0.1, 0.15);
    private static final CodecCost INT8 = new CodecCost(true, 1.0625, 0.3, 0.15, 0.17);
    private static final CodecCost TOP_K = new CodecCost(false, 0.0305, 0.9, 0.1, 0.05);
    private static final long COUNT = 1 << 20;

    private static CodecBallot ballot(double link, int current, int round, double... ratios) {
        List<CodecCost> costs = List.of(FP16, INT8, TOP_K);
        var codecs = new ArrayList<CodecBallot.Codec>();
        for (int i = 0; i < costs.size(); i++) {
            codecs.add(new CodecBallot.Codec(costs.get(i), i < ratios.length ? ratios[i] : Double.NaN));
        }
        return new CodecBallot(COUNT, current, round, link, codecs);
    }

    private static CodecDecision decide(int world, CodecBallot ballot) {
        return CodecDecision.of(Collections.nCopies(world, ballot), MODEL);
    }

    /** From Wi-Fi to a link that no codec keeps up with; 8 ns/byte is 1 Gbit/s. */
    @ParameterizedTest(name = "{0} members, {1} ns/byte")
    @CsvSource({"2, 100, 3", "2, 8, 3", "2, 0.8, 3", "2, 0.15, 0", "2, 0.02, 0", "4, 8, 3", "8, 8, 3", "16, 0.8, 2"})
    void theSlowerTheLinkTheMoreIsSaved(int world, double link, int chosen) {
        CodecDecision decision = decide(world, ballot(link, 0, 1));
        assertEquals(chosen, decision.chosen());
        assertTrue(decision.gain() >= 1, "" + decision);
        assertEquals(MODEL.plainNanos(world, COUNT, link), decision.plainNanos());
    }

    @Test
    void manyMembersMakeWholeEncodingsDear() {
        int world = 64;
        var dense = new CodecCost(false, 0.4, 0.9, 0.1, 0.05);
        var codecs = List.of(new CodecBallot.Codec(INT8, Double.NaN), new CodecBallot.Codec(dense, Double.NaN));
        var ballot = new CodecBallot(COUNT, 0, 1, 8, codecs);
        assertEquals(2, decide(2, ballot).chosen());
        assertEquals(1, decide(world, ballot).chosen());
    }

    @Test
    void nothingIsCompressedBeforeALinkWasMeasured() {
        CodecDecision decision = decide(3, ballot(Double.NaN, 0, 0));
        assertEquals(0, decision.chosen());
        assertEquals(CodecDecision.CALLS_FIRST, decision.calls());
        assertEquals(1, decision.gain());
    }

    @Test
    void oneThatKnowsTheLinkIsEnough() {
        var knows = ballot(8, 0, 0);
        var doesNot = ballot(Double.NaN, 0, 0);
        assertEquals(3, CodecDecision.of(List.of(doesNot, knows), MODEL).chosen());
    }

    /** Those that waited for the last member saw a longer sum. */
    @Test
    void theShortestTimeOfASumCounts() {
        assertEquals(
                8,
                CodecDecision.of(List.of(ballot(500, 0, 1), ballot(8, 0, 1)), MODEL)
                        .nanosPerByte());
    }

    @Test
    void theSlowestMachineCounts() {
        var slow = new CodecCost(false, 0.0305, 50, 0.1, 0.05);
        var codecs = List.of(
                new CodecBallot.Codec(FP16, Double.NaN),
                new CodecBallot.Codec(INT8, Double.NaN),
                new CodecBallot.Codec(slow, Double.NaN));
        var old = new CodecBallot(COUNT, 0, 1, 8, codecs);
        assertEquals(2, CodecDecision.of(List.of(ballot(8, 0, 1), old), MODEL).chosen());
    }

    @Test
    void whatWasSeenOfACodecCounts() {
        assertEquals(3, decide(2, ballot(8, 0, 1)).chosen());
        assertEquals(2, decide(2, ballot(8, 3, 2, Double.NaN, Double.NaN, 15)).chosen());
        assertEquals(0, decide(2, ballot(8, 3, 2, 40, 40, 40)).chosen());
    }

    /** 8 % more is not worth a change; no gain at all is worth one back. */
    @Test
    void aChangeHasToPay() {
        double link = 0.5;
        double plain = MODEL.plainNanos(2, COUNT, link);
        double model = MODEL.encodedNanos(TOP_K, 2, COUNT, link);
        double[] slightlyBetter = {20, 20, plain / model / 1.08};
        assertEquals(0, decide(2, ballot(link, 0, 1, slightlyBetter)).chosen());
        assertEquals(3, decide(2, ballot(link, 3, 1, slightlyBetter)).chosen());
        double[] slightlyWorse = {20, 20, plain / model * 1.02};
        assertEquals(0, decide(2, ballot(link, 3, 1, slightlyWorse)).chosen());
    }

    @Test
    void whatIsNewIsLookedAtSooner() {
        assertEquals(CodecDecision.CALLS_NEW, decide(2, ballot(8, 0, 1)).calls());
        assertEquals(CodecDecision.CALLS, decide(2, ballot(8, 3, 1)).calls());
    }

    @Test
    void nowAndThenOneSumIsPlain() {
        int probes = 0;
        for (int round = 1; round <= 2 * CodecDecision.ROUNDS_TO_PROBE; round++) {
            CodecDecision decision = decide(2, ballot(8, 3, round));
            probes += decision.isProbe() ? 1 : 0;
            assertEquals(decision.isProbe() ? 0 : 3, decision.chosen(), "round " + round);
        }
        assertEquals(2, probes);
    }

    @Test
    void membersThatRememberOtherVotesBeginAnew() {
        var one = ballot(8, 3, 5);
        var other = ballot(8, 0, 5);
        assertEquals(0, CodecDecision.of(List.of(one, other), MODEL).chosen());
    }

    @Test
    void aBallotAndADecisionComeBackFromTheirBytes() throws Exception {
        CodecBallot ballot = ballot(8, 2, 7, 1.5, Double.NaN, 0.5);
        var decision = new CodecDecision(2, 64, 1.5, 3, 8);
        try (var arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(CodecBallot.bytes(3));
            ballot.writeTo(bytes);
            assertEquals(ballot, CodecBallot.readFrom(bytes, 3));
            MemorySegment made = arena.allocate(CodecDecision.BYTES);
            decision.writeTo(made);
            assertEquals(decision, CodecDecision.readFrom(made));
        }
    }

    /** Whatever a member sends: a ballot that decides something, or a typed error. */
    @Test
    void anyBytesAreABallotOrRefused() {
        var random = new SplittableRandom(7);
        byte[] bytes = new byte[(int) CodecBallot.bytes(3)];
        int refused = 0;
        for (int i = 0; i < 100_000; i++) {
            random.nextBytes(bytes);
            if (i % 2 == 0) { // small whole numbers where these are
                Arrays.fill(bytes, 0, 16, (byte) 0);
            }
            try {
                CodecBallot any = CodecBallot.readFrom(MemorySegment.ofArray(bytes), 3);
                CodecDecision decision = CodecDecision.of(List.of(any, ballot(8, 0, 0)), MODEL);
                assertTrue(decision.chosen() >= 0 && decision.chosen() <= 3 && decision.calls() >= 1);
            } catch (MalformedMessageException told) {
                refused++;
            }
        }
        assertTrue(refused > 90_000, refused + " refused");
        bytes[12] = -1;
        bytes[15] = -1;
        assertThrows(MalformedMessageException.class, () -> CodecBallot.readFrom(MemorySegment.ofArray(bytes), 3));
    }
}
