package io.hearth.election.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.election.Ballot;
import io.hearth.election.Beat;
import io.hearth.election.DamagedRecordException;
import io.hearth.election.ElectionConfig;
import io.hearth.election.ElectionEvent;
import io.hearth.election.ElectionState;
import io.hearth.election.GroupPhase;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.Nodes;
import io.hearth.election.OpenResolver;
import io.hearth.election.Presence;
import io.hearth.election.Proposal;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.ViewSource;
import io.hearth.election.protobuf.RecordEncoding;
import io.hearth.election.view.state.Abandonments;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.HearingState;
import io.hearth.election.view.state.JoinState;
import io.hearth.election.view.state.KnownLineage;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.election.view.state.ViewState;
import io.hearth.election.view.step.Transition;
import io.hearth.election.vote.Voter;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.election.vote.Voting;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Single transitions of one node, message by message: rank 1 of three, its machine's votes cast by the real voter. */
final class ViewMachineTest {
    private static final long MILLI = 1_000_000L;
    private static final NodeId SELF = Nodes.agent(2);
    private static final NodeId MASTER = Nodes.agent(1);
    private static final NodeId THIRD = Nodes.agent(3);
    private static final Lineage LINEAGE = new Lineage(false, 500, MASTER, 1, 0);
    private static final View VIEW =
            new View(LINEAGE, 3, List.of(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 1, 3)), List.of());

    private static final Optional<Message.Status> LEAVES = Optional.of(new Message.Status(true, OpenResolver.OPEN));

    private static final Optional<Message.Status> STAYS = Optional.of(new Message.Status(false, OpenResolver.OPEN));

    private final ViewMachine machine = new ViewMachine(ElectionConfig.DEFAULTS, new OpenResolver());
    private final List<ViewEffect> effects = new ArrayList<>();
    private final Map<Lineage, LineageRecord> folder = new TreeMap<>();
    private final Deque<VoterTask> tasks = new ArrayDeque<>();
    private boolean isDiskSlow;
    private ViewState state = started(List.of(), 1);
    private long now;

    private static Member member(NodeId node, long incarnation, long entryEpoch) {
        return new Member(node, incarnation, entryEpoch, Role.AGENT, "", seat(node));
    }

    private static long seat(NodeId node) {
        return 70L + node.peer().publicKey()[0];
    }

    /** The record on disk of the lineage that all tests use. */
    private LineageRecord record() {
        return Optional.ofNullable(folder.get(LINEAGE)).orElseThrow();
    }

    private ViewState started(List<LineageRecord> records, long incarnation) {
        effects.clear();
        tasks.clear();
        return carriedOut(
                machine.start(new ViewMachine.Start(1_000, records, SELF, incarnation, Role.AGENT, "", 4), now));
    }

    private List<ViewEffect> event(ViewEvent event) {
        effects.clear();
        state = carriedOut(machine.step(state, event, now));
        return List.copyOf(effects);
    }

    /** Records the effects of a step, and those that follow when the disk is done. */
    private ViewState carriedOut(Step<ViewState, ViewEffect> step) {
        ViewState last = noted(step);
        for (int rounds = 0; !isDiskSlow && !tasks.isEmpty(); rounds++) {
            assertTrue(rounds < 1_000, "voting does not end");
            last = noted(voted(last));
        }
        return last;
    }

    private ViewState noted(Step<ViewState, ViewEffect> step) {
        for (ViewEffect effect : step.effects()) {
            effects.add(effect);
            if (effect instanceof ViewEffect.Vote(VoterTask task)) {
                tasks.add(task);
            }
        }
        return step.state();
    }

    private Step<ViewState, ViewEffect> voted(ViewState before) {
        VoterTask task = tasks.removeFirst();
        return machine.step(before, new ViewEvent.Voted(task, cast(task)), now);
    }

    /** The voter of this machine, on a folder in memory. */
    private VoterAnswer cast(VoterTask task) {
        if (task instanceof VoterTask.Retain(var used)) {
            var without = new TreeSet<>(used);
            without.removeAll(folder.keySet());
            return new VoterAnswer.Retained(without);
        }
        Lineage lineage = Voter.lineage(task).orElseThrow();
        Voter.Decision decision = Voter.decide(SELF.peer(), Optional.ofNullable(folder.get(lineage)), task);
        decision.write().ifPresent(record -> folder.put(lineage, record));
        return decision.answer();
    }

    /** The slow disk is done with one task. */
    private List<ViewEffect> diskDone() {
        effects.clear();
        state = noted(voted(state));
        return List.copyOf(effects);
    }

    private List<ViewEffect> received(NodeId from, Message message) {
        return event(new ViewEvent.Received(from, 1, message));
    }

    private List<ViewEffect> pass(long nanos) {
        var all = new ArrayList<ViewEffect>();
        for (long until = now + nanos; now < until; ) {
            now += 20 * MILLI;
            all.addAll(event(new ViewEvent.Tick()));
        }
        return all;
    }

    private void beat(NodeId from, Lineage lineage, long epoch, int members) {
        received(
                from,
                new Message.Heartbeat(
                        new Presence(lineage, epoch, members, false, "", GroupPhase.FRESH, -1, List.of()),
                        new Beat(1, 0, 0, 0)));
    }

    @BeforeEach
    void joinTheOthers() {
        folder.clear();
        state = started(List.of(), 1);
        assertTrue(folder.containsKey(state.view().lineage()), "a founding is on disk");
        folder.put(LINEAGE, LineageRecord.fresh(LINEAGE, seat(SELF))); // another process of this machine asked before
        event(new ViewEvent.Linked(MASTER, 1));
        event(new ViewEvent.Linked(THIRD, 1));
        beat(MASTER, LINEAGE, 2, 1);
        assertEquals(new ViewEffect.Send(MASTER, join(LINEAGE)), effects.getLast());
        received(MASTER, new Message.Commit(VIEW));
        assertTrue(effects.contains(new ViewEffect.Install(VIEW)));
        assertEquals(Optional.of(VIEW), record().view(), "a view may be used before it is on disk, and then it is");
        beat(MASTER, LINEAGE, 3, 3);
        beat(THIRD, LINEAGE, 3, 3);
    }

    /** The request of this agent, with the seat of its machine's record. */
    private Message.Join join(Lineage lineage) {
        long seat = Optional.ofNullable(folder.get(lineage)).orElseThrow().seat();
        return new Message.Join(lineage, seat, Role.AGENT, "", GroupPhase.FRESH);
    }

    private static Message.Promise promise(Ballot ballot, Optional<Proposal> accepted) {
        return new Message.Promise(LINEAGE, 3, ballot, accepted);
    }

    private static Message.Here here(Ballot ballot, Optional<Bytes> status) {
        return new Message.Here(LINEAGE, 3, ballot, status.map(bytes -> new Message.Status(false, bytes)));
    }

    /** The others are heard repeatedly, for longer than a span of silence. */
    private void heardForLong(NodeId... others) {
        heardFor(2_000 * MILLI, others);
    }

    /** Time passes; {@code others} are heard and report that they live in the view. */
    private List<ViewEffect> heardFor(long nanos, NodeId... others) {
        var all = new ArrayList<ViewEffect>();
        for (long until = now + nanos; now < until; ) {
            for (NodeId other : others) {
                beat(
                        other,
                        state.view().lineage(),
                        state.view().epoch(),
                        state.view().members().size());
                all.addAll(effects);
            }
            all.addAll(pass(Math.min(250 * MILLI, until - now)));
        }
        return all;
    }

    /** Both answers to Prepare: the member stays, and its machine accepted nothing before. */
    private void answers(NodeId from, Ballot ballot) {
        received(from, promise(ballot, Optional.empty()));
        received(from, here(ballot, Optional.of(OpenResolver.OPEN)));
    }

    private void frozen(Bytes status) {
        event(new ViewEvent.Frozen(LINEAGE, state.view().epoch(), Optional.of(status), 0));
    }

    private View next(Member... members) {
        return new View(LINEAGE, 4, List.of(members), List.of());
    }

    @Test
    void theEntryIsOnDiskBeforeJoinLeaves() {
        folder.clear();
        isDiskSlow = true;
        state = started(List.of(), 1);
        diskDone();
        event(new ViewEvent.Linked(MASTER, 1));
        beat(MASTER, LINEAGE, 3, 3);
        assertInstanceOf(VoterTask.Enter.class, tasks.getFirst());
        assertTrue(
                pass(2_000 * MILLI).stream().noneMatch(ViewEffect.Send.class::isInstance), "no request is sent before");
        beat(MASTER, LINEAGE, 3, 3);
        List<ViewEffect> then = diskDone();
        assertEquals(List.of(new ViewEffect.Send(MASTER, join(LINEAGE))), then);
        assertTrue(ViewRules.isSeat(record().seat()));
    }

    @Test
    void aSlowDiskSkipsTheTasksOfBallotsThatEnded() {
        isDiskSlow = true;
        var ballot = new Ballot(1, MASTER);
        View next = next(VIEW.members().toArray(Member[]::new));
        received(MASTER, new Message.Prepare(VIEW, ballot));
        received(MASTER, new Message.Accept(VIEW, ballot, next));
        received(MASTER, new Message.Commit(next));
        beat(THIRD, LINEAGE, 4, 3);
        event(new ViewEvent.Suspected(MASTER, 1));
        pass(20 * MILLI);
        assertInstanceOf(Campaign.Candidate.class, state.campaign());
        assertEquals(List.of(new VoterTask.Promise(VIEW, ballot)), List.copyOf(tasks));
        assertTrue(
                diskDone().contains(new ViewEffect.Send(MASTER, new Message.Commit(next))),
                "the result of a vote that is no longer needed");
        var own = assertInstanceOf(VoterTask.Promise.class, tasks.getFirst());
        assertEquals(next, own.view());
        assertEquals(SELF, own.ballot().proposer());
        diskDone();
        assertEquals(Optional.of(next), record().view(), "written with the vote");
        assertEquals(List.of(new VoterTask.Learn(next)), List.copyOf(tasks));
    }

    @Test
    void aPromiseIsOnDiskAndTheNodeFrozenBeforeItsAnswersLeave() {
        var ballot = new Ballot(1, MASTER);
        var vote = new ViewEffect.Vote(new VoterTask.Promise(VIEW, ballot));
        var status = Optional.of(OpenResolver.OPEN);
        var process = new ViewEffect.Send(MASTER, here(ballot, status));
        var machines = new ViewEffect.Send(MASTER, promise(ballot, Optional.empty()));
        isDiskSlow = true;
        assertEquals(
                List.of(new ViewEffect.Freeze(LINEAGE, 3), vote), received(MASTER, new Message.Prepare(VIEW, ballot)));
        assertEquals(List.of(), received(MASTER, new Message.Prepare(VIEW, ballot)), "repeated while it freezes");
        assertEquals(
                List.of(process), event(new ViewEvent.Frozen(LINEAGE, 3, status, 0)), "it does not wait for the disk");
        assertEquals(List.of(machines), diskDone());
        assertEquals(Optional.of(ballot), record().promised());
        isDiskSlow = false;
        LineageRecord before = record();
        assertEquals(
                List.of(process, vote, machines),
                received(MASTER, new Message.Prepare(VIEW, ballot)),
                "the same answers again");
        assertEquals(before, record());
    }

    @Test
    void aLowerBallotIsRefusedAndAHigherOneGetsTheStatusOfTheOneFreeze() {
        received(THIRD, new Message.Prepare(VIEW, new Ballot(2, THIRD)));
        frozen(OpenResolver.TRAINING);
        var status = Optional.of(OpenResolver.TRAINING);
        var lower = new Ballot(2, MASTER);
        assertEquals(
                List.of(
                        new ViewEffect.Send(MASTER, here(lower, status)),
                        new ViewEffect.Vote(new VoterTask.Promise(VIEW, lower)),
                        new ViewEffect.Send(MASTER, new Message.Refuse(LINEAGE, 3, new Ballot(2, THIRD)))),
                received(MASTER, new Message.Prepare(VIEW, lower)));
        var higher = new Ballot(3, MASTER);
        assertEquals(
                List.of(
                        new ViewEffect.Send(MASTER, here(higher, status)),
                        new ViewEffect.Vote(new VoterTask.Promise(VIEW, higher)),
                        new ViewEffect.Send(MASTER, promise(higher, Optional.empty()))),
                received(MASTER, new Message.Prepare(VIEW, higher)));
    }

    @Test
    void onlyASuccessorEndsTheFreeze() {
        received(MASTER, new Message.Prepare(VIEW, new Ballot(1, MASTER)));
        frozen(OpenResolver.OPEN);
        event(new ViewEvent.Suspected(MASTER, 1));
        event(new ViewEvent.Suspected(THIRD, 1));
        pass(20_000 * MILLI);
        assertTrue(state.isFrozen());
        event(new ViewEvent.Trusted(MASTER, 1));
        View next = next(member(MASTER, 1, 1), member(SELF, 1, 3));
        received(MASTER, new Message.Commit(next));
        assertFalse(state.isFrozen());
        assertEquals(next, state.view());
    }

    @Test
    void aFrozenMemberDrivesTheChangeItselfWhenItsProposerFallsSilent() {
        received(MASTER, new Message.Prepare(VIEW, new Ballot(1, MASTER)));
        frozen(OpenResolver.OPEN);
        assertTrue(heardFor(2_400 * MILLI, THIRD).stream().noneMatch(ViewEffect.Announce.class::isInstance));
        assertTrue(heardFor(1_000 * MILLI, THIRD).stream()
                .anyMatch(effect -> effect instanceof ViewEffect.Announce(ElectionEvent.Started _)));
    }

    @Test
    void aLongerSilenceLengthensAllThatMustOutlastASuspicion() {
        event(new ViewEvent.SilenceChosen(8_000 * MILLI));
        received(MASTER, new Message.Prepare(VIEW, new Ballot(1, MASTER)));
        frozen(OpenResolver.OPEN);
        assertTrue(heardFor(8_900 * MILLI, THIRD).stream().noneMatch(ViewEffect.Announce.class::isInstance));
        event(new ViewEvent.SilenceChosen(1_500 * MILLI));
        assertTrue(heardFor(1_000 * MILLI, THIRD).stream()
                .anyMatch(effect -> effect instanceof ViewEffect.Announce(ElectionEvent.Started _)));
    }

    @Test
    void anAcceptedViewIsOnDiskBeforeItIsReportedAndLaterBallotsLearnIt() {
        var ballot = new Ballot(1, MASTER);
        View next = next(member(MASTER, 1, 1), member(SELF, 1, 3));
        var proposal = new Proposal(ballot, next);
        isDiskSlow = true;
        assertEquals(
                List.of(new ViewEffect.Vote(new VoterTask.Accept(VIEW, ballot, next))),
                received(MASTER, new Message.Accept(VIEW, ballot, next)));
        assertEquals(List.of(new ViewEffect.Send(MASTER, new Message.Accepted(LINEAGE, 3, ballot))), diskDone());
        assertEquals(Optional.of(proposal), record().accepted());
        isDiskSlow = false;
        assertEquals(
                new ViewEffect.Send(THIRD, promise(new Ballot(2, THIRD), Optional.of(proposal))),
                received(THIRD, new Message.Prepare(VIEW, new Ballot(2, THIRD))).getLast());
        assertEquals(
                new ViewEffect.Send(MASTER, new Message.Refuse(LINEAGE, 3, new Ballot(2, THIRD))),
                received(MASTER, new Message.Accept(VIEW, ballot, next)).getLast());
    }

    /** In an outage of the whole network, the first suspect is not removed before the state of the others is known. */
    @Test
    void aBallotWaitsForASuspectWhileOthersAreInDoubtToo() {
        heardForLong(MASTER, THIRD);
        pass(1_000 * MILLI);
        event(new ViewEvent.Suspected(MASTER, 1));
        frozen(OpenResolver.OPEN);
        answers(THIRD, new Ballot(1, SELF));
        assertFalse(
                effects.stream().anyMatch(ViewMachineTest::isAccept),
                "the other one has been silent for some time too");
        beat(THIRD, LINEAGE, 3, 3);
        assertFalse(
                pass(200 * MILLI).stream().anyMatch(ViewMachineTest::isAccept),
                "it is back, so the suspect may come back too");
        beat(MASTER, LINEAGE, 3, 3);
        assertFalse(pass(200 * MILLI).stream().anyMatch(ViewMachineTest::isAccept), "it is asked again");
        answers(MASTER, new Ballot(1, SELF));
        assertTrue(effects.contains(new ViewEffect.Send(
                THIRD,
                new Message.Accept(
                        VIEW,
                        new Ballot(1, SELF),
                        next(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 1, 3))))));
    }

    /** The link may have closed in the outage too. A ballot does not wait for a process that ended. */
    @Test
    void inAnOutageABallotWaitsForAMemberWithAClosedLinkUntilItsRedialIsRefused() {
        heardForLong(MASTER, THIRD);
        pass(1_000 * MILLI);
        event(new ViewEvent.Unlinked(MASTER, 1));
        event(new ViewEvent.Suspected(MASTER, 1));
        frozen(OpenResolver.OPEN);
        answers(THIRD, new Ballot(1, SELF));
        beat(THIRD, LINEAGE, 3, 3);
        assertFalse(pass(200 * MILLI).stream().anyMatch(ViewMachineTest::isAccept), "the network may have failed");
        assertTrue(event(new ViewEvent.ProcessEnded(MASTER, 1))
                .contains(new ViewEffect.Send(
                        THIRD,
                        new Message.Accept(VIEW, new Ballot(1, SELF), next(member(SELF, 1, 3), member(THIRD, 1, 3))))));
    }

    /** A member without a link that is silent for a span counts as gone, whether the detector reported it or not. */
    @Test
    void aMemberWithoutALinkForASpanIsNoSignOfAnOutage() {
        heardForLong(MASTER, THIRD);
        event(new ViewEvent.Unlinked(MASTER, 1));
        heardFor(1_600 * MILLI, THIRD);
        frozen(OpenResolver.OPEN);
        answers(THIRD, new Ballot(1, SELF));
        assertTrue(effects.contains(new ViewEffect.Send(
                THIRD, new Message.Accept(VIEW, new Ballot(1, SELF), next(member(SELF, 1, 3), member(THIRD, 1, 3))))));
    }

    @Test
    void aLateFrameOfAClosedLinkClearsNoSuspicion() {
        heardForLong(MASTER, THIRD);
        event(new ViewEvent.Unlinked(MASTER, 1));
        event(new ViewEvent.ProcessEnded(MASTER, 1));
        frozen(OpenResolver.OPEN);
        beat(MASTER, LINEAGE, 3, 3);
        answers(THIRD, new Ballot(1, SELF));
        assertTrue(effects.contains(new ViewEffect.Send(
                THIRD, new Message.Accept(VIEW, new Ballot(1, SELF), next(member(SELF, 1, 3), member(THIRD, 1, 3))))));
    }

    /** A process that was started in an outage is heard first: its machine's vote must not remove members that come back later. */
    @Test
    void aBallotWaitsForASuspectWhoseMachineIsJustBack() {
        heardForLong(MASTER, THIRD);
        heardFor(1_400 * MILLI, THIRD);
        event(new ViewEvent.Linked(Nodes.trainer(1, 0), 1));
        event(new ViewEvent.Suspected(MASTER, 1));
        frozen(OpenResolver.OPEN);
        answers(THIRD, new Ballot(1, SELF));
        assertTrue(heardFor(1_250 * MILLI, THIRD).stream().noneMatch(ViewMachineTest::isAccept));
        assertTrue(heardFor(500 * MILLI, THIRD).stream().anyMatch(ViewMachineTest::isAccept));
    }

    /** The link of the other process may have stayed open, and it may be no member itself. */
    @Test
    void aBallotWaitsForASuspectWhileAnotherProcessOfItsMachineIsHeardAgain() {
        NodeId neighbour = Nodes.trainer(1, 0);
        event(new ViewEvent.Linked(neighbour, 1));
        heardForLong(MASTER, THIRD, neighbour);
        heardFor(1_400 * MILLI, THIRD);
        beat(neighbour, LINEAGE, 3, 3);
        event(new ViewEvent.Suspected(MASTER, 1));
        frozen(OpenResolver.OPEN);
        answers(THIRD, new Ballot(1, SELF));
        assertTrue(heardFor(1_250 * MILLI, THIRD, neighbour).stream().noneMatch(ViewMachineTest::isAccept));
        assertTrue(heardFor(500 * MILLI, THIRD, neighbour).stream().anyMatch(ViewMachineTest::isAccept));
    }

    /** Otherwise members that answered and wait too would conclude that no proposer drives the change. */
    @Test
    void aWaitingBallotIsSentAgainToMembersThatAnswered() {
        heardForLong(MASTER, THIRD);
        pass(1_000 * MILLI);
        event(new ViewEvent.Suspected(MASTER, 1));
        frozen(OpenResolver.OPEN);
        answers(THIRD, new Ballot(1, SELF));
        assertTrue(pass(310 * MILLI)
                .contains(new ViewEffect.Send(THIRD, new Message.Prepare(VIEW, new Ballot(1, SELF)))));
    }

    /** During an outage a member cannot answer. */
    @Test
    void aBallotWaitsLongerByTheTimeOfAnOutage() {
        heardForLong(MASTER, THIRD);
        pass(600 * MILLI);
        event(new ViewEvent.Suspected(MASTER, 1));
        frozen(OpenResolver.OPEN);
        answers(THIRD, new Ballot(1, SELF));
        pass(560 * MILLI);
        var sent = new ArrayList<ViewEffect>();
        for (int i = 0; i < 7; i++) {
            beat(THIRD, LINEAGE, 3, 3);
            sent.addAll(pass(200 * MILLI));
        }
        sent.addAll(pass(60 * MILLI));
        assertFalse(sent.stream().anyMatch(ViewMachineTest::isAccept), "2 s are over, 0.6 s of them in an outage");
        beat(MASTER, LINEAGE, 3, 3);
        answers(MASTER, new Ballot(1, SELF));
        assertTrue(effects.contains(new ViewEffect.Send(
                THIRD,
                new Message.Accept(
                        VIEW,
                        new Ballot(1, SELF),
                        next(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 1, 3))))));
    }

    /** It may have learned of its admission in the meantime: only repeated heartbeats count. */
    @Test
    void anOldHeartbeatOfANewMemberIsNoProofThatItLivesElsewhere() {
        var elsewhere = new Lineage(false, 400, THIRD, 1, 0);
        beat(THIRD, elsewhere, 1, 1);
        heardForLong(MASTER);
        received(THIRD, new Message.NotYet(LINEAGE, "no heartbeat"));
        assertEquals(Optional.empty(), state.change().needed());
        beat(THIRD, elsewhere, 1, 1);
        pass(1_000 * MILLI);
        assertEquals(
                Optional.of(THIRD.shortText() + " lives in another lineage"),
                state.change().needed());
    }

    @Test
    void aBallotContinuesWithoutASuspectOnceTheOthersAreHeardSteadily() {
        heardForLong(MASTER, THIRD);
        pass(1_000 * MILLI);
        event(new ViewEvent.Suspected(MASTER, 1));
        frozen(OpenResolver.OPEN);
        answers(THIRD, new Ballot(1, SELF));
        var sent = new ArrayList<ViewEffect>();
        for (int i = 0; i < 7; i++) {
            beat(THIRD, LINEAGE, 3, 3);
            sent.addAll(pass(240 * MILLI));
        }
        assertTrue(sent.stream().anyMatch(ViewMachineTest::isAccept), sent.toString());
    }

    /** Each such ballot stops the data of all others until one of them drives the change itself. */
    @Test
    void aMemberThatAbandonsItsBallotsIsRemoved() {
        heardForLong(MASTER, THIRD);
        View view = VIEW;
        for (int i = 0; i < Abandonments.MOST; i++) {
            received(THIRD, new Message.Prepare(view, new Ballot(1, THIRD)));
            assertTrue(effects.stream().anyMatch(ViewEffect.Freeze.class::isInstance), effects.toString());
            event(new ViewEvent.Frozen(LINEAGE, view.epoch(), Optional.of(OpenResolver.OPEN), 0));
            heardFor(2_600 * MILLI, MASTER, THIRD);
            view = new View(LINEAGE, view.epoch() + 1, VIEW.members(), List.of());
            received(MASTER, new Message.Commit(view));
            heardFor(400 * MILLI, MASTER, THIRD);
        }
        received(THIRD, new Message.Prepare(view, new Ballot(1, THIRD)));
        assertEquals(1, state.refusals().count(MessageRejection.ABANDONER));
        assertFalse(effects.stream().anyMatch(ViewEffect.Freeze.class::isInstance), "its data flows");
        assertEquals(
                Optional.of(THIRD.shortText() + " began ballots and abandoned them"),
                state.change().needed());
    }

    /** Prepare arrives repeatedly, each time with a higher ballot, and Accept never does. */
    @Test
    void aBallotThatNeverReachesAcceptIsTakenOver() {
        heardForLong(MASTER, THIRD);
        var sent = new ArrayList<ViewEffect>();
        for (int round = 1; round <= 130; round++) {
            received(THIRD, new Message.Prepare(VIEW, new Ballot(round, THIRD)));
            if (round == 1) {
                frozen(OpenResolver.OPEN);
            }
            sent.addAll(heardFor(300 * MILLI, MASTER, THIRD));
        }
        assertTrue(state.refusals().count(MessageRejection.ABANDONER) > 1);
        assertTrue(
                sent.stream()
                        .anyMatch(effect -> effect instanceof ViewEffect.Send(NodeId to, Message.Prepare mine)
                                && to.equals(MASTER)
                                && mine.ballot().proposer().equals(SELF)),
                sent.toString());
    }

    /** It was not heard in the meantime. */
    @Test
    void aMemberThatWasAwayDidNotAbandonItsBallot() {
        heardForLong(MASTER, THIRD);
        received(THIRD, new Message.Prepare(VIEW, new Ballot(1, THIRD)));
        frozen(OpenResolver.OPEN);
        heardFor(1_800 * MILLI, MASTER);
        heardFor(900 * MILLI, MASTER, THIRD);
        View next = next(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 1, 3));
        received(MASTER, new Message.Commit(next));
        received(THIRD, new Message.Prepare(next, new Ballot(1, THIRD)));
        assertEquals(0, state.refusals().count(MessageRejection.ABANDONER));
    }

    @Test
    void aBallotIsNotBegunForAReasonThatEndedDuringTheDiskWrite() {
        isDiskSlow = true;
        heardForLong(MASTER, THIRD);
        event(new ViewEvent.Suspected(MASTER, 1));
        assertTrue(
                effects.contains(new ViewEffect.Vote(new VoterTask.Promise(VIEW, new Ballot(1, SELF)))),
                effects.toString());
        event(new ViewEvent.Trusted(MASTER, 1));
        isDiskSlow = false;
        assertTrue(diskDone().stream().noneMatch(ViewEffect.Send.class::isInstance), effects.toString());
        assertEquals(ElectionState.FOLLOWER, state.election());
    }

    @Test
    void aProposerCompletesAViewThatMayHaveBeenChosen() {
        isDiskSlow = true;
        heardForLong(MASTER, THIRD);
        event(new ViewEvent.Suspected(MASTER, 1));
        Ballot mine = new Ballot(1, SELF);
        var prepare = new ViewEffect.Send(THIRD, new Message.Prepare(VIEW, mine));
        assertTrue(effects.contains(new ViewEffect.Vote(new VoterTask.Promise(VIEW, mine))), effects.toString());
        assertFalse(effects.contains(prepare), "its own promise is not on disk");
        isDiskSlow = false;
        assertTrue(diskDone().contains(prepare), effects.toString());
        frozen(OpenResolver.OPEN);
        View other = next(member(MASTER, 1, 1), member(THIRD, 1, 3));
        received(THIRD, promise(mine, Optional.of(new Proposal(new Ballot(1, MASTER), other))));
        received(THIRD, here(mine, Optional.of(OpenResolver.OPEN)));
        assertTrue(
                effects.contains(new ViewEffect.Send(THIRD, new Message.Accept(VIEW, mine, other))),
                effects.toString());
    }

    @Test
    void theAcceptedViewOfTheHighestBallotIsCompleted() {
        View five = five();
        Ballot mine = campaign(five);
        View low = successor(
                five,
                five.members().get(0),
                five.members().get(1),
                five.members().get(2));
        View high = successor(five, five.members().get(1), five.members().get(2));
        NodeId fourth = five.members().get(3).node();
        received(fourth, new Message.Promise(LINEAGE, 4, mine, Optional.of(new Proposal(new Ballot(2, MASTER), high))));
        received(THIRD, new Message.Promise(LINEAGE, 4, mine, Optional.of(new Proposal(new Ballot(1, THIRD), low))));
        List<ViewEffect> all = heardFor(2_100 * MILLI, THIRD, fourth);
        assertTrue(all.contains(new ViewEffect.Send(THIRD, new Message.Accept(five, mine, high))), all.toString());
    }

    private View five() {
        return view(5);
    }

    /** A view of {@code machines} machines, of which this is the second; all are linked. */
    private View view(int machines) {
        var members = new ArrayList<>(VIEW.members());
        for (int machine = 4; machine <= machines; machine++) {
            members.add(member(Nodes.agent(machine), 1, 4));
            event(new ViewEvent.Linked(Nodes.agent(machine), 1));
        }
        members.sort(Member.ORDER);
        View view = new View(LINEAGE, 4, members, List.of());
        received(MASTER, new Message.Commit(view));
        pass(400 * MILLI);
        return view;
    }

    private static View successor(View view, Member... members) {
        return new View(LINEAGE, view.epoch() + 1, List.of(members), List.of());
    }

    /** This node began a ballot because the master is silent, and answered it itself. */
    private Ballot campaign(View view) {
        event(new ViewEvent.Suspected(view.members().getFirst().node(), 1));
        assertEquals(ElectionState.CAMPAIGNING, state.election());
        frozen(OpenResolver.OPEN);
        return ownBallot();
    }

    private Ballot ownBallot() {
        return ((Campaign.Preparing) state.campaign()).ballot();
    }

    @Test
    void onlyMembersThatAnsweredThisBallotWithAStatusStay() {
        event(new ViewEvent.Suspected(MASTER, 1));
        Ballot mine = new Ballot(1, SELF);
        frozen(OpenResolver.OPEN);
        answers(MASTER, mine);
        assertTrue(effects.isEmpty(), "the third is not suspected and gets its time");
        received(THIRD, promise(mine, Optional.empty()));
        assertTrue(effects.isEmpty(), "its machine answered, the process did not");
        received(THIRD, here(mine, Optional.empty()));
        View next = next(member(MASTER, 1, 1), member(SELF, 1, 3));
        assertTrue(
                effects.contains(new ViewEffect.Send(MASTER, new Message.Accept(VIEW, mine, next))),
                "suspicion removes no member that answers: " + effects);
        received(THIRD, new Message.Accepted(LINEAGE, 3, mine));
        assertTrue(
                effects.contains(new ViewEffect.Send(THIRD, new Message.Commit(next))),
                "the removed member receives the view");
        assertEquals(next, state.view());
        assertEquals(new ViewSource.Own(), state.source());
        assertEquals(
                "it did not answer the ballot in time",
                announced(ElectionEvent.MemberRemoved.class).getFirst().why());
    }

    @Test
    void aMachineIsCountedOnceHoweverOftenItsProcessesAnswer() {
        View five = five();
        Ballot mine = campaign(five);
        NodeId other = Nodes.trainer(3, 0); // a process of the third machine, not a member
        var promise = new Message.Promise(LINEAGE, 4, mine, Optional.empty());
        for (NodeId from : List.of(THIRD, THIRD, other, other)) {
            received(from, promise);
        }
        assertTrue(
                heardFor(2_100 * MILLI, THIRD, Nodes.agent(4)).stream().noneMatch(ViewMachineTest::isAccept),
                "two machines of five");
        frozen(OpenResolver.OPEN);
        received(Nodes.agent(4), promise);
        assertTrue(effects.stream().anyMatch(ViewMachineTest::isAccept), effects.toString());
        var accepted = new Message.Accepted(LINEAGE, 4, mine);
        for (NodeId from : List.of(THIRD, THIRD, other, other, SELF)) {
            received(from, accepted);
        }
        assertEquals(five, state.view(), "no process votes in the name of this one, or twice for its machine");
        received(Nodes.agent(4), accepted);
        assertEquals(5, state.view().epoch());
    }

    @Test
    void aMemberThatIsBehindReceivesTheNewestView() {
        View next = next(member(MASTER, 1, 1), member(SELF, 1, 3));
        received(MASTER, new Message.Commit(next));
        var told = List.of(new ViewEffect.Send(THIRD, new Message.Commit(next)));
        assertEquals(told, received(THIRD, new Message.Prepare(VIEW, new Ballot(1, THIRD))));
        beat(THIRD, LINEAGE, 3, 3);
        assertEquals(told, effects);
        assertEquals(told, received(THIRD, new Message.Leave(LINEAGE, 3, false)), "a leaver may exit");
    }

    @Test
    void aViewIsInstalledAlthoughEarlierOnesWereMissed() {
        View far = new View(LINEAGE, 40, List.of(member(SELF, 1, 3), member(THIRD, 1, 39)), List.of());
        received(THIRD, new Message.Commit(far));
        assertEquals(far, state.view());
        assertEquals(ElectionState.MASTER, state.election());
    }

    @Test
    void anotherEntryEpochMeansARemovalInBetween() {
        View again = new View(LINEAGE, 9, List.of(member(MASTER, 1, 1), member(SELF, 1, 8)), List.of());
        received(MASTER, new Message.Commit(again));
        assertTrue(effects.stream().anyMatch(ViewEffect.Removed.class::isInstance));
        assertEquals(1, state.view().members().size());
    }

    @Test
    void theReasonNamesTheSenderOfAView() {
        assertEquals(new ViewSource.Told(MASTER), state.source());
        assertEquals("told by " + MASTER.shortText(), state.source().clause());
        received(THIRD, new Message.Commit(next(member(SELF, 1, 3), member(THIRD, 1, 3))));
        assertEquals(THIRD.shortText(), state.source().text());
        String why = announced(ElectionEvent.MemberRemoved.class).getFirst().why();
        assertEquals("no reason is known here; the view is told by " + THIRD.shortText(), why);
        beat(THIRD, LINEAGE, 4, 2);
        received(THIRD, new Message.Commit(new View(LINEAGE, 5, List.of(member(THIRD, 1, 3)), List.of())));
        assertEquals(
                List.of("view 5 of lineage " + LINEAGE.shortText() + ", told by " + THIRD.shortText()
                        + ", has 1 member and not this node; this node knows no reason, " + THIRD.shortText()
                        + " may say why"),
                removals());
        assertEquals(new ViewSource.Own(), state.source(), "it founded a lineage of its own");
    }

    private void assertOut(String reason) {
        received(THIRD, new Message.Commit(next(member(MASTER, 1, 1), member(THIRD, 1, 3))));
        String out = "view 4 of lineage " + LINEAGE.shortText() + ", told by " + THIRD.shortText()
                + ", has 2 members and not this node; ";
        assertEquals(List.of(out + reason), removals());
    }

    @Test
    void aRemovedNodeReportsItsPause() {
        now += 3_250 * MILLI;
        event(new ViewEvent.Tick());
        now += 800 * MILLI; // shorter, and so not the reason of its removal
        event(new ViewEvent.Tick());
        assertOut("this node stood still for 3.2 s");
    }

    @Test
    void aRemovedNodeReportsThatItHeardNoQuorum() {
        event(new ViewEvent.Suspected(MASTER, 1));
        event(new ViewEvent.Suspected(THIRD, 1));
        pass(5_140 * MILLI);
        assertOut("this node heard no quorum for 5.1 s");
    }

    @Test
    void aRemovedNodeReportsItsLostLinkToTheMaster() {
        event(new ViewEvent.Unlinked(MASTER, 1, "reset by the peer"));
        event(new ViewEvent.Unlinked(THIRD, 1, "x".repeat(500)));
        event(new ViewEvent.Linked(MASTER, 1));
        event(new ViewEvent.Linked(THIRD, 1));
        heardFor(2_400 * MILLI, MASTER, THIRD);
        assertOut("its link to the master " + MASTER.shortText() + " was lost 2.4 s ago (reset by the peer)");
    }

    @Test
    void anOldEventIsNoReasonForARemoval() {
        event(new ViewEvent.Unlinked(THIRD, 1, "x".repeat(500)));
        assertEquals(120, state.lapses().loss().orElseThrow().why().length());
        event(new ViewEvent.Linked(THIRD, 1));
        now += 3_250 * MILLI;
        event(new ViewEvent.Tick());
        assertTrue(state.lapses().text(now).isPresent());
        heardFor(31_000 * MILLI, MASTER, THIRD);
        assertOut("this node knows no reason, " + THIRD.shortText() + " may say why");
    }

    @Test
    void aConflictOfTwoViewsOfOneEpochNamesBothSenders() {
        received(THIRD, new Message.Commit(VIEW));
        assertEquals(List.of(), announced(ElectionEvent.Conflict.class), "the same view is no other one");
        received(THIRD, new Message.Commit(new View(LINEAGE, 3, List.of(member(SELF, 1, 3)), List.of())));
        var conflict = announced(ElectionEvent.Conflict.class).getFirst();
        assertEquals(new ViewSource.Told(THIRD), conflict.source());
        assertEquals(
                "a view 3 of lineage " + LINEAGE.shortText() + ", told by " + THIRD.shortText()
                        + ", is not the one known, which is told by " + MASTER.shortText()
                        + ": one of the two is forged",
                conflict.why());
        assertEquals(VIEW, state.view());
    }

    @Test
    void aConflictOfTwoProposalsOfOneBallotNamesTheSender() {
        var ballot = new Ballot(2, THIRD);
        received(THIRD, new Message.Accept(VIEW, ballot, next(member(SELF, 1, 3), member(THIRD, 1, 3))));
        received(THIRD, new Message.Accept(VIEW, ballot, next(member(THIRD, 1, 3))));
        var conflict = announced(ElectionEvent.Conflict.class).getFirst();
        assertEquals(new ViewSource.Told(THIRD), conflict.source());
        assertTrue(conflict.why().startsWith("a ballot of " + THIRD.shortText() + " is about another view 3"));
    }

    private <E extends ElectionEvent> List<E> announced(Class<E> kind) {
        return effects.stream()
                .flatMap(effect -> effect instanceof ViewEffect.Announce(ElectionEvent event) && kind.isInstance(event)
                        ? Stream.of(kind.cast(event))
                        : Stream.empty())
                .toList();
    }

    private List<String> removals() {
        return effects.stream()
                .flatMap(effect ->
                        effect instanceof ViewEffect.Removed removed ? Stream.of(removed.why()) : Stream.empty())
                .toList();
    }

    @Test
    void aTombstoneLeavesEachNodeAloneWithoutLossOfWork() {
        received(MASTER, new Message.Commit(next()));
        assertTrue(effects.stream().noneMatch(ViewEffect.Removed.class::isInstance));
        assertEquals(SELF, state.view().members().getFirst().node());
    }

    @Test
    void aMachineVotesOnAfterARestartAndItsProcessIsNotKept() {
        state = started(List.of(record()), 2);
        var ballot = new Ballot(1, MASTER);
        assertEquals(
                List.of(
                        new ViewEffect.Send(MASTER, here(ballot, Optional.empty())),
                        new ViewEffect.Vote(new VoterTask.Promise(VIEW, ballot)),
                        new ViewEffect.Send(MASTER, promise(ballot, Optional.empty()))),
                received(MASTER, new Message.Prepare(VIEW, ballot)));
        assertFalse(state.isFrozen());
    }

    @Test
    void withoutTheSeatThereIsNoVoteAndTheProposerGetsGone() {
        var ballot = new Ballot(1, MASTER);
        var gone = new ViewEffect.Send(MASTER, new Message.Gone(LINEAGE, 3, seat(SELF)));
        folder.clear();
        state = started(List.of(), 2);
        assertEquals(gone, received(MASTER, new Message.Prepare(VIEW, ballot)).getLast(), "the record is missing");
        assertFalse(folder.containsKey(LINEAGE), "no record is made by a ballot");
        folder.put(LINEAGE, LineageRecord.fresh(LINEAGE, 99));
        state = started(List.of(record()), 2);
        assertEquals(gone, received(MASTER, new Message.Prepare(VIEW, ballot)).getLast(), "another seat");
        View next = next(member(MASTER, 1, 1), member(THIRD, 1, 3));
        assertEquals(
                gone, received(MASTER, new Message.Accept(VIEW, ballot, next)).getLast(), "nor does it accept");
        assertEquals(
                List.of(99L, Optional.empty(), Optional.empty()),
                List.of(record().seat(), record().promised(), record().accepted()));
        folder.put(LINEAGE, LineageRecord.fresh(LINEAGE, seat(SELF)));
        state = started(List.of(record()), 2);
        assertEquals(
                new ViewEffect.Send(MASTER, promise(ballot, Optional.empty())),
                received(MASTER, new Message.Prepare(VIEW, ballot)).getLast(),
                "the seat counts, whichever start of the machine asked");
    }

    @Test
    void joinersLearnByCommitAndNeverFromAccept() {
        folder.put(LINEAGE, LineageRecord.fresh(LINEAGE, seat(SELF)));
        state = started(List.of(record()), 2);
        event(new ViewEvent.Linked(MASTER, 1));
        beat(MASTER, LINEAGE, 3, 3);
        View next = next(member(MASTER, 1, 1), member(THIRD, 1, 3), member(SELF, 2, 4));
        received(MASTER, new Message.Accept(VIEW, new Ballot(1, MASTER), next));
        assertEquals(1, state.view().members().size());
        received(MASTER, new Message.Commit(next));
        assertEquals(next, state.view());
    }

    private static SortedSet<PeerId> machines(NodeId... nodes) {
        var machines = new TreeSet<PeerId>();
        for (NodeId node : nodes) {
            machines.add(node.peer());
        }
        return machines;
    }

    @Test
    void aMachineWhoseIdentityTwoComputersUseHasNoVote() {
        View five = five();
        event(new ViewEvent.Doubled(machines(THIRD)));
        Ballot mine = campaign(five);
        var promise = new Message.Promise(LINEAGE, 4, mine, Optional.empty());
        received(THIRD, promise);
        received(Nodes.trainer(3, 0), promise);
        received(Nodes.agent(4), promise);
        assertTrue(
                heardFor(2_100 * MILLI, THIRD, Nodes.agent(4)).stream().noneMatch(ViewMachineTest::isAccept),
                "two machines of five");
        assertEquals(2, state.refusals().count(MessageRejection.DOUBLED));
        received(Nodes.agent(5), promise);
        assertTrue(effects.stream().anyMatch(ViewMachineTest::isAccept), effects.toString());
        var accepted = new Message.Accepted(LINEAGE, 4, mine);
        received(THIRD, accepted);
        received(Nodes.agent(4), accepted);
        assertEquals(five, state.view());
        received(Nodes.agent(5), accepted);
        assertEquals(5, state.view().epoch());
    }

    @Test
    void aBallotThatCountedADoubledMachineIsAbandoned() {
        View five = five();
        Ballot mine = campaign(five);
        var promise = new Message.Promise(LINEAGE, 4, mine, Optional.empty());
        received(THIRD, promise);
        event(new ViewEvent.Doubled(machines(THIRD)));
        assertEquals(Campaign.NONE, state.campaign());
        received(Nodes.agent(4), promise);
        assertTrue(
                pass(3_000 * MILLI).stream()
                        .noneMatch(effect -> effect instanceof ViewEffect.Send(var _, Message.Accept accept)
                                && accept.ballot().equals(mine)),
                "of three machines one has no vote");
    }

    @Test
    void noBallotOfADoubledMachineIsAnsweredAndNoGoneOfItIsCounted() {
        event(new ViewEvent.Doubled(machines(MASTER, THIRD)));
        LineageRecord written = record();
        received(MASTER, new Message.Prepare(VIEW, new Ballot(1, MASTER)));
        received(
                MASTER,
                new Message.Accept(VIEW, new Ballot(1, MASTER), next(member(MASTER, 1, 1), member(SELF, 1, 3))));
        assertEquals(written, record());
        assertFalse(state.isFrozen());
        received(MASTER, new Message.Gone(LINEAGE, 3, seat(MASTER)));
        received(THIRD, new Message.Gone(LINEAGE, 3, seat(THIRD)));
        assertEquals(VIEW, state.view());
        assertEquals(4, state.refusals().count(MessageRejection.DOUBLED));
        event(new ViewEvent.Doubled(machines()));
        received(THIRD, new Message.Gone(LINEAGE, 3, seat(THIRD)));
        received(MASTER, new Message.Gone(LINEAGE, 3, seat(MASTER)));
        assertEquals(1, state.view().members().size(), "now both are known to be gone");
    }

    @Test
    void anEarlierGoneOfADoubledMachineNoLongerCounts() {
        received(THIRD, new Message.Gone(LINEAGE, 3, seat(THIRD)));
        event(new ViewEvent.Doubled(machines(THIRD)));
        received(MASTER, new Message.Gone(LINEAGE, 3, seat(MASTER)));
        assertEquals(VIEW, state.view(), "the other computer may have that vote");
    }

    @Test
    void aDoubledMachineHasNoTurnToPropose() {
        five();
        event(new ViewEvent.Doubled(machines(MASTER)));
        event(new ViewEvent.Suspected(Nodes.agent(5), 1));
        assertEquals(ElectionState.CAMPAIGNING, state.election());
    }

    @Test
    void aLoneNodeAsksNoDoubledMachineForEntry() {
        state = started(List.of(), 2);
        event(new ViewEvent.Linked(MASTER, 1));
        event(new ViewEvent.Doubled(machines(MASTER)));
        beat(MASTER, LINEAGE, 3, 3);
        assertTrue(pass(500 * MILLI).stream().noneMatch(ViewMachineTest::isJoin));
        beat(MASTER, LINEAGE, 3, 3);
        event(new ViewEvent.Doubled(machines()));
        assertTrue(effects.stream().anyMatch(ViewMachineTest::isJoin), effects.toString());
    }

    @Test
    void anExcludedMachineLeavesWithTheNextViewAlthoughItAnswers() {
        View five = five();
        Ballot mine = campaign(five);
        NodeId fourth = Nodes.agent(4);
        NodeId fifth = Nodes.agent(5);
        received(fourth, new Message.Here(LINEAGE, 4, mine, STAYS));
        event(new ViewEvent.Excluded(machines(fourth)));
        assertEquals(Campaign.NONE, state.campaign(), "it counted an answer of it");
        heardFor(1_500 * MILLI, THIRD, fourth, fifth);
        assertEquals(ElectionState.CAMPAIGNING, state.election());
        frozen(OpenResolver.OPEN);
        Ballot next = ownBallot();
        for (NodeId other : List.of(fourth, THIRD, fifth)) {
            received(other, new Message.Promise(LINEAGE, 4, next, Optional.empty()));
            received(other, new Message.Here(LINEAGE, 4, next, STAYS));
        }
        assertEquals(1, state.refusals().count(MessageRejection.EXCLUDED), "its promise");
        View proposed = effects.stream()
                .flatMap(effect -> effect instanceof ViewEffect.Send(var _, Message.Accept accept)
                        ? Stream.of(accept.next())
                        : Stream.empty())
                .findFirst()
                .orElseThrow();
        assertEquals(
                List.of(SELF, THIRD, fifth),
                proposed.members().stream().map(Member::node).sorted().toList());
    }

    @Test
    void anExcludedMemberIsAReasonForANewViewThatDoesNotWaitForIt() {
        five();
        event(new ViewEvent.Excluded(machines(MASTER))); // this node leads now
        assertEquals(ElectionState.CAMPAIGNING, state.election());
        frozen(OpenResolver.OPEN);
        Ballot mine = ownBallot();
        for (NodeId other : List.of(THIRD, Nodes.agent(4), Nodes.agent(5))) {
            received(other, new Message.Promise(LINEAGE, 4, mine, Optional.empty()));
            received(other, new Message.Here(LINEAGE, 4, mine, STAYS));
        }
        assertTrue(effects.stream().anyMatch(ViewMachineTest::isAccept), effects.toString());
        assertTrue(Apartness.of(state, MASTER).orElseThrow().contains("put out"));
    }

    @Test
    void aLineageIsGivenUpWhenItsOtherMachinesAreNoQuorumWithoutTheExcludedOnes() {
        event(new ViewEvent.Excluded(machines(THIRD)));
        assertEquals(VIEW, state.view(), "two of three");
        event(new ViewEvent.Excluded(machines(MASTER, THIRD)));
        assertEquals(1, state.view().members().size());
        assertNotEquals(LINEAGE, state.view().lineage());
        beat(MASTER, LINEAGE, 3, 3);
        assertTrue(pass(500 * MILLI).stream().noneMatch(ViewMachineTest::isJoin), "it asks none of them for entry");
        received(MASTER, new Message.Join(state.view().lineage(), 99, Role.AGENT, "", GroupPhase.FRESH));
        assertTrue(
                effects.stream()
                        .anyMatch(effect -> effect instanceof ViewEffect.Send(var _, Message.NotYet(var _, var reason))
                                && reason.contains("put out")),
                effects.toString());
    }

    @Test
    void aDoubledMachineDoesNotCountTowardsAHeardQuorum() {
        event(new ViewEvent.Doubled(machines(MASTER, THIRD)));
        pass(200 * MILLI);
        assertEquals(ElectionState.STALLED, state.election());
        event(new ViewEvent.Doubled(machines(MASTER)));
        heardFor(9_000 * MILLI, THIRD);
        assertTrue(
                state.hearing() instanceof HearingState.Quorum, state.hearing().toString());
    }

    @Test
    void noNodeAdmitsADoubledMachineAndItReportsTheReason() {
        NodeId fourth = Nodes.agent(4);
        event(new ViewEvent.Suspected(MASTER, 1)); // so this node leads
        View two = next(member(SELF, 1, 3), member(THIRD, 1, 3));
        received(THIRD, new Message.Commit(two));
        pass(400 * MILLI);
        event(new ViewEvent.Linked(fourth, 1));
        event(new ViewEvent.Doubled(machines(fourth)));
        received(fourth, new Message.Join(LINEAGE, 99, Role.AGENT, "", GroupPhase.FRESH));
        assertTrue(
                effects.stream()
                        .anyMatch(effect -> effect instanceof ViewEffect.Send(var to, Message.NotYet(var _, var reason))
                                && to.equals(fourth)
                                && reason.contains("two computers")),
                effects.toString());
        assertEquals(Optional.empty(), state.change().needed());
        assertTrue(Apartness.of(state, fourth).orElseThrow().contains("two computers"));
        event(new ViewEvent.Doubled(machines()));
        received(fourth, new Message.Join(LINEAGE, 99, Role.AGENT, "", GroupPhase.FRESH));
        assertTrue(state.change().needed().isPresent(), "its identity is its own again");
    }

    @Test
    void aNodeWhoseIdentityIsUsedElsewhereLeavesAndStaysAlone() {
        List<ViewEffect> all = event(new ViewEvent.Doubled(machines(SELF)));
        assertTrue(all.contains(new ViewEffect.Send(MASTER, new Message.Leave(LINEAGE, 3, true))), all.toString());
        assertTrue(
                all.stream()
                        .anyMatch(effect -> effect instanceof ViewEffect.Removed removed
                                && removed.cause() == ViewEffect.Removed.Cause.DOUBLED),
                all.toString());
        assertEquals(1, state.view().members().size());
        assertTrue(state.presence().stalled(), "no node asks it for entry");
        LineageRecord written = record();
        received(MASTER, new Message.Prepare(VIEW, new Ballot(7, MASTER)));
        assertTrue(
                effects.contains(new ViewEffect.Send(
                        MASTER, new Message.Here(LINEAGE, 3, new Ballot(7, MASTER), Optional.empty()))),
                effects.toString());
        assertTrue(effects.stream().noneMatch(ViewEffect.Vote.class::isInstance), "its records may be the copy's");
        assertEquals(written, record());
        event(new ViewEvent.Doubled(machines())); // reports about other machines change nothing
        beat(MASTER, LINEAGE, 4, 2);
        beat(THIRD, LINEAGE, 4, 2);
        List<ViewEffect> later = pass(60_000 * MILLI);
        assertTrue(state.isDoubled());
        assertTrue(later.stream().noneMatch(ViewMachineTest::isJoin), later.toString());
        received(THIRD, new Message.Join(state.view().lineage(), 99, Role.AGENT, "", GroupPhase.FRESH));
        assertEquals(Optional.empty(), state.change().needed(), "it admits no node");
        assertEquals(1, state.view().members().size());
    }

    private static boolean isJoin(ViewEffect effect) {
        return effect instanceof ViewEffect.Send(var _, Message.Join _);
    }

    @Test
    void wellFormedButWrongMessagesAreCountedAndChangeNothing() {
        ViewState before = state;
        LineageRecord written = record();
        received(MASTER, new Message.Prepare(VIEW, new Ballot(1, THIRD)));
        received(Nodes.agent(9), new Message.Prepare(VIEW, new Ballot(1, Nodes.agent(9))));
        assertEquals(2, state.refusals().count(MessageRejection.FOREIGN_BALLOT));
        event(new ViewEvent.Received(Nodes.agent(7), 2, new Message.Leave(LINEAGE, 3, false)));
        event(new ViewEvent.Received(Nodes.agent(7), 1, new Message.Leave(LINEAGE, 3, false)));
        assertEquals(1, state.refusals().count(MessageRejection.OLD_INCARNATION));
        View twice = new View(LINEAGE, 7, List.of(member(SELF, 1, 3), member(SELF, 2, 3)), List.of());
        received(THIRD, new Message.Commit(twice));
        received(THIRD, new Message.Accept(VIEW, new Ballot(1, THIRD), new View(LINEAGE, 9, List.of(), List.of())));
        received(THIRD, new Message.Accept(VIEW, new Ballot(1, THIRD), next(member(Nodes.agent(8), 1, 2))));
        assertEquals(3, state.refusals().count(MessageRejection.BAD_VIEW));
        received(THIRD, new Message.Commit(new View(LINEAGE, 3, List.of(member(SELF, 1, 3)), List.of())));
        assertEquals(1, state.refusals().count(MessageRejection.CONFLICT));
        received(THIRD, new Message.Accepted(LINEAGE, 3, new Ballot(1, SELF)));
        received(THIRD, new Message.Refuse(LINEAGE, 3, new Ballot(Ballot.ROUND_MAX, THIRD)));
        assertEquals(2, state.refusals().count(MessageRejection.STRAY_ANSWER));
        received(THIRD, new Message.Gone(LINEAGE, 3, seat(MASTER)));
        received(THIRD, new Message.Gone(LINEAGE, 2, seat(THIRD)));
        assertEquals(4, state.refusals().count(MessageRejection.STRAY_ANSWER));
        assertEquals(before.view(), state.view());
        assertEquals(written, record());
    }

    /** Attack 22: only the link identifies the sender of a message. A message in another's name is counted, and the link stays. */
    @Test
    void aMessageInTheNameOfAnotherIsCountedAndChangesNothing() {
        var mastersBallot = new Ballot(1, MASTER);
        View proposed = next(member(MASTER, 1, 1), member(SELF, 1, 3));
        Map<Message, MessageRejection> forged = Map.of(
                new Message.Prepare(VIEW, mastersBallot),
                MessageRejection.FOREIGN_BALLOT,
                new Message.Accept(VIEW, mastersBallot, proposed),
                MessageRejection.FOREIGN_BALLOT,
                promise(mastersBallot, Optional.empty()),
                MessageRejection.STRAY_ANSWER,
                here(mastersBallot, Optional.of(OpenResolver.OPEN)),
                MessageRejection.STRAY_ANSWER,
                new Message.Accepted(LINEAGE, 3, mastersBallot),
                MessageRejection.STRAY_ANSWER,
                new Message.Refuse(LINEAGE, 3, new Ballot(7, MASTER)),
                MessageRejection.STRAY_ANSWER,
                new Message.Gone(LINEAGE, 3, seat(MASTER)),
                MessageRejection.STRAY_ANSWER);
        ViewState before = state;
        LineageRecord written = record();
        forged.forEach((message, reason) -> {
            long counted = state.refusals().count(reason);
            assertEquals(List.of(), received(THIRD, message), "it has an effect: " + message);
            assertEquals(counted + 1, state.refusals().count(reason), message::toString);
        });
        assertEquals(before.view(), state.view());
        assertEquals(written, record());
        assertFalse(state.isFrozen());
    }

    /** A view of epoch 9 that an outsider invents to become a member. */
    private static View invented(Member... members) {
        var all = new ArrayList<>(List.of(members));
        all.add(member(Nodes.agent(8), 1, 9));
        return new View(LINEAGE, 9, all, List.of());
    }

    @Test
    void anOutsiderIsNotBelievedWhileAQuorumIsHeard() {
        beat(MASTER, LINEAGE, 3, 3);
        ViewState before = state;
        LineageRecord written = record();
        NodeId outsider = Nodes.agent(8);
        View withSelf = invented(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 1, 3));
        received(outsider, new Message.Commit(withSelf));
        received(outsider, new Message.Commit(invented()));
        received(outsider, new Message.Commit(new View(LINEAGE, 9, List.of(), List.of())));
        received(outsider, new Message.Prepare(withSelf, new Ballot(1, outsider)));
        View later = new View(LINEAGE, 10, withSelf.members(), List.of());
        received(outsider, new Message.Accept(withSelf, new Ballot(1, outsider), later));
        assertEquals(5, state.refusals().count(MessageRejection.OUTSIDER));
        assertEquals(before.view(), state.view());
        assertEquals(written, record());
        event(new ViewEvent.Unlinked(MASTER, 1));
        event(new ViewEvent.Unlinked(THIRD, 1));
        received(outsider, new Message.Commit(withSelf));
        assertEquals(withSelf, state.view(), "no other node is left that could know");
    }

    @Test
    void aViewWithOlderMembersThatTheKnownViewLacksIsRejected() {
        event(new ViewEvent.Unlinked(MASTER, 1));
        event(new ViewEvent.Unlinked(THIRD, 1));
        received(THIRD, new Message.Commit(invented(member(MASTER, 1, 1), member(SELF, 1, 2))));
        received(THIRD, new Message.Commit(invented(member(MASTER, 1, 1), member(Nodes.agent(5), 1, 3))));
        assertEquals(2, state.refusals().count(MessageRejection.BAD_VIEW));
        assertEquals(VIEW, state.view());
    }

    @Test
    void aJoinerTakesAViewOnlyFromAMemberAndOnlyIfItListsTheJoiner() {
        LineageRecord fresh = LineageRecord.fresh(LINEAGE, seat(SELF));
        folder.put(LINEAGE, fresh);
        state = started(List.of(fresh), 2);
        received(MASTER, new Message.Commit(VIEW));
        assertEquals(Optional.of(VIEW), state.newest(LINEAGE), "an earlier start was a member");
        folder.put(LINEAGE, fresh);
        state = started(List.of(fresh), 2);
        received(MASTER, new Message.Commit(next(member(MASTER, 1, 1))));
        received(Nodes.agent(8), new Message.Commit(VIEW));
        assertEquals(2, state.refusals().count(MessageRejection.OUTSIDER));
        assertEquals(Optional.empty(), state.newest(LINEAGE));
        assertEquals(fresh, record());
    }

    @Test
    void anAnswerOfAnOutsiderIsCountedAndIsNoVote() {
        received(
                Nodes.agent(8),
                new Message.Commit(new View(new Lineage(false, 1, THIRD, 9, 9), 1, List.of(), List.of())));
        assertEquals(1, state.refusals().count(MessageRejection.NO_RECORD));
        heardForLong(MASTER, THIRD);
        event(new ViewEvent.Suspected(MASTER, 1));
        Ballot mine = new Ballot(1, SELF);
        frozen(OpenResolver.OPEN);
        answers(Nodes.agent(8), mine);
        assertEquals(2, state.refusals().count(MessageRejection.STRAY_ANSWER));
        answers(THIRD, mine);
        assertTrue(effects.stream().anyMatch(ViewMachineTest::isAccept));
        received(Nodes.agent(8), new Message.Accepted(LINEAGE, 3, mine));
        assertEquals(3, state.refusals().count(MessageRejection.STRAY_ANSWER));
        assertEquals(VIEW, state.view());
    }

    @Test
    void aSuspicionOfAnEarlierStartDoesNotConcernTheNextOne() {
        event(new ViewEvent.Suspected(THIRD, 1));
        received(MASTER, new Message.Commit(next(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 2, 4))));
        pass(350 * MILLI);
        received(MASTER, new Message.Leave(LINEAGE, 3, false));
        Ballot mine = new Ballot(1, SELF);
        frozen(OpenResolver.OPEN);
        received(MASTER, new Message.Promise(LINEAGE, 4, mine, Optional.empty()));
        received(MASTER, new Message.Here(LINEAGE, 4, mine, LEAVES));
        assertEquals(ElectionState.CAMPAIGNING, state.election());
        assertTrue(
                effects.stream()
                        .noneMatch(effect ->
                                effect instanceof ViewEffect.Send send && send.message() instanceof Message.Accept),
                "the third has just come and gets its time to answer: " + effects);
    }

    @Test
    void aMemberThatEnteredAgainIsNoLongerLeaving() {
        received(THIRD, new Message.Leave(LINEAGE, 3, true));
        received(MASTER, new Message.Commit(next(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 1, 4))));
        pass(1_000 * MILLI);
        assertEquals(ElectionState.FOLLOWER, state.election(), effects.toString());
        assertEquals(Optional.empty(), state.change().needed());
    }

    /** Reports every 250 ms until then that {@code from} cannot reach {@code missed}; the other member is heard as well. */
    private void saysBroken(long until, NodeId from, NodeId missed) {
        for (; now < until; pass(250 * MILLI)) {
            for (NodeId node : List.of(from, missed)) {
                var unreached = node.equals(from) ? List.of(missed) : List.<NodeId>of();
                var presence = new Presence(LINEAGE, 4, 3, false, "", GroupPhase.FRESH, -1, unreached);
                received(node, new Message.Heartbeat(presence, new Beat(1, 0, 0, 0)));
            }
        }
        event(new ViewEvent.Tick());
    }

    @Test
    void aPauseOfOneEndDoesNotCountTowardsABrokenPair() {
        NodeId fourth = Nodes.agent(4);
        received(MASTER, new Message.Commit(next(member(SELF, 1, 3), member(THIRD, 1, 3), member(fourth, 1, 4))));
        event(new ViewEvent.Linked(fourth, 1));
        saysBroken(now + 1_000 * MILLI, THIRD, fourth);
        pass(600 * MILLI); // 850 ms with the last pass: both stood still
        saysBroken(now + 3_250 * MILLI, THIRD, fourth);
        assertEquals(Optional.empty(), state.change().needed());
        saysBroken(now + 500 * MILLI, THIRD, fourth);
        assertTrue(state.change().needed().isPresent(), "3.5 s without a pause");
    }

    @Test
    void theLeadDecidesFirstAboutAMemberThatThisNodeNeverMet() {
        NodeId fourth = Nodes.agent(4);
        received(
                MASTER,
                new Message.Commit(
                        next(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 1, 3), member(fourth, 1, 4))));
        for (long until = now + 6_250 * MILLI;
                now < until;
                pass(250 * MILLI)) { // twice the silence, and a broken pair's span
            beat(MASTER, LINEAGE, 4, 4);
            beat(THIRD, LINEAGE, 4, 4);
            assertEquals(Optional.empty(), state.change().needed());
        }
        beat(MASTER, LINEAGE, 4, 4);
        beat(THIRD, LINEAGE, 4, 4);
        pass(500 * MILLI);
        assertTrue(state.change().needed().isPresent(), "the lead did not decide it");
    }

    @Test
    void aLeaveFromBeforeItsLastEntryDoesNotRemoveAMember() {
        received(MASTER, new Message.Commit(next(member(MASTER, 1, 1), member(SELF, 1, 3), member(THIRD, 1, 4))));
        received(THIRD, new Message.Leave(LINEAGE, 3, true)); // delayed since its earlier membership
        received(THIRD, new Message.Leave(LINEAGE, 3, false));
        pass(1_000 * MILLI);
        assertEquals(Optional.empty(), state.change().needed(), effects.toString());
        received(THIRD, new Message.Leave(LINEAGE, 4, false));
        received(MASTER, new Message.Leave(LINEAGE, 1, false));
        event(new ViewEvent.Tick());
        assertTrue(state.change().needed().isPresent(), "now it wants to leave");
    }

    @Test
    void aBrokenStreamOfAFormerViewIsNoReasonToChangeALoneOne() {
        event(new ViewEvent.Resign());
        View alone = state.view();
        event(new ViewEvent.GroupBroken(SELF, "the stream broke"));
        pass(1_000 * MILLI);
        assertEquals(alone, state.view());
    }

    @Test
    void aBrokenStreamToAFormerMemberIsNoReasonForAnotherChange() {
        event(new ViewEvent.GroupBroken(Nodes.agent(9), "the stream broke"));
        pass(1_000 * MILLI);
        assertEquals(Optional.empty(), state.change().needed());
        event(new ViewEvent.GroupBroken(THIRD, "the stream broke"));
        pass(1_000 * MILLI);
        assertEquals(Optional.of("the stream broke"), state.change().needed());
    }

    @Test
    void aNodeThatLeftThisLineageIsAskedForEntryIntoItsNewOne() {
        received(THIRD, new Message.Leave(LINEAGE, 3, true));
        received(MASTER, new Message.Commit(next(member(SELF, 1, 3))));
        var elsewhere = new Lineage(false, 400, Nodes.agent(4), 1, 0);
        beat(THIRD, elsewhere, 6, 3);
        assertTrue(effects.contains(new ViewEffect.Send(THIRD, join(elsewhere))), effects.toString());
    }

    @Test
    void recordsInUseAreMarkedOnceAMinuteAndOthersAreNot() {
        received(MASTER, new Message.Commit(next(member(MASTER, 1, 1))));
        Lineage alone = state.view().lineage();
        assertTrue(pass(59_000 * MILLI).stream().noneMatch(ViewMachineTest::isRetain));
        assertEquals(
                List.of(retain(alone), new ViewEffect.Vote(new VoterTask.Learn(state.view()))),
                votes(pass(2_000 * MILLI)),
                "and the own record is read: another process may have replaced it");
        event(new ViewEvent.Linked(MASTER, 1));
        for (int second = 0; second < 58; second++) {
            pass(1_000 * MILLI);
            beat(MASTER, LINEAGE, 4, 1);
        }
        assertInstanceOf(JoinState.Joining.class, state.join());
        var seen = new ArrayList<ViewEffect>();
        for (int second = 0; second < 3; second++) {
            beat(MASTER, LINEAGE, 4, 1);
            seen.addAll(pass(1_000 * MILLI));
        }
        assertEquals(
                List.of(retain(LINEAGE, alone)),
                votes(seen).stream().filter(ViewMachineTest::isRetain).toList());
    }

    private static ViewEffect retain(Lineage... used) {
        return new ViewEffect.Vote(new VoterTask.Retain(new TreeSet<>(List.of(used))));
    }

    private static boolean isRetain(ViewEffect effect) {
        return effect instanceof ViewEffect.Vote(VoterTask.Retain _);
    }

    private static List<ViewEffect> votes(List<ViewEffect> effects) {
        return effects.stream().filter(ViewEffect.Vote.class::isInstance).toList();
    }

    @Test
    void anOwnPauseIsNotCountedAsSilenceOfAPeer() {
        event(new ViewEvent.Unlinked(THIRD, 1));
        now += 3_600_000 * MILLI;
        event(new ViewEvent.Tick());
        assertEquals(ElectionState.FOLLOWER, state.election());
        assertEquals(List.of(new ViewEffect.Rest(true)), effects);
        assertEquals(List.of(new ViewEffect.Rest(false)), pass(700 * MILLI));
    }

    /** Agents that wait for work wake rarely, so a late tick is no pause; a trainer in the view makes the spans short at once. */
    @Test
    void whileNobodyTrainsTicksAreRareAndShortPausesDoNotCount() {
        event(new ViewEvent.SilenceChosen(8_000 * MILLI));
        event(new ViewEvent.Tick());
        assertEquals(1_000 * MILLI, machine.sleepNanos(state, now));
        now += 2_900 * MILLI;
        assertEquals(List.of(), event(new ViewEvent.Tick()));
        now += 3_100 * MILLI;
        assertEquals(List.of(new ViewEffect.Rest(true)), event(new ViewEvent.Tick()));
        pass(700 * MILLI);

        var trainer = new Member(Nodes.trainer(4, 0), 1, 4, Role.TRAINER, "job", 99);
        List<Member> members = List.of(member(MASTER, 1, 1), member(SELF, 1, 3), trainer);
        received(
                MASTER,
                new Message.Commit(new View(LINEAGE, 4, members, List.of(new GroupView("job", 4, Bytes.EMPTY)))));
        event(new ViewEvent.Tick());
        assertEquals(350 * MILLI, machine.sleepNanos(state, now));
        now += 800 * MILLI;
        assertTrue(event(new ViewEvent.Tick()).contains(new ViewEffect.Rest(true)));
    }

    /** The lead's ballot waits two seconds for a member that is not suspected, its own standstill not counted. */
    @Test
    void aBallotWaitsLongerByTheTimeOfItsProposersPause() {
        NodeId fourth = Nodes.agent(4);
        received(MASTER, new Message.Commit(next(member(SELF, 1, 3), member(THIRD, 1, 3), member(fourth, 1, 4))));
        event(new ViewEvent.Linked(fourth, 1));
        pass(400 * MILLI);
        event(new ViewEvent.Received(fourth, 1, new Message.Leave(LINEAGE, 4, false)));
        frozen(OpenResolver.OPEN);
        received(fourth, new Message.Promise(LINEAGE, 4, new Ballot(1, SELF), Optional.empty()));
        received(fourth, new Message.Here(LINEAGE, 4, new Ballot(1, SELF), LEAVES));
        heardFor(1_500 * MILLI, THIRD, fourth);
        beat(THIRD, LINEAGE, 4, 3);
        now += 645 * MILLI;
        assertTrue(event(new ViewEvent.Tick()).stream().noneMatch(ViewMachineTest::isAccept), effects.toString());
        assertTrue(
                heardFor(600 * MILLI, THIRD, fourth).stream().anyMatch(ViewMachineTest::isAccept),
                "it does not wait forever");
    }

    @Test
    void anAnswerToAnEarlierBallotOfTheSameProposerDoesNotCount() {
        View five = five();
        Ballot first = campaign(five);
        pass(3_000 * MILLI);
        Ballot second = ownBallot();
        assertTrue(second.compareTo(first) > 0, "a new ballot after the life of the first");
        for (NodeId late : List.of(THIRD, Nodes.agent(4), Nodes.agent(5))) {
            received(late, new Message.Promise(LINEAGE, 4, first, Optional.empty()));
            received(late, new Message.Here(LINEAGE, 4, first, STAYS));
            received(late, new Message.Accepted(LINEAGE, 4, first));
        }
        assertEquals(9, state.refusals().count(MessageRejection.STRAY_ANSWER));
        assertTrue(pass(2_100 * MILLI).stream().noneMatch(ViewMachineTest::isAccept), "no member answered this ballot");
        received(THIRD, new Message.Promise(LINEAGE, 4, second, Optional.empty()));
        received(Nodes.agent(4), new Message.Promise(LINEAGE, 4, second, Optional.empty()));
        assertTrue(effects.stream().anyMatch(ViewMachineTest::isAccept), effects.toString());
        received(THIRD, new Message.Accepted(LINEAGE, 4, first));
        received(Nodes.agent(4), new Message.Accepted(LINEAGE, 4, first));
        assertEquals(five, state.view());
    }

    @Test
    void aLaterStartOfAMemberIsNotKeptWhateverItSays() {
        event(new ViewEvent.Suspected(MASTER, 1));
        frozen(OpenResolver.OPEN);
        Ballot mine = ownBallot();
        received(MASTER, promise(mine, Optional.empty()));
        event(new ViewEvent.Received(MASTER, 2, here(mine, Optional.of(OpenResolver.OPEN))));
        received(THIRD, here(mine, Optional.of(OpenResolver.OPEN)));
        View next = next(member(SELF, 1, 3), member(THIRD, 1, 3));
        assertTrue(
                effects.contains(new ViewEffect.Send(THIRD, new Message.Accept(VIEW, mine, next))), effects.toString());
    }

    /** A message of another process of this machine is no vote: the own voter reads the disk that they share. */
    @Test
    void theVoteOfTheOwnMachineComesFromItsDiskOnly() {
        heardForLong(MASTER, THIRD);
        event(new ViewEvent.Suspected(MASTER, 1));
        frozen(OpenResolver.OPEN);
        Ballot mine = ownBallot();
        isDiskSlow = true;
        answers(THIRD, mine);
        received(Nodes.trainer(2, 0), new Message.Accepted(LINEAGE, 3, mine));
        received(THIRD, new Message.Accepted(LINEAGE, 3, mine));
        assertEquals(VIEW, state.view());
        diskDone();
        assertEquals(4, state.view().epoch());
    }

    @Test
    void aLeaverDoesNotPropose() {
        event(new ViewEvent.Leave());
        event(new ViewEvent.Suspected(MASTER, 1));
        assertTrue(pass(9_000 * MILLI).stream().noneMatch(ViewMachineTest::isBallot));
        assertEquals(VIEW, state.view());
    }

    @Test
    void aBallotUnderWayEndsWhenItsProposerLeaves() {
        View five = five();
        campaign(five);
        event(new ViewEvent.Leave());
        assertTrue(pass(9_000 * MILLI).stream().noneMatch(ViewMachineTest::isBallot));
    }

    /** Its proposer lives alone; eight machines ask at once. */
    @Test
    void aViewAdmitsAtMostAsManyNewMachinesAsItKeeps() {
        state = started(List.of(), 1);
        for (int machine = 11; machine < 19; machine++) {
            NodeId joiner = Nodes.agent(machine);
            event(new ViewEvent.Linked(joiner, 1));
            asks(joiner);
        }
        pass(370 * MILLI);
        event(new ViewEvent.Frozen(state.view().lineage(), 1, Optional.of(Bytes.EMPTY), 0));
        assertEquals(2, state.view().members().size());
    }

    @Test
    void oneOfTwoProcessesOfANewMachineWithTwoSeatsEnters() {
        state = started(List.of(), 1);
        event(new ViewEvent.Linked(Nodes.agent(11), 1));
        event(new ViewEvent.Linked(Nodes.trainer(11, 0), 1));
        asks(Nodes.agent(11));
        Lineage lineage = state.view().lineage();
        received(Nodes.trainer(11, 0), new Message.Join(lineage, 99, Role.TRAINER, "job", GroupPhase.FRESH));
        pass(370 * MILLI);
        event(new ViewEvent.Frozen(lineage, 1, Optional.of(Bytes.EMPTY), 0));
        assertEquals(2, state.view().members().size());
        assertEquals(Optional.empty(), ViewRules.fault(state.view()));
    }

    /** Otherwise no member would begin a ballot before the turn of one that cannot. */
    @Test
    void aRestartedMemberHasNoTurnToPropose() {
        heardForLong(MASTER, THIRD);
        event(new ViewEvent.Unlinked(MASTER, 1));
        event(new ViewEvent.Linked(MASTER, 2));
        assertTrue(pass(400 * MILLI).stream().anyMatch(ViewMachineTest::isBallot), "this node is the next one");
    }

    @Test
    void aMemberThatLivesElsewhereHasNoTurnToPropose() {
        heardForLong(MASTER, THIRD);
        var seen = new ArrayList<ViewEffect>();
        for (int i = 0; i < 8; i++) { // so long that these heartbeats are not from an earlier life
            beat(MASTER, new Lineage(false, 400, MASTER, 1, 1), 1, 1);
            seen.addAll(heardFor(250 * MILLI, THIRD));
        }
        assertTrue(seen.stream().anyMatch(ViewMachineTest::isBallot), "this node is the next one");
    }

    /** It answered, was restarted and asks for entry, all during one ballot: the view lists it once, as the start that answered. */
    @Test
    void aKeptMemberDoesNotEnterASecondTime() {
        View five = five();
        Ballot mine = campaign(five);
        received(THIRD, new Message.Promise(LINEAGE, 4, mine, Optional.empty()));
        received(THIRD, new Message.Here(LINEAGE, 4, mine, STAYS));
        event(new ViewEvent.Linked(THIRD, 2));
        event(new ViewEvent.Received(
                THIRD, 2, new Message.Join(LINEAGE, seat(THIRD), Role.AGENT, "", GroupPhase.FRESH)));
        for (int machine = 4; machine <= 5; machine++) {
            received(Nodes.agent(machine), new Message.Promise(LINEAGE, 4, mine, Optional.empty()));
            received(Nodes.agent(machine), new Message.Here(LINEAGE, 4, mine, STAYS));
        }
        View next = ((Campaign.Accepting) state.campaign()).next();
        assertEquals(five.members().subList(1, 5), next.members());
    }

    private void asks(NodeId joiner) {
        received(joiner, new Message.Join(state.view().lineage(), seat(joiner), Role.AGENT, "", GroupPhase.FRESH));
    }

    @Test
    void aJoinerWithAnotherSeatThanThatOfItsMachineIsNotAdmitted() {
        View two = next(member(SELF, 1, 3), member(THIRD, 1, 3));
        received(MASTER, new Message.Commit(two));
        pass(400 * MILLI);
        NodeId beside = Nodes.trainer(3, 1);
        event(new ViewEvent.Linked(beside, 1));
        received(beside, new Message.Join(LINEAGE, 99, Role.TRAINER, "job", GroupPhase.FRESH));
        assertInstanceOf(Message.NotYet.class, ((ViewEffect.Send) effects.getFirst()).message());
        assertEquals(Optional.empty(), state.change().needed());
        received(beside, new Message.Join(LINEAGE, seat(THIRD), Role.TRAINER, "job", GroupPhase.FRESH));
        assertTrue(state.change().needed().isPresent());
    }

    /** This node asks for entry as an agent; one field of its entry after the other is wrong. */
    @Test
    void onlyTheEntryAskedForIsAnAdmission() {
        Member right = new Member(SELF, 2, 4, Role.AGENT, "", seat(SELF));
        var wrong = List.of(
                new Member(SELF, 2, 4, Role.TRAINER, "job", seat(SELF)),
                new Member(SELF, 2, 4, Role.AGENT, "", 99),
                new Member(SELF, 2, 3, Role.AGENT, "", seat(SELF)),
                new Member(SELF, 3, 4, Role.AGENT, "", seat(SELF)),
                new Member(SELF, 1, 4, Role.AGENT, "", seat(SELF)),
                new Member(Nodes.trainer(2, 0), 2, 4, Role.AGENT, "", seat(SELF)));
        for (Member entry : wrong) {
            joining();
            received(MASTER, new Message.Commit(admitting(entry)));
            assertEquals(1, state.view().members().size(), entry.toString());
            boolean isMine = entry.node().equals(SELF) && entry.incarnation() == 2;
            assertEquals(isMine ? 1 : 0, state.refusals().count(MessageRejection.OTHER_ENTRY), entry.toString());
        }
        joining();
        received(MASTER, new Message.Commit(admitting(right)));
        assertEquals(admitting(right), state.view());
    }

    private static View admitting(Member entry) {
        var members = new ArrayList<>(List.of(member(MASTER, 1, 1), member(THIRD, 1, 3), entry));
        members.sort(Member.ORDER);
        List<GroupView> groups = entry.role() == Role.AGENT ? List.of() : List.of(new GroupView("job", 4, Bytes.EMPTY));
        return new View(LINEAGE, 4, members, groups);
    }

    /** A second start that asks for entry, whose machine has a fresh record. */
    private void joining() {
        LineageRecord fresh = LineageRecord.fresh(LINEAGE, seat(SELF));
        folder.put(LINEAGE, fresh);
        state = started(List.of(fresh), 2);
        event(new ViewEvent.Linked(MASTER, 1));
        beat(MASTER, LINEAGE, 3, 3);
        assertInstanceOf(JoinState.Joining.class, state.join());
    }

    /** It left the view and asks again as the same start: the view that admitted it before does not admit it again. */
    @Test
    void aViewKnownBeforeItAskedAdmitsNoJoiner() {
        View admitted = VIEW;
        event(new ViewEvent.Resign());
        pass(1_000 * MILLI);
        beat(MASTER, LINEAGE, 3, 3);
        assertInstanceOf(JoinState.Joining.class, state.join());
        received(MASTER, new Message.Commit(admitted));
        assertEquals(1, state.view().members().size());
        View later =
                new View(LINEAGE, 5, List.of(member(MASTER, 1, 1), member(THIRD, 1, 3), member(SELF, 1, 5)), List.of());
        received(MASTER, new Message.Commit(later));
        assertEquals(later, state.view());
    }

    /** The same, if only the record on disk has that view. */
    @Test
    void aViewOnDiskBeforeItAskedAdmitsNoJoiner() {
        folder.put(LINEAGE, record().learned(new View(LINEAGE, 7, VIEW.members(), List.of())));
        state = started(List.of(), 1);
        event(new ViewEvent.Linked(MASTER, 1));
        beat(MASTER, LINEAGE, 7, 3);
        assertInstanceOf(JoinState.Joining.class, state.join());
        View old = new View(LINEAGE, 6, List.of(member(MASTER, 1, 1), member(SELF, 1, 6)), List.of());
        received(MASTER, new Message.Commit(old));
        assertEquals(1, state.view().members().size());
    }

    /** The member slept through the later views; the size of its lineage at that time does not matter. */
    @Test
    void aMemberOfAViewThatEndedIsNoReasonToMove() {
        LineageRecord known = record().learned(new View(LINEAGE, 7, VIEW.members(), List.of()));
        folder.put(LINEAGE, known);
        state = started(List.of(known), 2);
        event(new ViewEvent.Linked(MASTER, 1));
        pass(200 * MILLI);
        beat(MASTER, LINEAGE, 6, 3);
        assertEquals(JoinState.STAYING, state.join());
        beat(MASTER, LINEAGE, 7, 3);
        assertInstanceOf(JoinState.Joining.class, state.join());
    }

    /** Another process deleted the record while this one asked: it asks again, with a new one. */
    @Test
    void aJoinerWhoseRecordIsGoneBeginsAgain() {
        joining();
        folder.remove(LINEAGE);
        event(new ViewEvent.Voted(
                new VoterTask.Enter(LINEAGE, 1), new VoterAnswer.NoSeat())); // answers no question of this node
        assertEquals(1, state.refusals().count(MessageRejection.STRAY_ANSWER));
        for (int second = 0; second < 62; second++) {
            beat(MASTER, LINEAGE, 3, 3);
            pass(1_000 * MILLI);
        }
        beat(MASTER, LINEAGE, 3, 3);
        pass(300 * MILLI);
        assertTrue(folder.containsKey(LINEAGE));
        assertEquals(record().seat(), ((JoinState.Joining) state.join()).seat());
    }

    /** Another process of the machine made a new record while this one asked: it asks with the seat of that. */
    @Test
    void aJoinerWhoseRecordWasReplacedAsksWithTheSeatOfTheNewOne() {
        joining();
        long sinceNanos = ((JoinState.Joining) state.join()).sinceNanos();
        folder.put(LINEAGE, LineageRecord.fresh(LINEAGE, 99));
        for (int second = 0; second < 62; second++) {
            beat(MASTER, LINEAGE, 3, 3);
            pass(1_000 * MILLI);
        }
        var joining = (JoinState.Joining) state.join();
        assertEquals(99, joining.seat());
        assertEquals(sinceNanos, joining.sinceNanos(), "it went on asking");
        beat(MASTER, LINEAGE, 3, 3);
        var join =
                new Message.Join(LINEAGE, 99, Role.AGENT, "", state.progress().phase());
        assertTrue(pass(300 * MILLI).contains(new ViewEffect.Send(MASTER, join)));
    }

    /** Its machine is listed with an older seat: it answers Gone for that one, and continues to ask with the new one. */
    @Test
    void aJoinerThatSaysGoneForAnOldSeatIsStillAdmittedWithTheNewOne() {
        folder.put(LINEAGE, LineageRecord.fresh(LINEAGE, 99));
        state = started(List.of(), 2);
        event(new ViewEvent.Linked(MASTER, 1));
        beat(MASTER, LINEAGE, 3, 3);
        received(MASTER, new Message.Prepare(VIEW, new Ballot(1, MASTER)));
        assertTrue(effects.contains(new ViewEffect.Send(MASTER, new Message.Gone(LINEAGE, 3, seat(SELF)))));
        View without = next(member(MASTER, 1, 1), member(THIRD, 1, 3));
        received(MASTER, new Message.Commit(without));
        var members = new ArrayList<>(without.members());
        members.add(new Member(SELF, 2, 5, Role.AGENT, "", 99));
        View with = new View(LINEAGE, 5, members, List.of());
        received(MASTER, new Message.Commit(with));
        assertEquals(with, state.view());
    }

    @Test
    void goneOfTooManyMachinesEndsTheLineageAndOneOfThreeDoesNot() {
        received(MASTER, new Message.Gone(LINEAGE, 3, seat(MASTER)));
        received(MASTER, new Message.Gone(LINEAGE, 3, seat(MASTER)));
        assertEquals(VIEW, state.view());
        received(THIRD, new Message.Gone(LINEAGE, 3, seat(THIRD)));
        assertTrue(effects.stream()
                .anyMatch(effect -> effect instanceof ViewEffect.Removed(ViewEffect.Removed.Cause cause, String _)
                        && cause == ViewEffect.Removed.Cause.LINEAGE_LOST));
        assertEquals(1, state.view().members().size());
        assertNotEquals(LINEAGE, state.view().lineage());
    }

    @Test
    void goneOfAFormerViewIsForgottenWithIt() {
        received(MASTER, new Message.Gone(LINEAGE, 3, seat(MASTER)));
        View next = next(VIEW.members().toArray(Member[]::new));
        received(MASTER, new Message.Commit(next));
        received(THIRD, new Message.Gone(LINEAGE, 4, seat(THIRD)));
        assertEquals(next, state.view());
    }

    @Test
    void aMemberWhoseOwnMachineHasNoVoteGivesUpAtOnce() {
        folder.remove(LINEAGE);
        received(MASTER, new Message.Prepare(VIEW, new Ballot(1, MASTER)));
        assertTrue(effects.contains(new ViewEffect.Send(MASTER, new Message.Gone(LINEAGE, 3, seat(SELF)))));
        assertEquals(1, state.view().members().size());
    }

    @Test
    void aNewerViewOnDiskIsTakenAsACommit() {
        View next = next(member(MASTER, 1, 1), member(SELF, 1, 3));
        folder.put(LINEAGE, record().learned(next)); // by another process of this machine
        received(THIRD, new Message.Prepare(VIEW, new Ballot(1, THIRD)));
        assertEquals(next, state.view());
        assertEquals(new ViewSource.Disk(), state.source());
        assertTrue(effects.contains(new ViewEffect.Send(THIRD, new Message.Commit(next))));
    }

    @Test
    void anOwnPauseDropsABallotWhoseAcceptHasNotLeft() {
        View five = five();
        campaign(five);
        now += 800 * MILLI;
        assertEquals(
                new ViewEffect.Rest(true),
                event(new ViewEvent.Trusted(MASTER, 1)).getFirst(),
                "before any other effect");
        assertEquals(Campaign.NONE, state.campaign());
        received(THIRD, new Message.Promise(LINEAGE, 4, new Ballot(1, SELF), Optional.empty()));
        received(Nodes.agent(4), new Message.Promise(LINEAGE, 4, new Ballot(1, SELF), Optional.empty()));
        assertTrue(pass(580 * MILLI).stream().noneMatch(ViewMachineTest::isAccept));
        assertEquals(List.of(new ViewEffect.Rest(false)), pass(20 * MILLI));
    }

    @Test
    void aSecondPauseMakesTheRestLonger() {
        now += 800 * MILLI;
        event(new ViewEvent.Tick());
        pass(500 * MILLI);
        now += 800 * MILLI;
        assertTrue(event(new ViewEvent.Tick()).isEmpty(), "it rests already");
        assertTrue(pass(580 * MILLI).isEmpty());
        assertEquals(List.of(new ViewEffect.Rest(false)), pass(40 * MILLI));
    }

    @Test
    void withoutAHeardQuorumNoBallotBeginsAndARunningOneIsDropped() {
        View five = five();
        campaign(five);
        event(new ViewEvent.Suspected(Nodes.agent(4), 1));
        assertInstanceOf(Campaign.Preparing.class, state.campaign(), "three of five are a quorum");
        event(new ViewEvent.Suspected(Nodes.agent(5), 1));
        assertEquals(Campaign.NONE, state.campaign());
        assertTrue(pass(20_000 * MILLI).stream().noneMatch(ViewMachineTest::isBallot));
        event(new ViewEvent.Trusted(Nodes.agent(5), 1));
        assertTrue(pass(2_900 * MILLI).stream().noneMatch(ViewMachineTest::isBallot), "others may come back");
        event(new ViewEvent.Trusted(Nodes.agent(4), 1));
        assertTrue(pass(2_900 * MILLI).stream().noneMatch(ViewMachineTest::isBallot), "one did: 3 s more");
        assertTrue(pass(1_000 * MILLI).stream().anyMatch(ViewMachineTest::isBallot));
    }

    /** A view that was proposed before the outage is committed while the members come back one by one. */
    @Test
    void aViewLearnedAfterAnOutageDoesNotEndTheWaitForTheOthers() {
        View five = five();
        for (Member member : five.members()) {
            if (!member.node().equals(SELF)) {
                event(new ViewEvent.Suspected(member.node(), 1));
            }
        }
        event(new ViewEvent.Trusted(Nodes.agent(5), 1));
        event(new ViewEvent.Trusted(Nodes.agent(4), 1));
        received(
                Nodes.agent(5),
                new Message.Commit(successor(five, five.members().toArray(Member[]::new))));
        assertEquals(5, state.view().epoch());
        assertTrue(pass(2_900 * MILLI).stream().noneMatch(ViewMachineTest::isBallot));
        event(new ViewEvent.Trusted(MASTER, 1));
        event(new ViewEvent.Trusted(THIRD, 1));
        assertTrue(pass(5_000 * MILLI).stream().noneMatch(ViewMachineTest::isBallot));
    }

    @Test
    void afterAnOutageTheWaitForMembersLastsEightSecondsAtMost() {
        View nine = view(9);
        for (Member member : nine.members()) {
            if (!member.node().equals(SELF)) {
                event(new ViewEvent.Suspected(member.node(), 1));
            }
        }
        for (int machine = 3; machine <= 6; machine++) {
            event(new ViewEvent.Trusted(Nodes.agent(machine), 1));
        }
        var heard = new ArrayList<>(List.of(Nodes.agent(3), Nodes.agent(4), Nodes.agent(5), Nodes.agent(6)));
        for (int machine = 7; machine <= 9; machine++) { // three seconds without news never pass
            assertTrue(heardFor(2_500 * MILLI, heard.toArray(NodeId[]::new)).stream()
                    .noneMatch(ViewMachineTest::isBallot));
            event(new ViewEvent.Trusted(Nodes.agent(machine), 1));
            heard.add(Nodes.agent(machine));
        }
        NodeId[] all = heard.toArray(NodeId[]::new);
        assertTrue(heardFor(480 * MILLI, all).stream().noneMatch(ViewMachineTest::isBallot));
        assertTrue(heardFor(100 * MILLI, all).stream().anyMatch(ViewMachineTest::isBallot));
    }

    @Test
    void aMachineIsHeardThroughItsSecondProcess() {
        View five = five();
        event(new ViewEvent.Suspected(MASTER, 1));
        event(new ViewEvent.Suspected(Nodes.agent(4), 1));
        event(new ViewEvent.Linked(Nodes.trainer(5, 0), 1));
        event(new ViewEvent.Suspected(Nodes.agent(5), 1));
        assertTrue(state.hearing() instanceof HearingState.Quorum, "a process of the fifth machine can cast its vote");
        assertTrue(effects.stream().noneMatch(ViewMachineTest::isBallot));
        pass(20 * MILLI);
        Ballot mine = ownBallot();
        assertTrue(
                pass(400 * MILLI).contains(new ViewEffect.Send(Nodes.trainer(5, 0), new Message.Prepare(five, mine))));
    }

    /** The own promise waits for the disk while another begins to drive the change. */
    @Test
    void aCandidateGivesWayWhileItsOwnPromiseWaitsForTheDisk() {
        View five = five();
        isDiskSlow = true;
        event(new ViewEvent.Suspected(MASTER, 1));
        assertInstanceOf(Campaign.Candidate.class, state.campaign());
        received(THIRD, new Message.Prepare(five, new Ballot(1, THIRD)));
        assertEquals(Campaign.NONE, state.campaign());
        assertTrue(diskDone().stream().noneMatch(ViewMachineTest::isBallot));
        isDiskSlow = false;
        diskDone();
        frozen(OpenResolver.OPEN);
        assertTrue(pass(1_000 * MILLI).stream().noneMatch(ViewMachineTest::isBallot), "another drives it");
        assertTrue(
                event(new ViewEvent.Suspected(THIRD, 1)).stream().anyMatch(ViewMachineTest::isBallot),
                "unless it is suspected");
    }

    /** Its machine votes for no lower ballot once the promise is on disk; if it gave way, no candidate might have a quorum. */
    @Test
    void aCandidateWhoseBallotIsHigherGoesOn() {
        View five = five();
        received(THIRD, new Message.Prepare(five, new Ballot(3, THIRD)));
        frozen(OpenResolver.OPEN);
        event(new ViewEvent.Suspected(MASTER, 1));
        isDiskSlow = true;
        event(new ViewEvent.Suspected(THIRD, 1));
        assertInstanceOf(Campaign.Candidate.class, state.campaign());
        received(Nodes.agent(4), new Message.Prepare(five, new Ballot(2, Nodes.agent(4))));
        assertInstanceOf(Campaign.Candidate.class, state.campaign());
        assertTrue(diskDone().stream().anyMatch(ViewMachineTest::isBallot));
    }

    /** Otherwise a liar could make a node begin ballot after ballot, each a round higher, and leave restarted voters behind. */
    @Test
    void aBallotContinuesAfterARefusalForARoundThatGetsNoVotes() {
        View five = five();
        campaign(five);
        Ballot mine = ownBallot();
        received(THIRD, new Message.Prepare(five, new Ballot(5_000, THIRD)));
        assertEquals(mine, ownBallot());
        received(THIRD, new Message.Prepare(five, new Ballot(mine.round() + 1, THIRD)));
        assertEquals(Campaign.NONE, state.campaign());
    }

    @Test
    void theBallotOfALeaverIsIgnored() {
        View five = five();
        campaign(five);
        Ballot mine = ownBallot();
        received(
                THIRD,
                new Message.Leave(LINEAGE, five.member(THIRD).orElseThrow().entryEpoch(), false));
        received(THIRD, new Message.Prepare(five, new Ballot(mine.round() + 1, THIRD)));
        assertEquals(mine, ownBallot());
        assertEquals(Optional.empty(), state.change().driver());
        assertEquals(mine.round(), known().roundSeen());
    }

    /** Another process of the own machine promised a later ballot in the meantime. */
    @Test
    void theOwnMachinesRefusalEndsNoBallotThatTheOthersAccept() {
        heardForLong(MASTER, THIRD);
        event(new ViewEvent.Suspected(MASTER, 1));
        frozen(OpenResolver.OPEN);
        Ballot mine = ownBallot();
        answers(MASTER, mine);
        isDiskSlow = true;
        answers(THIRD, mine);
        View next = ((Campaign.Accepting) state.campaign()).next();
        event(new ViewEvent.Voted(tasks.removeFirst(), new VoterAnswer.Refused(new Ballot(mine.round() + 1, SELF))));
        received(MASTER, new Message.Accepted(LINEAGE, 3, mine));
        assertEquals(VIEW, state.view());
        received(THIRD, new Message.Accepted(LINEAGE, 3, mine));
        assertEquals(next, state.view());
    }

    /** When the disk reaches the task, another member drives the change already: nothing is written. */
    @Test
    void aPromiseThatIsNotWantedAnyMoreIsNotWritten() {
        View five = five();
        isDiskSlow = true;
        View elsewhere = new View(new Lineage(false, 9, MASTER, 1, 9), 3, VIEW.members(), List.of());
        received(THIRD, new Message.Prepare(elsewhere, new Ballot(1, THIRD)));
        event(new ViewEvent.Suspected(MASTER, 1));
        assertInstanceOf(Campaign.Candidate.class, state.campaign());
        received(MASTER, new Message.Prepare(five, new Ballot(1, MASTER)));
        diskDone();
        assertTrue(tasks.isEmpty(), tasks.toString());
    }

    @Test
    void anyFrameEndsASuspicion() {
        for (NodeId node : List.of(MASTER, THIRD)) {
            event(new ViewEvent.Suspected(node, 1));
            assertTrue(
                    Optional.ofNullable(state.peers().get(node)).orElseThrow().suspected());
            if (node.equals(MASTER)) {
                beat(node, LINEAGE, 3, 3);
            } else {
                event(new ViewEvent.Linked(node, 1));
            }
            assertFalse(
                    Optional.ofNullable(state.peers().get(node)).orElseThrow().suspected());
        }
    }

    @Test
    void aBallotWithoutAnswersIsAStallAfterFiveSeconds() {
        five();
        pass(6_000 * MILLI);
        event(new ViewEvent.Suspected(MASTER, 1));
        pass(4_900 * MILLI);
        assertEquals(ElectionState.CAMPAIGNING, state.election());
        pass(200 * MILLI);
        assertEquals(ElectionState.STALLED, state.election());
    }

    @Test
    void theSecondInTheViewWaitsItsTurn() {
        pass(400 * MILLI);
        event(new ViewEvent.Linked(THIRD, 2)); // it was restarted
        assertTrue(pass(780 * MILLI).stream().noneMatch(ViewMachineTest::isBallot), "the first one has its turn");
        assertTrue(pass(60 * MILLI).stream().anyMatch(ViewMachineTest::isBallot));
    }

    @Test
    void aRefusedProposerRaisesItsRoundAndWaitsAMoment() {
        campaign(five());
        for (NodeId refuser : List.of(THIRD, Nodes.agent(4), Nodes.agent(5))) {
            received(refuser, new Message.Refuse(LINEAGE, 4, new Ballot(7, THIRD)));
        }
        assertEquals(Campaign.NONE, state.campaign());
        assertTrue(pass(380 * MILLI).stream().noneMatch(ViewMachineTest::isBallot));
        assertTrue(pass(700 * MILLI).stream().anyMatch(ViewMachineTest::isBallot));
        assertEquals(8, ownBallot().round());
    }

    /** Otherwise one member that lies could keep all others from ever changing the view. */
    @Test
    void aBallotGoesOnWhileThoseThatDidNotRefuseAreAQuorum() {
        View five = five();
        campaign(five);
        Ballot ballot = ownBallot();
        for (NodeId refuser : List.of(THIRD, THIRD, Nodes.agent(4), Nodes.agent(1))) {
            received(refuser, new Message.Refuse(LINEAGE, 4, new Ballot(7, refuser)));
            if (!refuser.equals(Nodes.agent(1))) {
                assertEquals(ballot, ownBallot(), "at most two of five machines refused");
            }
        }
        assertEquals(Campaign.NONE, state.campaign());
    }

    /** A member that missed many ballots does not count as gone; its machine votes once its round caught up. */
    @Test
    void aRoundFarAboveGetsAnAnswerButNoVoteAndRaisesTheKnownOneSlowly() {
        var far = new Message.Prepare(VIEW, new Ballot(1_000_000_000, MASTER));
        received(MASTER, far);
        assertTrue(state.isFrozen());
        event(new ViewEvent.Frozen(LINEAGE, 3, Optional.of(Bytes.EMPTY), -1));
        assertEquals(List.of(new ViewEffect.Send(MASTER, here(far.ballot(), Optional.of(Bytes.EMPTY)))), effects);
        assertEquals(
                List.of(new ViewEffect.Send(MASTER, here(far.ballot(), Optional.of(Bytes.EMPTY)))),
                received(MASTER, far));
        assertEquals(List.of(), received(MASTER, new Message.Accept(VIEW, far.ballot(), next(member(MASTER, 1, 1)))));
        assertEquals(3, state.refusals().count(MessageRejection.FAR_ROUND));
        assertEquals(1_000, known().roundSeen());
        pass(1_000 * MILLI);
        received(MASTER, far);
        assertEquals(2_000, known().roundSeen());
        received(MASTER, new Message.Prepare(VIEW, new Ballot(2_001, MASTER)));
        assertEquals(Optional.empty(), record().promised());
        received(MASTER, new Message.Prepare(VIEW, new Ballot(2_000, MASTER)));
        assertEquals(Optional.of(new Ballot(2_000, MASTER)), record().promised());
    }

    private KnownLineage known() {
        return Optional.ofNullable(state.lineages().get(LINEAGE)).orElseThrow();
    }

    /** A restarted voter catches up with the round of its own record, however far that is. */
    @Test
    void aVoterThatMissedManyBallotsClimbsToThem() {
        folder.put(LINEAGE, record().promise(new Ballot(3_500, THIRD)));
        event(new ViewEvent.Suspected(MASTER, 1));
        heardFor(8_000 * MILLI, THIRD);
        assertTrue(record().promised().orElseThrow().round() > 3_500);
        assertEquals(SELF, record().promised().orElseThrow().proposer());
    }

    @Test
    void aViewThatNoRecordCanHoldIsNotProposed() throws DamagedRecordException {
        View last = new View(
                LINEAGE, ViewRules.NUMBER_MAX - 1, List.of(member(SELF, 1, 3), member(THIRD, 1, 3)), List.of());
        folder.put(LINEAGE, record().learned(last));
        received(THIRD, new Message.Prepare(VIEW, new Ballot(1, THIRD)));
        assertEquals(last, state.view());
        event(new ViewEvent.Suspected(THIRD, 1));
        assertTrue(pass(9_000 * MILLI).stream().noneMatch(ViewMachineTest::isBallot));
        assertEquals(record(), RecordEncoding.decode(RecordEncoding.encode(record())));
    }

    @Test
    void aViewTooFarAheadIsNotBelieved() {
        List<Member> both = List.of(member(SELF, 1, 3), member(THIRD, 1, 3));
        received(THIRD, new Message.Commit(new View(LINEAGE, 3 + ViewRules.EPOCH_LEAP_MAX + 1, both, List.of())));
        assertEquals(1, state.refusals().count(MessageRejection.BAD_VIEW));
        received(THIRD, new Message.Commit(new View(LINEAGE, 3 + ViewRules.EPOCH_LEAP_MAX, both, List.of())));
        assertEquals(3 + ViewRules.EPOCH_LEAP_MAX, state.view().epoch());
    }

    /** A member floods the voter with ballots of lineages of its own invention. */
    @Test
    void aFullQueueOfTheVoterBlocksNoBallotForever() {
        isDiskSlow = true;
        received(MASTER, new Message.Prepare(VIEW, new Ballot(1, MASTER)));
        for (int i = 1; i <= 400; i++) {
            View view = new View(new Lineage(false, i, MASTER, 1, i), 3, VIEW.members(), List.of());
            received(MASTER, new Message.Prepare(view, new Ballot(1, MASTER)));
        }
        assertEquals(Voting.WAITING_MAX, state.voting().waiting().size());
        assertTrue(state.lineages().size() <= Transition.LINEAGES_MAX);
        event(new ViewEvent.Suspected(MASTER, 1));
        isDiskSlow = false;
        frozen(OpenResolver.OPEN);
        while (!tasks.isEmpty()) {
            diskDone();
        }
        assertTrue(pass(4_000 * MILLI).stream().anyMatch(ViewMachineTest::isBallot));
    }

    @Test
    void onlyAnAnswerThatIsOnDiskEndsAFaultOfTheDisk() {
        isDiskSlow = true;
        received(MASTER, new Message.Prepare(VIEW, new Ballot(2, MASTER)));
        VoterTask task = tasks.removeFirst();
        event(new ViewEvent.Voted(task, new VoterAnswer.Failed("no space left")));
        received(MASTER, new Message.Prepare(VIEW, new Ballot(2, MASTER)));
        task = tasks.removeFirst();
        event(new ViewEvent.Voted(task, new VoterAnswer.Refused(new Ballot(3, THIRD))));
        assertEquals(Optional.of("no space left"), state.diskFault(), "a refusal wrote nothing");
        received(MASTER, new Message.Prepare(VIEW, new Ballot(4, MASTER)));
        diskDone();
        assertEquals(Optional.empty(), state.diskFault());
    }

    @Test
    void aFailedFoundingIsTriedAgainAndNoNodeIsAdmittedBefore() {
        folder.clear();
        isDiskSlow = true;
        state = started(List.of(), 1);
        VoterTask found = tasks.removeFirst();
        event(new ViewEvent.Voted(found, new VoterAnswer.Failed("no space left")));
        assertEquals(Optional.of("no space left"), state.diskFault());
        event(new ViewEvent.Linked(THIRD, 1));
        for (int i = 0; i < 8; i++) {
            asks(THIRD);
            assertTrue(
                    pass(200 * MILLI).stream().noneMatch(ViewEffect.Vote.class::isInstance),
                    "no ballot without a record");
        }
        assertTrue(pass(500 * MILLI).contains(new ViewEffect.Vote(found)));
        isDiskSlow = false;
        diskDone();
        asks(THIRD);
        pass(40 * MILLI);
        event(new ViewEvent.Frozen(state.view().lineage(), 1, Optional.of(Bytes.EMPTY), 0));
        assertEquals(2, state.view().members().size());
        assertEquals(Optional.empty(), state.diskFault());
    }

    @Test
    void aStalledLineageIsNoTarget() {
        folder.clear();
        state = started(List.of(), 1);
        event(new ViewEvent.Linked(MASTER, 1));
        for (boolean isStalled : new boolean[] {true, false}) {
            var presence = new Presence(LINEAGE, 3, 3, isStalled, "", GroupPhase.FRESH, -1, List.of());
            received(MASTER, new Message.Heartbeat(presence, new Beat(1, 0, 0, 0)));
            assertEquals(isStalled, state.join() instanceof JoinState.Staying);
        }
    }

    /** The master of several trainers hears of a better lineage. */
    @Test
    void aLineageDissolvesAtTheBoundaryOfItsGroupsOnly() {
        var solo = new Member(SELF, 1, 3, Role.AGENT, "", seat(SELF));
        var trainer = new Member(Nodes.trainer(3, 0), 1, 4, Role.TRAINER, "job", seat(THIRD));
        View two = new View(LINEAGE, 4, List.of(solo, trainer), List.of(new GroupView("job", 4, Bytes.EMPTY)));
        received(MASTER, new Message.Commit(two));
        event(new ViewEvent.Linked(trainer.node(), 1));
        var better = new Lineage(false, 400, Nodes.agent(4), 1, 0);
        event(new ViewEvent.Linked(Nodes.agent(4), 1));
        for (GroupPhase phase : List.of(GroupPhase.BUSY, GroupPhase.BOUNDARY)) {
            for (int i = 0; i < 10; i++) {
                var presence = new Presence(LINEAGE, 4, 2, false, "job", phase, 7, List.of());
                received(trainer.node(), new Message.Heartbeat(presence, new Beat(1, 0, 0, 0)));
                beat(Nodes.agent(4), better, 9, 5);
                pass(100 * MILLI);
            }
            assertEquals(phase == GroupPhase.BOUNDARY, state.change().needed().isPresent(), phase.toString());
        }
        Ballot mine = ownBallot();
        frozen(OpenResolver.OPEN);
        received(trainer.node(), new Message.Promise(LINEAGE, 4, mine, Optional.empty()));
        var training = Optional.of(new Message.Status(false, OpenResolver.TRAINING));
        received(trainer.node(), new Message.Here(LINEAGE, 4, mine, training));
        assertEquals(5, state.view().epoch());
        assertEquals(two.members(), state.view().members(), "the frozen reports decide");
    }

    private static boolean isBallot(ViewEffect effect) {
        return effect instanceof ViewEffect.Send send && send.message() instanceof Message.Prepare;
    }

    private static boolean isAccept(ViewEffect effect) {
        return effect instanceof ViewEffect.Send send && send.message() instanceof Message.Accept;
    }
}
