package io.hearth.collective.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.choice.CodecDecision.Kind;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a group decides, by what its members measured. */
final class CodecDecisionTest {
    private static final SumModel MODEL = new SumModel(60_000);
    private static final CodecCost FP16 = new CodecCost(true, 2, 0.2, 0.1, 0.15);
    private static final CodecCost INT8 = new CodecCost(true, 1.0625, 0.3, 0.15, 0.17);
    private static final CodecCost TOP_K = new CodecCost(false, 0.0305, 0.9, 0.1, 0.05);
    private static final List<CodecCost> COSTS = List.of(FP16, INT8, TOP_K);
    private static final long COUNT = 1 << 20;
    private static final double UNKNOWN = Double.NaN;

    private static CodecBallot ballot(int current, int round, double... nanos) {
        return ballot(COUNT, current, round, false, nanos);
    }

    private static CodecBallot ballot(long count, int current, int round, boolean moved, double... nanos) {
        return new CodecBallot(
                count, current, round, moved, DoubleStream.of(nanos).boxed().toList(), COSTS);
    }

    private static CodecDecision decide(CodecBallot... ballots) {
        return CodecDecision.of(List.of(ballots), MODEL);
    }

    private static CodecDecision both(CodecBallot ballot) {
        return decide(ballot, ballot);
    }

    @Test
    void plainValuesComeFirst() {
        CodecDecision decision = both(ballot(0, 0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN));
        assertEquals(0, decision.chosen());
        assertEquals(Kind.TRIAL, decision.kind());
        assertEquals(1, decision.calls());
        assertEquals(1, decision.round());
    }

    /** Nothing is sent, so no codec can save anything, however little time a sum takes. */
    @Test
    void aGroupOfOneStaysWithPlainValues() {
        for (double plain : new double[] {UNKNOWN, 1e3, 1e9}) {
            CodecDecision decision = decide(ballot(0, 7, plain, UNKNOWN, UNKNOWN, UNKNOWN));
            assertEquals(0, decision.chosen());
            assertEquals(Kind.SETTLED, decision.kind());
            assertEquals(CodecDecision.CALLS, decision.calls());
            assertEquals(8, decision.round());
            assertFalse(decision.isOver(1e6));
        }
    }

    /** From Wi-Fi to a link that no codec keeps up with: 4 MiB take 34 ms at 1 Gbit/s. */
    @ParameterizedTest(name = "plain takes {0} ns")
    @CsvSource({"400e6, 1", "34e6, 1", "4e6, 1", "0.3e6, 0", "0.1e6, 0"})
    void whatMightBeFasterIsTried(double plain, int chosen) {
        CodecDecision decision = both(ballot(0, 2, plain, UNKNOWN, UNKNOWN, UNKNOWN));
        assertEquals(chosen, decision.chosen());
        assertEquals(chosen == 0 ? Kind.SETTLED : Kind.TRIAL, decision.kind());
    }

    @Test
    void eachIsTriedUntilAllAreKnown() {
        assertEquals(2, both(ballot(0, 2, 34e6, 17e6, UNKNOWN, UNKNOWN)).chosen());
        CodecDecision last = both(ballot(0, 2, 34e6, 17e6, 9e6, UNKNOWN));
        assertEquals(3, last.chosen());
        assertEquals(Kind.TRIAL, last.kind());
        CodecDecision settled = both(ballot(0, 2, 34e6, 17e6, 9e6, 3e6));
        assertEquals(new CodecDecision(3, CodecDecision.CALLS, 3, Kind.SETTLED, 3e6, 34e6), settled);
    }

    /** A machine that was busy when it measured its codecs does not forbid them for ever. */
    @Test
    void aCodecThatSeemedDearIsTriedIfItsBytesWouldPay() {
        var busy = new CodecCost(true, 1.0625, 9, 4, 5);
        var ballot = new CodecBallot(COUNT, 0, 2, false, List.of(34e6, UNKNOWN), List.of(busy));
        assertEquals(1, both(ballot).chosen());
        var hopeless = new CodecCost(true, 1.0625, 90, 40, 50);
        assertEquals(
                0,
                both(new CodecBallot(COUNT, 0, 2, false, List.of(34e6, UNKNOWN), List.of(hopeless)))
                        .chosen());
    }

    @Test
    void manyMembersMakeWholeEncodingsDear() {
        var dense = new CodecCost(false, 0.8, 0.9, 0.1, 0.05);
        var ballot = new CodecBallot(COUNT, 0, 2, false, List.of(34e6, UNKNOWN), List.of(dense));
        assertEquals(1, both(ballot).chosen());
        assertEquals(0, CodecDecision.of(Collections.nCopies(64, ballot), MODEL).chosen());
    }

    @Test
    void theSlowestMemberCounts() {
        var one = ballot(0, 5, 34e6, 17e6, 9e6, 3e6);
        var slow = ballot(0, 5, 30e6, 17e6, 9e6, 12e6);
        CodecDecision decision = decide(one, slow);
        assertEquals(2, decision.chosen());
        assertEquals(34e6, decision.plainNanos());
    }

