package io.hearth.lighthouse.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.lighthouse.Quorum;
import io.hearth.lighthouse.QuorumMember;
import io.hearth.lighthouse.QuorumResult;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class ManagerMachineTest {
    private static final long SECOND = 1_000_000_000L;

    private final ManagerMachine machine = new ManagerMachine(new ManagerSettings("n1", 2, 2));
    private ManagerState state = ManagerState.START;
    private long now = 50 * SECOND;
    private long calls;
    private final List<ManagerEffect> effects = new ArrayList<>();

    private void step(ManagerEvent event) {
        Step<ManagerState, ManagerEffect> step = machine.step(state, event, now);
        state = step.state();
        effects.addAll(step.effects());
    }

    private List<ManagerEffect> take() {
        List<ManagerEffect> taken = List.copyOf(effects);
        effects.clear();
        return taken;
    }

    private long ask(long rank, long step) {
        step(new ManagerEvent.AskQuorum(
                ++calls, rank, step, "metadata-" + rank, false, true, 0, "", now + 10 * SECOND));
        return calls;
    }

    private long vote(long rank, long step, boolean commits) {
        step(new ManagerEvent.Vote(++calls, rank, step, commits));
        return calls;
    }

    private static Quorum quorum(long... steps) {
        var members = new ArrayList<QuorumMember>();
        for (int i = 0; i < steps.length; i++) {
            members.add(new QuorumMember(
                    "n" + i, "http://n" + i, "store-n" + i, steps[i], 2, false, i, "", List.of(), Bytes.EMPTY));
        }
        return new Quorum(4, members, 0);
    }

    private static String text(Quorum quorum, String id, long rank) {
        QuorumResult result = RecoveryPlan.of(quorum, id, rank, true).orElseThrow();
        return (result.recoverFrom().isPresent() ? "<-" + result.recoverFrom().getAsInt() : "")
                + (result.recoverTo().isEmpty() ? "" : result.recoverTo()) + " " + result.storeAddress();
    }

    /** Steps 3, 7, 7, 2, 1 with two ranks: as torchft 0.2.0 answers. */
    @Test
    void membersThatAreBehindTakeTheStateOfTheNewest() {
        Quorum quorum = quorum(3, 7, 7, 2, 1);
        assertEquals("<-1 store-n1", text(quorum, "n0", 0));
        assertEquals("[0, 4] store-n1", text(quorum, "n1", 0));
        assertEquals("[3] store-n1", text(quorum, "n2", 0));
        assertEquals("<-2 store-n1", text(quorum, "n3", 0));
        assertEquals("<-1 store-n1", text(quorum, "n4", 0));
        assertEquals("<-2 store-n2", text(quorum, "n0", 1));
        assertEquals("[3] store-n2", text(quorum, "n1", 1));
        assertEquals("[0, 4] store-n2", text(quorum, "n2", 1));
        assertEquals("<-1 store-n2", text(quorum, "n3", 1));
        assertEquals("<-2 store-n2", text(quorum, "n4", 1));
        QuorumResult behind = RecoveryPlan.of(quorum, "n3", 0, true).orElseThrow();
        assertEquals(Optional.of("http://n2"), behind.recoverFromAddress());
        assertEquals(OptionalInt.empty(), behind.maxReplicaRank());
        assertEquals(3, behind.replicaRank());
        assertEquals(5, behind.replicaWorldSize());
        assertEquals(7, behind.maxStep());
        assertEquals(2, behind.maxWorldSize());
        assertEquals(4, behind.commitFailures());
        assertEquals(List.of("n0", "n1", "n2", "n3", "n4"), behind.replicaIds());
        assertEquals(
                OptionalInt.of(1),
                RecoveryPlan.of(quorum, "n2", 0, true).orElseThrow().maxReplicaRank());
        assertEquals(Optional.empty(), RecoveryPlan.of(quorum, "x", 0, true));
    }

    @Test
    void atTheBeginningAllTakeTheStateOfOne() {
        Quorum quorum = quorum(0, 0, 0);
        assertEquals("[1, 2] store-n0", text(quorum, "n0", 0));
        assertEquals("<-0 store-n0", text(quorum, "n1", 0));
        assertEquals("<-1 store-n1", text(quorum, "n0", 1));
        QuorumResult apart = RecoveryPlan.of(quorum, "n1", 0, false).orElseThrow();
        assertEquals(OptionalInt.empty(), apart.recoverFrom()); // without init_sync
        assertEquals(List.of(), apart.recoverTo());
    }

    @Test
    void oneCallToTheLighthouseAnswersAllRanks() {
        long first = ask(0, 3);
        assertEquals(List.of(), take());
        long second = ask(1, 7);
        assertEquals(
                List.of(new ManagerEffect.AskLighthouse(1, 7, false, 0, List.of(), now + 10 * SECOND, false)), take());
        Quorum quorum = quorum(3, 7);
        step(new ManagerEvent.Answered(1, quorum));
        assertEquals(
                List.of(
                        new ManagerEffect.AnswerQuorum(
                                first, RecoveryPlan.of(quorum, "n1", 0, true).orElseThrow()),
                        new ManagerEffect.AnswerQuorum(
                                second, RecoveryPlan.of(quorum, "n1", 1, true).orElseThrow())),
                take());
        step(new ManagerEvent.Answered(1, quorum)); // a late repetition
        assertEquals(List.of(), take());
        step(new ManagerEvent.AskMetadata(9, 1));
        assertEquals(List.of(new ManagerEffect.AnswerMetadata(9, "metadata-1")), take());
    }

    /** As torchft-nightly 2026.10.26: the handles of all ranks go to the lighthouse, and those of one rank of all groups come back. */
    @Test
    void handlesOfProcessGroupsAreExchangedByRank() {
        step(new ManagerEvent.AskQuorum(1, 1, 3, "", false, true, 0, "handle-1", now + 10 * SECOND));
        step(new ManagerEvent.AskQuorum(2, 0, 3, "", false, true, 0, "", now + 10 * SECOND));
        assertEquals(
                List.of(new ManagerEffect.AskLighthouse(
                        1, 3, false, 0, List.of("", "handle-1"), now + 10 * SECOND, false)),
                take());
        var with = new QuorumMember("n1", "", "", 3, 2, false, 0, "", List.of("", "handle-1"), Bytes.EMPTY);
        var without = new QuorumMember("n2", "", "", 3, 1, false, 0, "", List.of(), Bytes.EMPTY);
        var quorum = new Quorum(1, List.of(with, without), 0);
        assertEquals(
                List.of("handle-1", ""),
                RecoveryPlan.of(quorum, "n1", 1, true).orElseThrow().reconfigureHandles());
        assertEquals(
                List.of("", ""),
                RecoveryPlan.of(quorum, "n1", 0, true).orElseThrow().reconfigureHandles());
    }

    @Test
    void aQuorumWithoutThisGroupIsAnError() {
        ask(0, 1);
        ask(1, 1);
        take();
        step(new ManagerEvent.Answered(1, quorum(5)));
        assertEquals(
                2,
                take().stream()
                        .filter(effect -> effect instanceof ManagerEffect.Fail fail
                                && fail.why().code() == Failure.Code.NOT_FOUND
                                && fail.why().text().equals("replica n1 not participating in returned quorum"))
                        .count());
    }

    /** Defect 8 of the original: its callers wait in vain when the lighthouse fails. */
    @Test
    void callersHearAtOnceWhenTheLastRepetitionFailed() {
        long first = ask(0, 1);
        long second = ask(1, 1);
        take();
        var why = new Failure(Failure.Code.UNAVAILABLE, "connection refused");
        for (int repetition = 1; repetition <= 2; repetition++) {
            step(new ManagerEvent.NotAnswered(1, why));
            assertEquals(List.of(), take());
            now += machine.sleepNanos(state, now);
            step(new ManagerEvent.Tick());
            assertEquals(1, take().size());
        }
        step(new ManagerEvent.NotAnswered(1, why));
        assertEquals(List.of(new ManagerEffect.Fail(first, why), new ManagerEffect.Fail(second, why)), take());
        assertTrue(now < 60 * SECOND);
    }

    @Test
    void aVoteCountsForItsStep() {
        long early = vote(0, 2, true);
        long other = vote(1, 3, true);
        assertEquals(List.of(), take());
        long late = vote(1, 2, true);
        assertEquals(
                List.of(new ManagerEffect.AnswerVote(early, true), new ManagerEffect.AnswerVote(late, true)), take());
        long no = vote(0, 3, false);
        assertEquals(
                List.of(new ManagerEffect.AnswerVote(no, false), new ManagerEffect.AnswerVote(other, false)), take());
        assertEquals(ManagerState.START.votes(), state.votes());
    }

    /** Defect 2: a vote whose caller gave up is withdrawn. */
    @Test
    void aVoteEndsWithItsCaller() {
        long gone = vote(0, 2, true);
        step(new ManagerEvent.Ended(gone));
        vote(1, 2, true);
        assertEquals(List.of(), take());
        vote(0, 2, false);
        assertEquals(2, take().size());
    }

    @Test
    void aCallerThatIsGoneDoesNotCompleteTheGroup() {
        long gone = ask(0, 1);
        step(new ManagerEvent.Ended(gone));
        ask(1, 1);
        assertEquals(List.of(), take());
        ask(0, 1);
        assertEquals(1, take().size());
    }

    /** A group that gave up does not stay behind at the lighthouse as one that waits. */
    @Test
    void theLighthouseIsNotAskedForNobody() {
        long first = ask(0, 1);
        long second = ask(1, 1);
        take();
        step(new ManagerEvent.Ended(first));
        assertEquals(List.of(), take());
        step(new ManagerEvent.Ended(second));
        assertEquals(List.of(new ManagerEffect.StopAsking(1)), take());
        step(new ManagerEvent.Answered(1, quorum(1, 1))); // on its way already
        assertEquals(List.of(), take());
        ask(0, 1);
        ask(1, 1);
        assertEquals(
                List.of(new ManagerEffect.AskLighthouse(2, 1, false, 0, List.of(), now + 10 * SECOND, false)), take());
    }

    /** Defect 10: a rank or a step out of range. */
    @Test
    void ranksAndStepsOutOfRangeAreRefused() {
        ask(5, 1);
        ask(-1, 1);
        ask(0, -1);
        vote(2, 1, true);
        vote(0, -1, true);
        step(new ManagerEvent.AskMetadata(99, 0));
        List<ManagerEffect> refused = take();
        assertEquals(6, refused.size());
        assertTrue(refused.stream()
                .allMatch(effect -> effect instanceof ManagerEffect.Fail fail
                        && fail.why().code() == Failure.Code.INVALID_ARGUMENT));
    }

    @Test
    void openVotesAreBounded() {
        for (int step = 0; step <= ManagerMachine.STEPS_MAX; step++) {
            vote(0, step, true);
        }
        assertEquals(ManagerMachine.STEPS_MAX, state.votes().size());
        assertEquals(1, take().size());
    }
}
