package io.hearth.election.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.Step;
import io.hearth.election.Ballot;
import io.hearth.election.Beat;
import io.hearth.election.ElectionConfig;
import io.hearth.election.ElectionEvent;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Nodes;
import io.hearth.election.OpenResolver;
import io.hearth.election.Presence;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.election.view.state.ViewState;
import io.hearth.election.vote.Voter;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Reports for people about each other node, and about a view that cannot change, as rank 1 makes them. */
final class ApartnessTest {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final NodeId SELF = Nodes.agent(2);
    private static final NodeId MASTER = Nodes.agent(1);
    private static final NodeId THIRD = Nodes.agent(3);
    private static final NodeId FOURTH = Nodes.agent(4);
    private static final NodeId FIFTH = Nodes.agent(5);
    private static final Lineage LINEAGE = new Lineage(false, 500, MASTER, 1, 0);
    private static final Lineage OTHER = new Lineage(false, 9_000, FOURTH, 1, 0);
    private static final String WAITS = "; this view waits for a quorum: start it or plug it in";

    private final ViewMachine machine = new ViewMachine(ElectionConfig.DEFAULTS, new OpenResolver());
    private final Map<Lineage, LineageRecord> folder = new TreeMap<>();
    private final Deque<VoterTask> tasks = new ArrayDeque<>();
    private final List<ElectionEvent.Stalled> told = new ArrayList<>();
    private final Set<NodeId> heard = new TreeSet<>();
    private boolean diskHangs;
    private long now;
    private ViewState state = first();

    private ViewState first() {
        var start = new ViewMachine.Start(1_000, List.of(), SELF, 1, Role.AGENT, "", 4);
        return carriedOut(machine.start(start, now));
    }

    private void event(ViewEvent event) {
        state = carriedOut(machine.step(state, event, now));
    }

    private void received(NodeId from, Message message) {
        event(new ViewEvent.Received(from, 1, message));
    }

    private ViewState carriedOut(Step<ViewState, ViewEffect> step) {
        ViewState last = noted(step);
        while (!diskHangs && !tasks.isEmpty()) {
            VoterTask task = tasks.removeFirst();
            last = noted(machine.step(last, new ViewEvent.Voted(task, cast(task)), now));
        }
        return last;
    }

    private ViewState noted(Step<ViewState, ViewEffect> step) {
        for (ViewEffect effect : step.effects()) {
            if (effect instanceof ViewEffect.Vote(VoterTask task)) {
                tasks.add(task);
            } else if (effect instanceof ViewEffect.Announce(ElectionEvent.Stalled stall)) {
                told.add(stall);
            }
        }
        return step.state();
    }

    private VoterAnswer cast(VoterTask task) {
        if (task instanceof VoterTask.Retain) {
            return new VoterAnswer.Retained(new TreeSet<>());
        }
        Lineage lineage = Voter.lineage(task).orElseThrow();
        Voter.Decision decision = Voter.decide(SELF.peer(), Optional.ofNullable(folder.get(lineage)), task);
        decision.write().ifPresent(record -> folder.put(lineage, record));
        return decision.answer();
    }

    private static Member member(NodeId node) {
        return new Member(node, 1, node.equals(MASTER) ? 1 : 3, Role.AGENT, "", seat(node));
    }

    private static long seat(NodeId node) {
        return 70L + node.peer().publicKey()[0];
    }

    /** This node is in a view with the others, and hears all of them. */
    private void together(NodeId... others) {
        folder.put(LINEAGE, LineageRecord.fresh(LINEAGE, seat(SELF)));
        var members = new ArrayList<Member>();
        members.add(member(SELF));
        for (NodeId other : others) {
            event(new ViewEvent.Linked(other, 1));
            members.add(member(other));
            heard.add(other);
        }
        members.sort(Member.ORDER);
        beat(others[0], LINEAGE);
        received(others[0], new Message.Commit(new View(LINEAGE, 3, members, List.of())));
        pass(SECOND);
    }

    private void beat(NodeId from, Lineage lineage) {
        beat(from, lineage, false, GroupPhase.FRESH);
    }

    private void beat(NodeId from, Lineage lineage, boolean stalled, GroupPhase phase) {
        received(
                from,
                new Message.Heartbeat(
                        new Presence(lineage, 3, 2, stalled, "", phase, -1, List.of()), new Beat(1, 0, 0, 0)));
    }

