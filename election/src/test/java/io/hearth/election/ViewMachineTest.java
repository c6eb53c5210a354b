package io.hearth.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.election.ViewMachine.Effect;
import io.hearth.election.ViewMachine.Event;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Single transitions of one node, message by message: a voter of three, rank 1. */
final class ViewMachineTest {
    private static final long MILLI = 1_000_000L;
    private static final NodeId SELF = Nodes.agent(2);
    private static final NodeId MASTER = Nodes.agent(1);
    private static final NodeId THIRD = Nodes.agent(3);
    private static final Lineage LINEAGE = new Lineage(false, 500, MASTER, 1, 0);
    private static final View VIEW =
            new View(LINEAGE, 3, List.of(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 1, 3)), List.of());

    private final ViewMachine machine = new ViewMachine(ElectionConfig.DEFAULTS, new OpenResolver());
    private final List<Effect> effects = new ArrayList<>();
    private ViewState state = started(List.of(), 1);
    private long now;

    private static Member member(NodeId node, long incarnation, long entryEpoch) {
        return new Member(node, incarnation, entryEpoch, Role.AGENT, "");
    }

    private ViewState started(List<LineageRecord> records, long incarnation) {
        Step<ViewState, Effect> step =
                machine.start(new ViewMachine.Start(1_000, records, SELF, incarnation, Role.AGENT, "", 4), now);
        effects.clear();
        effects.addAll(step.effects());
        return step.state();
    }

    private List<Effect> event(Event event) {
        Step<ViewState, Effect> step = machine.step(state, event, now);
        state = step.state();
        effects.clear();
        effects.addAll(step.effects());
        return step.effects();
    }

    private List<Effect> received(NodeId from, Message message) {
        return event(new Event.Received(from, 1, message));
    }

    private List<Effect> pass(long nanos) {
        var all = new ArrayList<Effect>();
        for (long until = now + nanos; now < until; ) {
            now += 20 * MILLI;
            all.addAll(event(new Event.Tick()));
        }
        return all;
    }

    private void beat(NodeId from, Lineage lineage, long epoch, int members) {
        received(
                from,
                new Message.Heartbeat(
                        new Presence(lineage, epoch, members, false, "", GroupPhase.FRESH, -1, List.of()), 1, 0, 0));
    }

    @BeforeEach
    void joinTheOthers() {
        state = started(List.of(), 1);
        assertInstanceOf(Effect.Persist.class, effects.getFirst(), "on disk before anything else");
        event(new Event.Linked(MASTER, 1));
        event(new Event.Linked(THIRD, 1));
        beat(MASTER, LINEAGE, 2, 1);
        assertEquals(
                List.of(
                        new Effect.Persist(LineageRecord.asking(LINEAGE, 1)),
                        new Effect.Send(MASTER, new Message.Join(LINEAGE, Role.AGENT, "", GroupPhase.FRESH))),
                effects,
                "the entry is on disk before Join leaves");
        received(MASTER, new Message.Commit(VIEW));
        assertTrue(effects.contains(new Effect.Install(VIEW)));
        beat(MASTER, LINEAGE, 3, 3);
        beat(THIRD, LINEAGE, 3, 3);
    }

    private Message.Promise promise(Ballot ballot, Optional<Proposal> accepted, Optional<Bytes> status) {
        return new Message.Promise(LINEAGE, 3, ballot, accepted, status.map(bytes -> new Message.Status(false, bytes)));
    }

    private View next(Member... members) {
        return new View(LINEAGE, 4, List.of(members), List.of());
    }

    @Test
    void aPromiseIsOnDiskAndTheNodeFrozenBeforeItLeaves() {
        var ballot = new Ballot(1, MASTER);
        LineageRecord before = state.lineageRecord(LINEAGE).orElseThrow();
        assertEquals(
                List.of(new Effect.Persist(before.promise(ballot)), new Effect.Freeze(LINEAGE, 3)),
                received(MASTER, new Message.Prepare(VIEW, ballot)));
        assertEquals(List.of(), received(MASTER, new Message.Prepare(VIEW, ballot)), "repeated while it freezes");
        var status = Optional.of(OpenResolver.OPEN);
        var answer = List.of(new Effect.Send(MASTER, promise(ballot, Optional.empty(), status)));
        assertEquals(answer, event(new Event.Frozen(LINEAGE, 3, status, 0)));
        assertEquals(answer, received(MASTER, new Message.Prepare(VIEW, ballot)), "the same answer again");
    }

    @Test
    void aLowerBallotIsRefusedAndAHigherOneGetsTheStatusOfTheOneFreeze() {
        received(THIRD, new Message.Prepare(VIEW, new Ballot(2, THIRD)));
        event(new Event.Frozen(LINEAGE, 3, Optional.of(OpenResolver.TRAINING), 0));
        assertEquals(
                List.of(new Effect.Send(MASTER, new Message.Refuse(LINEAGE, 3, new Ballot(2, THIRD)))),
                received(MASTER, new Message.Prepare(VIEW, new Ballot(2, MASTER))));
        List<Effect> answer = received(MASTER, new Message.Prepare(VIEW, new Ballot(3, MASTER)));
        assertInstanceOf(Effect.Persist.class, answer.getFirst());
        assertEquals(
                new Effect.Send(
                        MASTER, promise(new Ballot(3, MASTER), Optional.empty(), Optional.of(OpenResolver.TRAINING))),
                answer.getLast());
    }

    @Test
    void theFreezeEndsWithASuccessorAndWithNothingElse() {
        received(MASTER, new Message.Prepare(VIEW, new Ballot(1, MASTER)));
        event(new Event.Frozen(LINEAGE, 3, Optional.of(OpenResolver.OPEN), 0));
        event(new Event.Suspected(MASTER, 1));
        event(new Event.Suspected(THIRD, 1));
        pass(20_000 * MILLI);
        assertTrue(state.isFrozen());
        event(new Event.Trusted(MASTER, 1));
        View next = next(member(MASTER, 1, 1), member(SELF, 1, 3));
        received(MASTER, new Message.Commit(next));
        assertFalse(state.isFrozen());
        assertEquals(next, state.view());
    }

    @Test
    void aFrozenMemberWhoseDriverFellSilentDrivesTheChangeItself() {
        received(MASTER, new Message.Prepare(VIEW, new Ballot(1, MASTER)));
        event(new Event.Frozen(LINEAGE, 3, Optional.of(OpenResolver.OPEN), 0));
        assertTrue(pass(2_400 * MILLI).stream().noneMatch(Effect.Announce.class::isInstance));
        assertTrue(pass(1_000 * MILLI).stream()
                .anyMatch(effect -> effect instanceof Effect.Announce(ElectionEvent.Started _)));
    }

    @Test
    void anAcceptedViewIsOnDiskBeforeItIsSaidAndIsToldToLaterBallots() {
        var ballot = new Ballot(1, MASTER);
        View next = next(member(MASTER, 1, 1), member(SELF, 1, 3));
        LineageRecord before = state.lineageRecord(LINEAGE).orElseThrow();
        var proposal = new Proposal(ballot, next);
        assertEquals(
                List.of(
                        new Effect.Persist(before.accept(proposal)),
                        new Effect.Send(MASTER, new Message.Accepted(LINEAGE, 3, ballot))),
                received(MASTER, new Message.Accept(VIEW, ballot, next)));
        received(THIRD, new Message.Prepare(VIEW, new Ballot(2, THIRD)));
        assertEquals(
                List.of(new Effect.Send(
                        THIRD, promise(new Ballot(2, THIRD), Optional.of(proposal), Optional.of(OpenResolver.OPEN)))),
                event(new Event.Frozen(LINEAGE, 3, Optional.of(OpenResolver.OPEN), 0)));
        received(MASTER, new Message.Accept(VIEW, ballot, next));
        assertInstanceOf(Message.Refuse.class, ((Effect.Send) effects.getFirst()).message());
    }

    @Test
    void aProposerCompletesWhatOthersMayHaveChosen() {
        event(new Event.Suspected(MASTER, 1));
        Ballot mine = new Ballot(1, SELF);
        assertTrue(effects.contains(new Effect.Send(THIRD, new Message.Prepare(VIEW, mine))), effects.toString());
        event(new Event.Frozen(LINEAGE, 3, Optional.of(OpenResolver.OPEN), 0));
        View other = next(member(MASTER, 1, 1), member(THIRD, 1, 3));
        received(
                THIRD,
                promise(mine, Optional.of(new Proposal(new Ballot(1, MASTER), other)), Optional.of(OpenResolver.OPEN)));
        assertTrue(effects.contains(new Effect.Send(THIRD, new Message.Accept(VIEW, mine, other))), effects.toString());
    }

    @Test
    void onlyWhoAnsweredThisBallotWithAStatusIsKept() {
        event(new Event.Suspected(MASTER, 1));
        Ballot mine = new Ballot(1, SELF);
        event(new Event.Frozen(LINEAGE, 3, Optional.of(OpenResolver.OPEN), 0));
        received(MASTER, promise(mine, Optional.empty(), Optional.of(OpenResolver.OPEN)));
        assertTrue(effects.isEmpty(), "the third is not suspected and gets its time");
        received(THIRD, promise(mine, Optional.empty(), Optional.empty()));
        View next = next(member(MASTER, 1, 1), member(SELF, 1, 3));
        assertTrue(
                effects.contains(new Effect.Send(MASTER, new Message.Accept(VIEW, mine, next))),
                "suspicion removes nobody who answers: " + effects);
        received(THIRD, new Message.Accepted(LINEAGE, 3, mine));
        assertTrue(effects.contains(new Effect.Send(THIRD, new Message.Commit(next))), "who was removed is told");
        assertEquals(next, state.view());
    }

    @Test
    void oneVoterIsCountedOnceHoweverOftenItAnswers() {
        event(new Event.Suspected(MASTER, 1));
        event(new Event.Suspected(THIRD, 1));
        event(new Event.Frozen(LINEAGE, 3, Optional.of(OpenResolver.OPEN), 0));
        Ballot mine = new Ballot(1, SELF);
        event(new Event.Frozen(LINEAGE, 3, Optional.of(OpenResolver.OPEN), 0));
        pass(100 * MILLI);
        assertEquals(VIEW, state.view(), "its own promise is no quorum of three");
        received(THIRD, promise(mine, Optional.empty(), Optional.of(OpenResolver.OPEN)));
        received(SELF, new Message.Accepted(LINEAGE, 3, mine));
        assertEquals(VIEW, state.view(), "nobody else speaks in its name");
    }

    @Test
    void whoIsBehindIsToldTheNewestView() {
        View next = next(member(MASTER, 1, 1), member(SELF, 1, 3));
        received(MASTER, new Message.Commit(next));
        var told = List.of(new Effect.Send(THIRD, new Message.Commit(next)));
        assertEquals(told, received(THIRD, new Message.Prepare(VIEW, new Ballot(1, THIRD))));
        beat(THIRD, LINEAGE, 3, 3);
        assertEquals(told, effects);
        assertEquals(told, received(THIRD, new Message.Leave(LINEAGE, 3, false)), "a leaver may exit");
    }

    @Test
    void aJumpOverMissedViewsIsTakenAsItIs() {
        View far = new View(LINEAGE, 40, List.of(member(SELF, 1, 3), member(THIRD, 1, 39)), List.of());
        received(THIRD, new Message.Commit(far));
        assertEquals(far, state.view());
        assertEquals(ElectionState.MASTER, state.election());
    }

    @Test
    void anotherEntryEpochMeansRemovedInBetween() {
        View again = new View(LINEAGE, 9, List.of(member(MASTER, 1, 1), member(SELF, 1, 8)), List.of());
        received(MASTER, new Message.Commit(again));
        assertTrue(effects.stream().anyMatch(Effect.Removed.class::isInstance));
        assertEquals(1, state.view().members().size());
    }

    @Test
    void aTombstoneMakesEverybodyLoneWithoutLossOfWork() {
        received(MASTER, new Message.Commit(next()));
        assertTrue(effects.stream().noneMatch(Effect.Removed.class::isInstance));
        assertEquals(SELF, state.view().members().getFirst().node());
    }

    @Test
    void aRestartedVoterVotesOnWithoutAStatus() {
        LineageRecord record = state.lineageRecord(LINEAGE).orElseThrow();
        state = started(List.of(record), 2);
        var ballot = new Ballot(1, MASTER);
        assertEquals(
                List.of(
                        new Effect.Persist(record.promise(ballot)),
                        new Effect.Send(MASTER, promise(ballot, Optional.empty(), Optional.empty()))),
                received(MASTER, new Message.Prepare(VIEW, ballot)));
    }

    @Test
    void withoutARecordThereIsNoVote() {
        state = started(List.of(), 2);
        assertEquals(List.of(), received(MASTER, new Message.Prepare(VIEW, new Ballot(1, MASTER))));
        assertEquals(1, state.refusals().count(Refusal.NO_RECORD));
        state = started(List.of(LineageRecord.asking(LINEAGE, 2)), 2);
        received(MASTER, new Message.Prepare(VIEW, new Ballot(1, MASTER)));
        assertTrue(effects.stream().noneMatch(Effect.Send.class::isInstance), "the record knows another start only");
        assertEquals(1, state.refusals().count(Refusal.NO_VOTE));
    }

    @Test
    void joinersLearnByCommitAndNeverFromAccept() {
        state = started(List.of(LineageRecord.asking(LINEAGE, 2)), 2);
        event(new Event.Linked(MASTER, 1));
        beat(MASTER, LINEAGE, 3, 3);
        View next = next(member(MASTER, 1, 1), member(THIRD, 1, 3), member(SELF, 2, 4));
        received(MASTER, new Message.Accept(VIEW, new Ballot(1, MASTER), next));
        assertEquals(1, state.view().members().size());
        received(MASTER, new Message.Commit(next));
        assertEquals(next, state.view());
    }

    @Test
    void whatIsWellFormedButWrongIsCountedAndChangesNothing() {
        ViewState before = state;
        received(MASTER, new Message.Prepare(VIEW, new Ballot(1, THIRD)));
        received(Nodes.agent(9), new Message.Prepare(VIEW, new Ballot(1, Nodes.agent(9))));
        assertEquals(2, state.refusals().count(Refusal.FOREIGN_BALLOT));
        event(new Event.Received(Nodes.agent(7), 2, new Message.Leave(LINEAGE, 3, false)));
        event(new Event.Received(Nodes.agent(7), 1, new Message.Leave(LINEAGE, 3, false)));
        assertEquals(1, state.refusals().count(Refusal.OLD_INCARNATION));
        View twice = new View(LINEAGE, 7, List.of(member(SELF, 1, 3), member(SELF, 2, 3)), List.of());
        received(THIRD, new Message.Commit(twice));
        received(THIRD, new Message.Accept(VIEW, new Ballot(1, THIRD), new View(LINEAGE, 9, List.of(), List.of())));
        received(THIRD, new Message.Accept(VIEW, new Ballot(1, THIRD), next(member(Nodes.agent(8), 1, 2))));
        assertEquals(3, state.refusals().count(Refusal.BAD_VIEW));
        received(THIRD, new Message.Commit(new View(LINEAGE, 3, List.of(member(SELF, 1, 3)), List.of())));
        assertEquals(1, state.refusals().count(Refusal.CONFLICT));
        received(THIRD, new Message.Accepted(LINEAGE, 3, new Ballot(1, SELF)));
        received(THIRD, new Message.Refuse(LINEAGE, 3, new Ballot(Ballot.ROUND_MAX, THIRD)));
        assertEquals(2, state.refusals().count(Refusal.STRAY_ANSWER));
        assertEquals(before.view(), state.view());
        assertEquals(before.lineageRecord(LINEAGE), state.lineageRecord(LINEAGE));
    }

    /** Members of epoch 9, as an outsider would have them that wants to be one. */
    private static View invented(Member... members) {
        var all = new ArrayList<>(List.of(members));
        all.add(member(Nodes.agent(8), 1, 9));
        return new View(LINEAGE, 9, all, List.of());
    }

    @Test
    void anOutsiderIsNotBelievedWhileAQuorumIsHeard() {
        beat(MASTER, LINEAGE, 3, 3);
        ViewState before = state;
        NodeId outsider = Nodes.agent(8);
        View withSelf = invented(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 1, 3));
        received(outsider, new Message.Commit(withSelf));
        received(outsider, new Message.Commit(invented()));
        received(outsider, new Message.Commit(new View(LINEAGE, 9, List.of(), List.of())));
        received(outsider, new Message.Prepare(withSelf, new Ballot(1, outsider)));
        View later = new View(LINEAGE, 10, withSelf.members(), List.of());
        received(outsider, new Message.Accept(withSelf, new Ballot(1, outsider), later));
        assertEquals(5, state.refusals().count(Refusal.OUTSIDER));
        assertEquals(before.view(), state.view());
        assertEquals(before.lineageRecord(LINEAGE), state.lineageRecord(LINEAGE));
        event(new Event.Unlinked(MASTER, 1));
        event(new Event.Unlinked(THIRD, 1));
        received(outsider, new Message.Commit(withSelf));
        assertEquals(withSelf, state.view(), "nobody else is left who could know");
    }

    @Test
    void noViewListsWhoWasNotInBefore() {
        event(new Event.Unlinked(MASTER, 1));
        event(new Event.Unlinked(THIRD, 1));
        received(THIRD, new Message.Commit(invented(member(MASTER, 1, 1), member(SELF, 1, 2))));
        received(THIRD, new Message.Commit(invented(member(MASTER, 1, 1), member(Nodes.agent(5), 1, 3))));
        assertEquals(2, state.refusals().count(Refusal.BAD_VIEW));
        assertEquals(VIEW, state.view());
    }

    @Test
    void whoAsksForEntryHearsOfViewsThatListItFromThoseThatTheyList() {
        state = started(List.of(LineageRecord.asking(LINEAGE, 2)), 2);
        received(MASTER, new Message.Commit(VIEW));
        assertTrue(state.lineageRecord(LINEAGE).orElseThrow().view().isPresent(), "an earlier start was in");
        state = started(List.of(LineageRecord.asking(LINEAGE, 2)), 2);
        received(MASTER, new Message.Commit(next(member(MASTER, 1, 1))));
        received(Nodes.agent(8), new Message.Commit(VIEW));
        assertEquals(2, state.refusals().count(Refusal.OUTSIDER));
        assertTrue(state.lineageRecord(LINEAGE).orElseThrow().view().isEmpty());
    }

    @Test
    void whatAnOutsiderAnswersIsCountedAndIsNoVote() {
        received(
                Nodes.agent(8),
                new Message.Commit(new View(new Lineage(false, 1, THIRD, 9, 9), 1, List.of(), List.of())));
        assertEquals(1, state.refusals().count(Refusal.NO_RECORD));
        event(new Event.Suspected(MASTER, 1));
        Ballot mine = new Ballot(1, SELF);
        event(new Event.Frozen(LINEAGE, 3, Optional.of(OpenResolver.OPEN), 0));
        received(Nodes.agent(8), promise(mine, Optional.empty(), Optional.of(OpenResolver.OPEN)));
        assertEquals(1, state.refusals().count(Refusal.STRAY_ANSWER));
        received(THIRD, promise(mine, Optional.empty(), Optional.of(OpenResolver.OPEN)));
        event(new Event.Suspected(THIRD, 1));
        pass(2_000 * MILLI);
        received(Nodes.agent(8), new Message.Accepted(LINEAGE, 3, mine));
        assertEquals(2, state.refusals().count(Refusal.STRAY_ANSWER));
        assertEquals(VIEW, state.view());
    }

    @Test
    void whatWasSuspectedOfAnEarlierStartIsNotHeldAgainstTheNextOne() {
        event(new Event.Suspected(THIRD, 1));
        received(MASTER, new Message.Commit(next(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 2, 4))));
        received(MASTER, new Message.Leave(LINEAGE, 3, false));
        Ballot mine = new Ballot(1, SELF);
        event(new Event.Frozen(LINEAGE, 4, Optional.of(OpenResolver.OPEN), 0));
        var leaves = Optional.of(new Message.Status(true, OpenResolver.OPEN));
        received(MASTER, new Message.Promise(LINEAGE, 4, mine, Optional.empty(), leaves));
        assertEquals(ElectionState.CAMPAIGNING, state.election());
        assertTrue(
                effects.stream()
                        .noneMatch(effect ->
                                effect instanceof Effect.Send send && send.message() instanceof Message.Accept),
                "the third has just come and gets its time to answer: " + effects);
    }

    @Test
    void whoAskedToLeaveAndEnteredAgainLeavesNoMore() {
        received(THIRD, new Message.Leave(LINEAGE, 3, true));
        received(MASTER, new Message.Commit(next(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 1, 4))));
        now += 1_000 * MILLI;
        event(new Event.Tick());
        assertEquals(ElectionState.FOLLOWER, state.election(), effects.toString());
        assertEquals(Optional.empty(), state.change().needed());
    }

    /** Says, every 250 ms until then, that {@code from} cannot reach {@code missed}; the other one is heard as well. */
    private void saysBroken(long until, NodeId from, NodeId missed) {
        for (; now < until; pass(250 * MILLI)) {
            for (NodeId node : List.of(from, missed)) {
                var unreached = node.equals(from) ? List.of(missed) : List.<NodeId>of();
                var presence = new Presence(LINEAGE, 4, 3, false, "", GroupPhase.FRESH, -1, unreached);
                received(node, new Message.Heartbeat(presence, 1, 0, 0));
            }
        }
        event(new Event.Tick());
    }

    @Test
    void aPairIsNotBrokenForTheTimeThatOneOfItStoodStill() {
        NodeId fourth = Nodes.agent(4);
        received(MASTER, new Message.Commit(next(member(SELF, 1, 3), member(THIRD, 1, 3), member(fourth, 1, 4))));
        event(new Event.Linked(fourth, 1));
        saysBroken(now + 1_000 * MILLI, THIRD, fourth);
        pass(600 * MILLI); // with the last one of before: both stood still for 850 ms
        saysBroken(now + 1_250 * MILLI, THIRD, fourth);
        assertEquals(Optional.empty(), state.change().needed());
        saysBroken(now + 500 * MILLI, THIRD, fourth);
        assertTrue(state.change().needed().isPresent(), "1.5 s without a pause");
    }

    @Test
    void whatAMemberSaidBeforeItEnteredAgainDoesNotTakeItOut() {
        received(MASTER, new Message.Commit(next(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 1, 4))));
        received(THIRD, new Message.Leave(LINEAGE, 3, true)); // long on its way
        received(THIRD, new Message.Leave(LINEAGE, 3, false));
        now += 1_000 * MILLI;
        event(new Event.Tick());
        assertEquals(Optional.empty(), state.change().needed(), effects.toString());
        received(THIRD, new Message.Leave(LINEAGE, 4, false));
        received(MASTER, new Message.Leave(LINEAGE, 1, false));
        event(new Event.Tick());
        assertTrue(state.change().needed().isPresent(), "now it wants to go");
    }

    @Test
    void aBrokenStreamOfAFormerViewIsNoReasonToChangeALoneOne() {
        event(new Event.Resign());
        View alone = state.view();
        event(new Event.GroupBroken("the stream broke"));
        pass(1_000 * MILLI);
        assertEquals(alone, state.view());
    }

    @Test
    void whoLeftThisLineageIsAskedForEntryWhereItLivesNow() {
        received(THIRD, new Message.Leave(LINEAGE, 3, true));
        received(MASTER, new Message.Commit(next(member(SELF, 1, 3))));
        var elsewhere = new Lineage(false, 400, Nodes.agent(4), 1, 0);
        beat(THIRD, elsewhere, 6, 3);
        assertTrue(
                effects.contains(new Effect.Send(THIRD, new Message.Join(elsewhere, Role.AGENT, "", GroupPhase.FRESH))),
                effects.toString());
    }

    @Test
    void recordsThatCannotMatterAreDeletedAfterTenMinutes() {
        received(MASTER, new Message.Commit(next(member(MASTER, 1, 1))));
        assertTrue(pass(599_000 * MILLI).stream().noneMatch(Effect.Forget.class::isInstance));
        assertTrue(pass(3_000 * MILLI).contains(new Effect.Forget(LINEAGE)));
    }

    @Test
    void anOwnPauseIsNotCountedAgainstAnybody() {
        event(new Event.Unlinked(THIRD, 1));
        now += 3_600_000 * MILLI;
        event(new Event.Tick());
        assertEquals(ElectionState.FOLLOWER, state.election());
        assertEquals(List.of(), effects);
    }

    /** The lead's ballot waits two seconds for a member that is not suspected, its own standstill not counted. */
    @Test
    void aBallotWaitsLongerByTheTimeThatItsProposerStoodStill() {
        NodeId fourth = Nodes.agent(4);
        received(MASTER, new Message.Commit(next(member(SELF, 1, 3), member(THIRD, 1, 3), member(fourth, 1, 4))));
        event(new Event.Linked(fourth, 1));
        pass(400 * MILLI);
        event(new Event.Received(fourth, 1, new Message.Leave(LINEAGE, 4, false)));
        event(new Event.Frozen(LINEAGE, 4, Optional.of(OpenResolver.OPEN), 0));
        var leaves = Optional.of(new Message.Status(true, OpenResolver.OPEN));
        received(fourth, new Message.Promise(LINEAGE, 4, new Ballot(1, SELF), Optional.empty(), leaves));
        pass(1_500 * MILLI);
        now += 645 * MILLI;
        assertTrue(event(new Event.Tick()).stream().noneMatch(ViewMachineTest::isAccept), effects.toString());
        assertTrue(pass(600 * MILLI).stream().anyMatch(ViewMachineTest::isAccept), "it does not wait for ever");
    }

    private static boolean isAccept(Effect effect) {
        return effect instanceof Effect.Send send && send.message() instanceof Message.Accept;
    }
}
