package io.hearth.lighthouse.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.lighthouse.LighthouseSettings;
import io.hearth.lighthouse.QuorumMember;
import io.hearth.replicated.Content;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lighthouse in virtual time, whose ledger is at hand. Quorums are written {@code id: members}. */
final class LighthouseMachineTest {
    private static final long MILLI = 1_000_000L;

    private final LighthouseMachine machine =
            new LighthouseMachine(new LighthouseSettings(2, 60_000 * MILLI, 5_000 * MILLI));
    private LighthouseState state = LighthouseState.START;
    private QuorumLedger ledger = QuorumLedger.EMPTY;
    private long now = 1_000_000 * MILLI;
    private long calls;
    private boolean isLedgerSlow;
    private List<LighthouseEffect.Form> forms = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();

    private static QuorumMember member(String id, long step, boolean shrinks, long failures) {
        return new QuorumMember(
                id, "http://" + id, "store-" + id, step, 1, shrinks, failures, "", List.of(), Bytes.EMPTY);
    }

    private void step(LighthouseEvent event) {
        Step<LighthouseState, LighthouseEffect> step = machine.step(state, event, now);
        state = step.state();
        for (LighthouseEffect effect : step.effects()) {
            switch (effect) {
                case LighthouseEffect.Form form -> {
                    forms.add(form);
                    if (!isLedgerSlow) {
                        store(form);
                    }
                }
                case LighthouseEffect.AnswerHeartbeat _, LighthouseEffect.Explain _ -> {}
                case LighthouseEffect.AnswerQuorum(long call, var quorum) ->
                    answers.add(call + "=" + quorum.id() + ": "
                            + String.join(
                                    " ",
                                    quorum.members().stream()
                                            .map(QuorumMember::replicaId)
                                            .toList()));
                case LighthouseEffect.Fail(long call, Failure why) -> answers.add(call + "=" + why.code());
            }
        }
    }

    private void store(LighthouseEffect.Form form) {
        assertEquals(form.isNews(), ledger.isNews(form.members(), form.hasFailed()));
        var outcome = QuorumLedger.APPLICATION.apply(ledger, QuorumLedger.form(form.members(), form.hasFailed(), 0));
        ledger = outcome.state();
        step(new LighthouseEvent.Formed(form.attempt(), QuorumLedger.quorumId(outcome.answer()), 0));
    }

    private void pass(long millis) {
        long until = now + millis * MILLI;
        while (true) {
            long sleep = machine.sleepNanos(state, now);
            if (sleep > until - now) {
                now = until;
                return;
            }
            now += sleep;
            step(new LighthouseEvent.Tick());
        }
    }

    private void beat(String... ids) {
        for (String id : ids) {
            step(new LighthouseEvent.Heartbeat(++calls, id));
        }
    }

    private long ask(String id) {
        return ask(member(id, 0, false, 0));
    }

    private long ask(QuorumMember member) {
        step(new LighthouseEvent.Ask(++calls, member));
        return calls;
    }

    private List<String> take() {
        List<String> taken = List.copyOf(answers);
        answers.clear();
        return taken;
    }

    @Test
    void allHealthyReplicasThatAskFormAQuorumAtOnce() {
        beat("a", "b");
        long b = ask("b");
        assertEquals(List.of(), take());
        assertEquals("1 of 2 healthy replicas ask for a quorum: at least 2 are needed", state.reason());
        long a = ask("a");
        assertEquals(List.of(a + "=1: a b", b + "=1: a b"), take());
    }

    @Test
    void aQuorumWaitsForHealthyReplicasUntilTheTimeOut() {
        beat("a", "b", "c");
        ask("a");
        ask("b");
        assertEquals(List.of(), take());
        assertEquals("2 of 3 healthy replicas ask for a quorum: waiting for c", state.reason());
        for (int i = 0; i < 59; i++) {
            pass(1_000);
            beat("a", "b", "c");
        }
        assertEquals(List.of(), take());
        pass(1_000);
        step(new LighthouseEvent.Tick());
        assertEquals(2, take().size());
        assertEquals(List.of("a", "b"), ledger.members());
    }

    @Test
    void aReplicaThatFallsSilentIsNotWaitedFor() {
        beat("a", "b", "c");
        ask("a");
        ask("b");
        pass(4_000);
        beat("a", "b");
        assertEquals(List.of(), take());
        pass(1_001);
        assertEquals(2, take().size());
    }