    /** Each member that is heard sends a heartbeat. */
    private void pass(long nanos) {
        for (long until = now + nanos; now < until; ) {
            now += 20 * MILLI;
            heard.forEach(node -> beat(node, LINEAGE));
            event(new ViewEvent.Tick());
        }
    }

    private void silence(NodeId... nodes) {
        for (NodeId node : nodes) {
            heard.remove(node);
            event(new ViewEvent.Suspected(node, 1));
        }
    }

    private Ballot ballot() {
        return ((Campaign.Open) state.campaign()).ballot();
    }

    private void assertApart(String expected, NodeId node) {
        assertEquals(Optional.of(expected), Apartness.of(state, node));
    }

    private void assertStalled(String expected) {
        assertEquals(Optional.of(expected), QuorumLosses.text(state));
    }

    @Test
    void aMemberThatIsHeardHasNoReport() {
        together(MASTER, THIRD);
        assertEquals(Optional.empty(), Apartness.of(state, THIRD));
        assertEquals(Optional.empty(), Apartness.of(state, SELF));
        assertEquals(Optional.empty(), Apartness.of(state, FIFTH));
        assertEquals(Optional.empty(), QuorumLosses.text(state));
    }

    @Test
    void theViewGoesOnWithoutAMemberWhereTheOthersAreAQuorum() {
        together(MASTER, THIRD);
        silence(THIRD);
        pass(3 * SECOND);
        assertApart("not heard for 3 s; the view goes on without it as soon as a quorum agrees", THIRD);
        assertEquals(Optional.empty(), Apartness.of(state, MASTER));
    }

    @Test
    void theJuniorOfTwoReportsThatItCannotGoOnWithoutTheOther() {
        together(MASTER);
        silence(MASTER);
        pass(12 * SECOND);
        assertApart("not heard for 12 s; this view cannot go on without it: start it or plug it in", MASTER);
        assertStalled("no quorum of the machines has been heard for 12 s; waiting for " + MASTER.shortText()
                + " (not heard)");
        assertEquals(List.of(MASTER), told.getFirst().waitingFor());
    }

    @Test
    void anotherProcessOfAMachineCastsItsVote() {
        together(MASTER);
        event(new ViewEvent.Linked(new NodeId(MASTER.peer(), "trainer-0"), 1));
        silence(MASTER);
        pass(SECOND);
        assertApart("not heard for 1 s; the view goes on without it as soon as a quorum agrees", MASTER);
    }

    @Test
    void theReportNoLongerNamesAMemberThatIsBack() {
        together(MASTER, THIRD, FOURTH, FIFTH);
        silence(MASTER, THIRD, FOURTH);
        pass(4 * SECOND);
        assertApart("not heard for 4 s" + WAITS, THIRD);
        assertStalled("no quorum of the machines has been heard for 4 s; waiting for " + MASTER.shortText()
                + " (not heard), " + THIRD.shortText() + " (not heard), " + FOURTH.shortText() + " (not heard)");
        silence(FIFTH);
        heard.add(THIRD);
        beat(THIRD, LINEAGE);
        pass(3 * SECOND);
        assertEquals(Optional.empty(), Apartness.of(state, THIRD));
        assertStalled("no quorum of the machines has been heard for 7 s; waiting for " + MASTER.shortText()
                + " (not heard), " + FOURTH.shortText() + " (not heard), " + FIFTH.shortText() + " (not heard)");
        assertEquals(
                List.of(List.of(MASTER, THIRD, FOURTH), List.of(MASTER, FOURTH, FIFTH)),
                told.stream().map(ElectionEvent.Stalled::waitingFor).toList());
    }

    @Test
    void aMemberThatIsHeardAndDoesNotVoteIsWaitedFor() {
        together(MASTER, THIRD);
        silence(MASTER);
        pass(7 * SECOND);
        assertApart("has not voted for 7 s; look at its disk", THIRD);
        assertStalled("the view needs a change (" + MASTER.shortText() + " is silent), and no quorum has voted for"
                + " one for 7 s; waiting for " + MASTER.shortText() + " (not heard), " + THIRD.shortText()
                + " (heard, but it does not vote)");
        assertEquals(List.of(MASTER, THIRD), told.getFirst().waitingFor());
        received(THIRD, new Message.Promise(LINEAGE, 3, ballot(), Optional.empty()));
        assertEquals(Optional.empty(), Apartness.of(state, THIRD), "it voted");
    }