    @Test
    void oneThatKnowsIsEnough() {
        assertEquals(
                3,
                decide(ballot(0, 5, 34e6, 17e6, 9e6, 3e6), ballot(0, 5, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN))
                        .chosen());
    }

    /** 8 % more is not worth a change; no gain at all is worth one back. The most welcome comes first. */
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
        assertEquals(
                chosen,
                both(ballot(now, 9, plain * 1e6, fp16 * 1e6, int8 * 1e6, topk * 1e6))
                        .chosen());
    }

    @Test
    void whoeverSeesAnotherTimeMakesAllBeginAnew() {
        var still = ballot(3, 5, 34e6, 17e6, 9e6, 3e6);
        CodecDecision decision = decide(still, ballot(COUNT, 3, 5, true, 34e6, 17e6, 9e6, 30e6));
        assertEquals(Kind.RESTART, decision.kind());
        assertEquals(0, decision.chosen());
    }

    @Test
    void aTimeIsAnotherOneBeyondHalfAsMuchMoreOrLess() {
        var settled = new CodecDecision(1, 16, 3, Kind.SETTLED, 10, 30);
        for (double now : new double[] {6.7, 10, 14.9, Double.NaN}) {
            assertFalse(settled.isOver(now), "" + now);
        }
        assertTrue(settled.isOver(6.6));
        assertTrue(settled.isOver(15.1));
        assertFalse(new CodecDecision(1, 1, 3, Kind.TRIAL, 10, 30).isOver(100), "a trial expects nothing");
    }

    @Test
    void nowAndThenAllBeginsAnewWithoutAReason() {
        int restarts = 0;
        for (int round = 1; round <= 2 * CodecDecision.ROUNDS; round++) {
            CodecDecision decision = both(ballot(3, round, 34e6, 17e6, 9e6, 3e6));
            restarts += decision.kind() == Kind.RESTART ? 1 : 0;
            assertEquals(round + 1, decision.round());
        }
        assertEquals(3, restarts, "once early, and twice");
    }

    /** After it they are alike, whatever they were before. */
    @Test
    void membersThatRememberOtherVotesBeginAnewTogether() {
        var one = ballot(3, 5, 34e6, 17e6, 9e6, 3e6);
        for (CodecBallot other : List.of(
                ballot(0, 5, 34e6, 17e6, 9e6, 3e6),
                ballot(3, 9, 34e6, 17e6, 9e6, 3e6),
                ballot(COUNT + 1, 3, 5, false, 34e6, 17e6, 9e6, 3e6))) {
            CodecDecision decision = decide(one, other);
            assertEquals(Kind.RESTART, decision.kind());
            assertEquals(Math.max(5, other.round()) + 1, decision.round());
        }
    }

    @Test
    void aBallotAndADecisionComeBackFromTheirBytes() throws Exception {
        CodecBallot ballot = ballot(COUNT, 2, 7, true, 34e6, UNKNOWN, 9e6, 3e6);
        try (var arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(CodecBallot.bytes(3));
            ballot.writeTo(bytes);
            assertEquals(ballot, CodecBallot.readFrom(bytes, 3));
            for (Kind kind : Kind.values()) {
                var decision = new CodecDecision(2, 64, 5, kind, 1.5, 3);
                MemorySegment made = arena.allocate(CodecDecision.BYTES);
                decision.writeTo(made);
                assertEquals(decision, CodecDecision.readFrom(made));
            }
        }
    }

    /** Whatever a member sends: a ballot that decides something, or a typed error. */
    @Test
    void anyBytesAreABallotOrRefused() {
        var random = new SplittableRandom(7);
        byte[] bytes = new byte[(int) CodecBallot.bytes(3)];
        int refused = 0;
        int decided = 0;
        for (int i = 0; i < 100_000; i++) {
            random.nextBytes(bytes);
            if (i % 2 == 0) { // small whole numbers where these are
                Arrays.fill(bytes, 0, 24, (byte) 0);
            }
            if (i % 4 == 0) { // and times that may be
                for (int at = 31; at < bytes.length; at += Double.BYTES) {
                    bytes[at] = 0x41;
                }
            }
            try {
                CodecBallot any = CodecBallot.readFrom(MemorySegment.ofArray(bytes), 3);
                CodecDecision decision = decide(any, ballot(0, 0, 0, false, 34e6, UNKNOWN, UNKNOWN, UNKNOWN));
                assertTrue(decision.isAmong(3), "" + decision);
                decided++;
            } catch (MalformedMessageException told) {
                refused++;
            }
        }
        assertTrue(decided > 10_000 && refused > 10_000, decided + " decided, " + refused + " refused");
        bytes[12] = -1;
        bytes[15] = -1;
        assertThrows(MalformedMessageException.class, () -> CodecBallot.readFrom(MemorySegment.ofArray(bytes), 3));
        var tooFew = new ArrayList<>(List.of(1.0, 2.0));
        assertThrows(IllegalArgumentException.class, () -> new CodecBallot(1, 0, 0, false, tooFew, COSTS));
    }
}