    @Test
    void halfOfTheHealthyAreNoQuorum() {
        beat("a", "b", "c", "d");
        ask("a");
        ask("b");
        for (int i = 0; i < 70; i++) {
            pass(1_000);
            beat("a", "b", "c", "d");
        }
        assertEquals(List.of(), take());
        assertTrue(state.reason().contains("more than half"), state.reason());
    }

    @Test
    void theMembersOfTheFormerQuorumWaitForNobody() {
        ask("a");
        ask("b");
        take();
        beat("c", "d", "e");
        ask("a");
        long b = ask("b");
        assertEquals(2, take().size());
        assertEquals(1, ledger.quorumId()); // the same members: the same number
        assertFalse(forms.getLast().isNews());
        ask("c");
        ask("a");
        ask("b");
        assertEquals(List.of("a", "b", "c"), ledger.members()); // whoever asks comes along
        assertEquals(2, ledger.quorumId());
        assertTrue(b > 0);
    }

    @Test
    void aFailedCommitGetsANewNumber() {
        ask("a");
        ask("b");
        ask(member("a", 3, false, 1));
        ask("b");
        assertEquals(2, ledger.quorumId());
    }

    @Test
    void theLastRequestOfAReplicaCounts() {
        long early = ask(member("a", 1, false, 0));
        long late = ask(member("a", 9, false, 0));
        assertEquals(9, state.asking().firstEntry().getValue().member().step());
        long b = ask("b");
        assertEquals(List.of(early + "=1: a b", late + "=1: a b", b + "=1: a b"), take());
    }

    /** Defect 1 of the original: an empty quorum, after which the next caller trains alone. */
    @Test
    void anOutsiderThatMayOnlyShrinkFormsNoEmptyQuorum() {
        ask("a");
        ask("b");
        take();
        pass(6_000); // a and b are gone
        ask(member("d", 0, true, 0));
        ask(member("e", 0, true, 0));
        assertEquals(2, take().size());
        assertEquals(List.of("d", "e"), ledger.members()); // a new quorum of two, as if they had not said it
        pass(6_000);
        ask("f");
        assertEquals(List.of(), take()); // and not alone
    }

    @Test
    void aShrinkingQuorumTakesNoNewMember() {
        ask("a");
        ask("b");
        ask("a");
        ask("b");
        take();
        beat("a", "b");
        ask("c");
        ask(member("a", 1, true, 0));
        long b = ask("b");
        assertEquals(List.of("a", "b"), ledger.members());
        assertTrue(take().contains(b + "=1: a b"));
        assertTrue(state.asking().containsKey("c"));
    }

    @Test
    void aShrunkQuorumHasTheLeastNumberOfMembers() {
        ask("a");
        ask("b");
        take();
        pass(6_000); // b is gone
        ask(member("a", 1, true, 0));
        ask("c");
        assertEquals(List.of(), take());
    }

    /** Defect 3: the ghost of a caller whose time was up. */
    @Test
    void aCallerThatIsGoneIsNoMember() {
        beat("a");
        long a = ask("a");
        step(new LighthouseEvent.Ended(a));
        beat("a");
        ask("b");
        assertEquals(List.of(), take());
        pass(60_000);
        assertEquals(List.of(), take());
    }

    /** Defect 4: a replica that only asks and sends no heartbeats is alive while it waits. */
    @Test
    void whoWaitsIsAlive() {
        assertWhoWaitsIsAlive();
    }

    private void assertWhoWaitsIsAlive() {
        ask("a");
        pass(20_000);
        ask("b");
        assertEquals(2, take().size());
    }

    /** A new master does not know which members of the last quorum send heartbeats. */
    @Test
    void whoWaitsIsAliveAfterATakeOver() {
        ask("a");
        ask("b");
        take();
        state = LighthouseState.START;
        step(new LighthouseEvent.Elected(ledger.members()));
        assertWhoWaitsIsAlive();
    }

    /** But a manager that stopped its heartbeats is dead, even if its call is open. */
    @Test
    void whoStoppedItsHeartbeatsIsDead() {
        beat("a");
        ask("a");
        pass(6_000);
        ask("b");
        assertEquals(List.of(), take());
    }