    @Test
    void aPromiseIsNoAcceptance() {
        together(MASTER, THIRD);
        silence(MASTER);
        for (int i = 0; i < 400; i++) { // it promises each ballot and accepts none
            if (state.campaign() instanceof Campaign.Preparing preparing) {
                var status = Optional.of(new Message.Status(false, OpenResolver.OPEN));
                event(new ViewEvent.Frozen(LINEAGE, 3, Optional.of(OpenResolver.OPEN), 0));
                received(THIRD, new Message.Here(LINEAGE, 3, preparing.ballot(), status));
                received(THIRD, new Message.Promise(LINEAGE, 3, preparing.ballot(), Optional.empty()));
            }
            pass(20 * MILLI);
        }
        assertApart("has not voted for 7 s; look at its disk", THIRD);
    }

    @Test
    void theReportNamesTheOwnDiskToo() {
        together(MASTER, THIRD);
        diskHangs = true;
        silence(MASTER);
        pass(7 * SECOND);
        assertStalled("the view needs a change (" + MASTER.shortText() + " is silent), and no quorum has voted for"
                + " one for 7 s; waiting for " + MASTER.shortText() + " (not heard), the disk of this node");
        assertEquals(Optional.empty(), Apartness.of(state, THIRD), "no member asked it");
    }

    @Test
    void theReportNamesTheMemberThatCollectsTheVotes() {
        together(MASTER, THIRD);
        silence(THIRD);
        View view = state.view();
        for (int i = 0; i < 45; i++) {
            received(MASTER, new Message.Prepare(view, new Ballot(1, MASTER)));
            pass(300 * MILLI);
        }
        assertStalled("the view needs a change (" + THIRD.shortText() + " is silent), and no quorum has voted for"
                + " one for 7 s; waiting for " + THIRD.shortText() + " (not heard); " + MASTER.shortText()
                + " collects the votes: its status says who does not vote");
    }

    @Test
    void aMissingVoteIsReportedOnlyWhileABallotRuns() {
        together(MASTER, THIRD, FOURTH, FIFTH);
        silence(THIRD);
        silence(MASTER);
        pass(4 * SECOND);
        assertApart("has not voted for 4 s; look at its disk", FOURTH);
        heard.add(MASTER);
        received(MASTER, new Message.Prepare(state.view(), new Ballot(9, MASTER)));
        pass(100 * MILLI);
        assertEquals(Optional.empty(), Apartness.of(state, FOURTH), "another member asks for votes now");
    }

    @Test
    void aMachineWhoseRecordIsGoneHasNoVote() {
        together(MASTER, THIRD);
        received(THIRD, new Message.Gone(LINEAGE, 3, seat(THIRD)));
        assertApart("its vote record is gone; it has no vote before it enters again", THIRD);
    }

    @Test
    void theReportOfAStrangerFollowsItsHeartbeat() {
        together(MASTER, THIRD);
        event(new ViewEvent.Linked(FOURTH, 1));
        assertEquals(Optional.empty(), Apartness.of(state, FOURTH), "it is about to join");
        pass(4 * SECOND);
        assertApart("not heard for 4 s", FOURTH);
        String place = "it lives in another view (epoch 3 of " + OTHER.shortText() + ", members 2)";
        beat(FOURTH, OTHER);
        assertApart(place + "; the two join when both are between two steps", FOURTH);
        beat(FOURTH, OTHER, false, GroupPhase.BUSY);
        assertApart(place + "; trainings join where a step begins (beginStep), or when one ends", FOURTH);
        beat(FOURTH, OTHER, true, GroupPhase.FRESH);
        assertApart(
                place + " and waits for a quorum there; start the machines that it waits for, or restart it", FOURTH);
        beat(THIRD, OTHER);
        assertApart(place + "; it is about to be left out here", THIRD);
        received(MASTER, new Message.Commit(new View(LINEAGE, 4, List.of(member(MASTER), member(SELF)), List.of())));
        assertApart("it was removed lately and may enter again in 1 s", THIRD);
    }
}
