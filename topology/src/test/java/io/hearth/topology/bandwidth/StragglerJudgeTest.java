package io.hearth.topology.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.identity.NodeId;
import io.hearth.topology.Nodes;
import io.hearth.topology.Straggler;
import io.hearth.topology.Straggler.Cause;
import io.hearth.topology.bandwidth.StragglerJudge.Peer;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class StragglerJudgeTest {
    private static final NodeId A = Nodes.node(1);
    private static final NodeId B = Nodes.node(2);
    private static final NodeId C = Nodes.node(3);
    private static final long SPAN = StragglerJudge.SPAN_NANOS;
    private static final long GIGABIT = 117_500_000;
    private static final long SLOW = 11_900_000;
    private static final Peer WELL = peer(SPAN / 50, SPAN / 50, GIGABIT, 30);

    private final StragglerJudge judge = new StragglerJudge();

    private static Peer peer(long wireNanos, long silentNanos, long rate, int load) {
        return new Peer(new Flow(1_000, 500, wireNanos, silentNanos), rate, load, 0, true);
    }

    private static Peer silent(boolean answers) {
        return new Peer(Flow.NONE, GIGABIT, 30, 0, answers);
    }

    private Optional<Straggler> judged(Peer a, int times) {
        Optional<Straggler> last = Optional.empty();
        for (int i = 0; i < times; i++) {
            last = judge.look(Map.of(A, a, B, WELL, C, WELL), SPAN);
        }
        return last;
    }

    @Test
    void aSlowLinkIsNamedAfterThreeVerdicts() {
        Peer slow = peer(SPAN, 0, SLOW, 30);
        assertEquals(Optional.empty(), judged(slow, StragglerJudge.AGREE - 1));
        Straggler named = judged(slow, 1).orElseThrow();
        assertEquals(new Straggler(A, Cause.LINK, SLOW, GIGABIT), named);
        assertEquals("its link carries 95 Mbit/s where the others carry 940", named.text());
    }

    @Test
    void itIsWithdrawnAfterThreeAndDoesNotFlapBefore() {
        Peer slow = peer(SPAN, 0, SLOW, 30);
        judged(slow, 3);
        assertEquals(Cause.LINK, judged(WELL, 2).orElseThrow().cause());
        judged(slow, 1);
        assertEquals(Cause.LINK, judged(WELL, 2).orElseThrow().cause(), "the count began anew");
        assertEquals(Optional.empty(), judged(WELL, 1));
    }

    @Test
    void waitingAloneIsNoEvidence() {
        assertEquals(Optional.empty(), judged(peer(0, SPAN, GIGABIT, 30), 5), "it only passes on what it waits for");
        assertEquals(Optional.empty(), judged(peer(SPAN, 0, GIGABIT, 30), 5), "its link is as fast as the others");
        assertEquals(Optional.empty(), judged(peer(SPAN, 0, 0, 30), 5), "its rate is not known");
    }

    @Test
    void aSlowLinkForWhichNobodyWaitsIsNoStraggler() {
        assertEquals(Optional.empty(), judged(peer(SPAN / 10, 0, SLOW, 30), 5));
    }

    @Test
    void aBusyMachineIsNamed() {
        Straggler named = judged(peer(0, SPAN, GIGABIT, 250), 3).orElseThrow();
        assertEquals(new Straggler(A, Cause.CPU, 250, 30), named);
        assertEquals("its processors have a load of 250 % where the others have 30", named.text());
    }

    @Test
    void aLoadThatOthersHaveTooIsNoCause() {
        Peer busy = peer(SPAN / 50, SPAN / 50, GIGABIT, 130);
        for (int i = 0; i < 5; i++) {
            assertEquals(Optional.empty(), judge.look(Map.of(A, peer(0, SPAN, GIGABIT, 250), B, busy, C, busy), SPAN));
        }
        assertEquals(Optional.empty(), judged(peer(0, SPAN, GIGABIT, -1), 5), "its load is not known");
    }

    private static Peer encoding(int percent, int load) {
        return new Peer(new Flow(1_000, 500, 0, SPAN), GIGABIT, load, percent, true);
    }

    @Test
    void aPeerThatEncodesForLongIsNamedEvenIfItIsBusyWithThat() {
        Straggler named = judged(encoding(80, 250), 3).orElseThrow();
        assertEquals(new Straggler(A, Cause.COMPRESSION, 80, 0), named);
        assertEquals("its compression takes 80 % of its time where that of the others takes 0", named.text());
    }

    @Test
    void compressionThatTakesOthersAsLongOrLittleTimeIsNoCause() {
        assertEquals(Optional.empty(), judged(encoding(49, 30), 5));
        for (int i = 0; i < 5; i++) {
            assertEquals(
                    Optional.empty(),
                    judge.look(Map.of(A, encoding(90, 30), B, encoding(60, 30), C, encoding(50, 30)), SPAN));
        }
    }

    @Test
    void aPeerThatDoesNotAnswerWhileNothingArrivesIsAsleep() {
        Optional<Straggler> named = Optional.empty();
        for (int i = 0; i < 3; i++) {
            named = judge.look(Map.of(A, silent(true), B, silent(false), C, silent(true)), SPAN);
        }
        assertEquals(Optional.of(new Straggler(B, Cause.ASLEEP, 0, 0)), named);
        for (int i = 0; i < 3; i++) {
            named = judge.look(Map.of(A, silent(true), B, silent(true)), SPAN);
        }
        assertEquals(Optional.empty(), named);
    }

    @Test
    void shortLooksAddUp() {
        for (int i = 0; i < 11; i++) {
            assertEquals(
                    Optional.empty(), judge.look(Map.of(A, peer(SPAN / 4, 0, SLOW, 30), B, WELL, C, WELL), SPAN / 4));
        }
        assertEquals(
                Cause.LINK,
                judge.look(Map.of(A, peer(SPAN / 4, 0, SLOW, 30), B, WELL, C, WELL), SPAN / 4)
                        .orElseThrow()
                        .cause());
    }
}