    /** Defect 5: numbers go on after the loss of the machine; and whoever calls first then waits for the others. */
    @Test
    void anotherMachineGoesOn() {
        ask("a");
        ask("b");
        ask("c"); // waits
        take();
        state = LighthouseState.START; // what is not in the ledger is gone
        step(new LighthouseEvent.Elected(ledger.members()));
        ask("a");
        ask("c");
        assertEquals(List.of(), take());
        assertEquals("2 of 3 healthy replicas ask for a quorum: waiting for b", state.reason());
        ask("b");
        assertEquals(3, take().size());
        assertEquals(2, ledger.quorumId());
    }

    /** A heartbeat in time moves an end of health away; only the look at the time-outs notices that, and one that comes too early does no harm. */
    @Test
    void heartbeatsInTimeKeepAReplicaWaitedFor() {
        beat("a");
        for (int second = 0; second < 20; second++) {
            pass(1_000);
            beat("a");
        }
        ask("b");
        ask("c");
        pass(1_000);
        assertEquals(List.of(), take());
        assertEquals("2 of 3 healthy replicas ask for a quorum: waiting for a", state.reason());
        pass(4_001);
        assertEquals(2, take().size());
    }

    /** Defect 6: ids of the dead are forgotten, and an empty one is refused. */
    @Test
    void theDeadAreForgotten() {
        beat(IntStream.range(0, 3_000).mapToObj(i -> "dead-" + i).toArray(String[]::new));
        assertEquals(3_000, state.heard().size());
        pass(61_000);
        assertEquals(0, state.heard().size());
        beat("");
        long tooLong = ask("x".repeat(257));
        assertEquals(List.of((tooLong - 1) + "=INVALID_ARGUMENT", tooLong + "=INVALID_ARGUMENT"), take());
    }

    /** Also while somebody waits: a heartbeat of an unknown replica costs no walk over all of them. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHundredThousandIdsTakeBoundedMemory(boolean isSomebodyWaiting) {
        if (isSomebodyWaiting) {
            ask("id-0");
        }
        for (int i = 0; i < 100_000; i++) {
            beat("id-" + i);
        }
        assertEquals(LighthouseMachine.REPLICAS_MAX, state.heard().size());
        assertEquals(
                90_000,
                take().stream()
                        .filter(answer -> answer.endsWith("=RESOURCE_EXHAUSTED"))
                        .count());
        for (int i = 0; i < LighthouseMachine.CALLS_MAX; i++) {
            ask("id-1");
        }
        long oneMore = ask("id-1");
        assertEquals(List.of(oneMore + "=RESOURCE_EXHAUSTED"), take());
    }

    @Test
    void newsOfReplicasThatDoNotAskIsSeenSoon() {
        ask("a");
        beat("b", "c", "d");
        pass(100);
        assertEquals("1 of 4 healthy replicas ask for a quorum: at least 2 are needed", state.reason());
    }

    /** The command that stores the largest quorum fits the replicated state, for ids of any letters. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\u20ac",
                "\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac"
            })
    void theLargestQuorumFitsACommand(String letters) {
        isLedgerSlow = true;
        boolean isFull = false;
        for (int i = 0; i < 10_000 && !isFull; i++) {
            ask(letters + new String(Character.toChars(0x4e00 + i))); // three bytes in UTF-8
            isFull = take().stream().anyMatch(answer -> answer.endsWith("=RESOURCE_EXHAUSTED"));
        }
        assertTrue(isFull);
        List<String> all = List.copyOf(state.asking().keySet());
        assertTrue(all.size() > 100, () -> all.size() + " replicas");
        assertTrue(QuorumLedger.form(all, true, Long.MAX_VALUE).size() <= Content.COMMAND_BYTES_MAX);
        var ledgerOfAll = new QuorumLedger(1L << 60, all);
        assertEquals(ledgerOfAll, QuorumLedger.APPLICATION.decode(QuorumLedger.APPLICATION.encode(ledgerOfAll)));
    }

    /** What all say of themselves fits an answer that clients of gRPC take. */
    @Test
    void theLargestAnswerIsBounded() {
        isLedgerSlow = true;
        int fit = LighthouseMachine.ASKING_BYTES_MAX / LighthouseMachine.MEMBER_BYTES_MAX;
        for (int i = 0; i < fit; i++) {
            ask(large("large-" + i, LighthouseMachine.MEMBER_BYTES_MAX));
        }
        assertEquals(List.of(), take());
        ask(large("large-0", LighthouseMachine.MEMBER_BYTES_MAX)); // it is the same replica
        assertEquals(List.of(), take());
        assertEquals(List.of(ask(large("more", 1)) + "=RESOURCE_EXHAUSTED"), take());
        assertEquals(
                List.of(ask(large("large", LighthouseMachine.MEMBER_BYTES_MAX + 1)) + "=RESOURCE_EXHAUSTED"), take());
    }

    private static QuorumMember large(String id, int bytes) {
        return new QuorumMember(id, "", "", 0, 1, false, 0, "", List.of(), Bytes.of(new byte[bytes]));
    }

    /** Defect 10: numbers out of range. */
    @Test
    void negativeNumbersAreRefused() {
        long step = ask(member("a", -1, false, 0));
        long failures = ask(member("a", 0, false, -1));
        assertEquals(List.of(step + "=INVALID_ARGUMENT", failures + "=INVALID_ARGUMENT"), take());
    }

    @Test
    void aNodeThatOrdersNoMoreEndsItsCalls() {
        isLedgerSlow = true;
        long a = ask("a");
        long b = ask("b");
        assertEquals(1, forms.size());
        long late = ask("c"); // waits for the next quorum
        step(new LighthouseEvent.NotFormed(1, new Failure(Failure.Code.UNAVAILABLE, "gone")));
        assertEquals(List.of(a + "=UNAVAILABLE", b + "=UNAVAILABLE", late + "=UNAVAILABLE"), take());
        step(new LighthouseEvent.Formed(1, 7, 0)); // too late
        assertEquals(List.of(), take());
        ask("d");
        ask("e");
        step(new LighthouseEvent.Formed(1, 7, 0)); // still, though another quorum is being formed
        step(new LighthouseEvent.NotFormed(1, new Failure(Failure.Code.UNAVAILABLE, "gone")));
        assertEquals(List.of(), take());
    }

    @Test
    void whileAQuorumIsStoredOthersWait() {
        isLedgerSlow = true;
        long a = ask("a");
        long b = ask("b");
        ask("c");
        assertEquals(1, forms.size());
        store(forms.getFirst());
        assertEquals(List.of(a + "=1: a b", b + "=1: a b"), take());
        assertEquals(List.of("c"), List.copyOf(state.asking().keySet()));
    }

    /** A caller that leaves, or says something else, while the quorum is stored: nobody gets that quorum. */
    @Test
    void whoLeavesWhileAQuorumIsStoredIsNoMember() {
        isLedgerSlow = true;
        long a = ask("a");
        long b = ask("b");
        step(new LighthouseEvent.Ended(a));
        store(forms.getFirst());
        assertEquals(List.of(), take());
        a = ask(member("a", 7, false, 0));
        assertEquals(2, forms.size()); // both, of which it was stored that they are the quorum
        long later = ask(member("b", 8, false, 0));
        store(forms.get(1));
        assertEquals(List.of(), take());
        store(forms.get(2));
        assertEquals(List.of(a + "=1: a b", b + "=1: a b", later + "=1: a b"), take());
    }

    /** A store that is lost with all its copies: numbers go on where the clock is, above those that were given. */
    @Test
    void theFirstNumberOfAnEmptyLedgerIsGiven() {
        var outcome = QuorumLedger.APPLICATION.apply(
                QuorumLedger.EMPTY, QuorumLedger.form(List.of("a"), false, 1_764_000_000_000L));
        assertEquals(1_764_000_000_000L, QuorumLedger.quorumId(outcome.answer()));
        outcome = QuorumLedger.APPLICATION.apply(
                outcome.state(), QuorumLedger.form(List.of("b"), false, 1_764_000_099_000L));
        assertEquals(1_764_000_000_001L, QuorumLedger.quorumId(outcome.answer()));
    }

    @Test
    void numbersOfTwoLedgersGoOnAboveBoth() {
        var one = new QuorumLedger(5, List.of("a", "b"));
        var other = new QuorumLedger(9, List.of("c"));
        QuorumLedger both = QuorumLedger.APPLICATION.merge(one, other);
        assertEquals(9, both.quorumId());
        assertTrue(both.isNews(List.of("a", "b"), false));
        assertTrue(both.isNews(List.of("c"), false));
        assertEquals(one, QuorumLedger.APPLICATION.decode(QuorumLedger.APPLICATION.encode(one)));
        assertEquals(
                0,
                QuorumLedger.quorumId(
                        QuorumLedger.APPLICATION.apply(one, Bytes.of((byte) 7)).answer()));
    }
}
