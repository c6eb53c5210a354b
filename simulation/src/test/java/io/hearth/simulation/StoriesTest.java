package io.hearth.simulation;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.Ballot;
import io.hearth.election.ElectionConfig;
import io.hearth.election.ElectionState;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.identity.PeerId;
import io.hearth.simulation.ViewStage.Actor;
import io.hearth.simulation.host.NodeIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Failures that happened in homes, one story each.
 *
 * <p>The protocol keeps a list of mistakes in its earlier versions. These are the mistakes about records, outages and slow disks, and
 * the tests that find them:
 *
 * <pre>
 * record deleted, same start asks again     {@link #aDeletedRecordGivesNoSecondVote}
 * voter without its record answers nothing  {@link #aNodeThatSleptThroughTheEndOfItsLineageGivesItUp}
 * kill of a machine's voting process        {@link #theOthersGoOnAfterTheDeathOfAnyProcessOfAHome},
 *                                           {@link #twoHomesOfTwoProcessesSurviveTheDeathOfAnyProcess}
 * switch that restarts                      {@link #anOutageOfTheWholeNetworkRemovesNoMember}
 * suspicion that is stored                  {@link #aNodeComesBackAfterAnAbsenceOfAnyLength}
 * disk on the thread of the heartbeats      {@link #aSlowDiskRemovesNoMember}
 * queue of a slow disk                      {@link #processesOfOneSlowDiskDoNotDuel}, {@code VotingTest}
 * move into an old view                     {@code ViewMachineTest#aViewKnownBeforeItAskedAdmitsNoJoiner}
 * restarted process as first candidate      {@link #aRestartedProcessDoesNotBlockTheOthersOfItsHome}
 * round 10^9                                {@link #aBallotOfAHugeRoundBlocksNoMember}, {@code KnownLineageTest}
 * Leave, then "not leaving"                 {@link #aMemberThatAsksToLeaveAndStaysCausesFewViewsAndWrites}
 * entry of another role, stale bigger view  {@code ViewMachineTest#onlyTheEntryAskedForIsAnAdmission},
 *                                           {@link #aStaleBiggerViewDissolvesNoLineage}
 * one identity on two computers             {@link #aJoinerBesideAnotherSeatWaitsAndLearnsTheReason}, {@code VoterTest}
 * the same, without a sign on the disk      {@link #bothComputersOfOneIdentityLeaveAndTheOthersGoOn}
 * the junior of each broken pair            {@link #aSeniorWithBrokenPairsLeavesAndTheOthersStay}
 * </pre>
 */
final class StoriesTest {
    /** A machine writes its promise, the proposal that it accepted, and the resulting view. */
    private static final int WRITES_OF_A_CHANGE = 3;

    private ViewStage stage = new ViewStage(1);

    private Actor host(int machine, Role role) {
        Actor host = stage.add(
                role == Role.AGENT ? NodeIds.agent(machine) : NodeIds.trainer(machine, 0),
                role,
                ElectionConfig.DEFAULTS);
        stage.start(host);
        return host;
    }

    /** Nodes that started one after the other and are one view; in the order of their ranks. */
    private List<Actor> cluster(Role role, int count) {
        var hosts = new ArrayList<Actor>();
        for (int i = 1; i <= count; i++) {
            hosts.add(host(i, role));
            stage.run(stage.now() + 600 * MILLI);
            stage.unite(5 * SECOND, "start");
        }
        stage.run(stage.now() + SECOND);
        return hosts;
    }

    private void busy(Actor host, long doneUpTo) {
        host.status = ViewStage.TRAINING;
        stage.view(host, new ViewEvent.Progress(doneUpTo, GroupPhase.BUSY));
    }

    private void boundary(Actor host, long doneUpTo) {
        host.status = ViewStage.OPEN;
        stage.view(host, new ViewEvent.Progress(doneUpTo, GroupPhase.BOUNDARY));
    }

    private void leave(Actor host) {
        stage.view(host, new ViewEvent.Leave());
        stage.run(stage.now() + 3 * SECOND);
        assertTrue(host.hasLeft);
    }

    private static View view(Actor host) {
        return host.state().view();
    }

    private void isolate(Actor host) {
        stage.isolate(
                host,
                stage.hosts.values().stream().filter(other -> other != host).toList());
    }

    private void reconnect(Actor host) {
        stage.hosts.values().stream().filter(other -> other != host).forEach(other -> stage.heal(host, other));
    }

    static IntStream seeds() {
        return IntStream.range(0, 20);
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 30, 300, 590, 620, 3_600})
    void aNodeComesBackAfterAnAbsenceOfAnyLength(int seconds) {
        List<Actor> hosts = cluster(Role.AGENT, 3);
        isolate(hosts.get(2));
        stage.run(stage.now() + seconds * SECOND);
        assertEquals(2, view(hosts.getFirst()).members().size());
        assertEquals(ElectionState.STALLED, hosts.get(2).state().election());
        reconnect(hosts.get(2));
        stage.unite(5 * SECOND, "back after " + seconds + " s");
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 500, 800, 3_600})
    void aNodeThatSleptThroughTheEndOfItsLineageGivesItUp(int seconds) {
        List<Actor> hosts = cluster(Role.AGENT, 3);
        Lineage ended = view(hosts.get(2)).lineage();
        isolate(hosts.get(2));
        stage.run(stage.now() + 10 * SECOND);
        leave(hosts.get(1));
        leave(hosts.get(0));
        stage.start(hosts.get(0));
        stage.start(hosts.get(1));
        stage.run(stage.now() + seconds * SECOND);
        boolean isKnown = hosts.subList(0, 2).stream().anyMatch(host -> host.folder.has(ended));
        assertEquals(seconds < 600, isKnown, "records are deleted after ten minutes");
        reconnect(hosts.get(2));
        stage.unite(10 * SECOND, "back after " + seconds + " s");
        assertNotEquals(ended, view(hosts.get(2)).lineage());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aNodeGivesItsLineageUpIfTheOthersLostTheirDisksWhileItSlept(int awake) {
        List<Actor> hosts = cluster(Role.AGENT, 3);
        isolate(hosts.get(awake));
        for (Actor host : hosts) {
            if (host != hosts.get(awake)) {
                stage.crash(host, true);
                host.folder.lose();
                stage.start(host);
            }
        }
        stage.run(stage.now() + 20 * SECOND);
        reconnect(hosts.get(awake));
        stage.unite(10 * SECOND, "back");
    }

    /** With one lost vote of three, the other two machines can go on. */
    @Test
    void oneLostVoteOfThreeCostsNoOtherNodeItsWork() {
        List<Actor> hosts = cluster(Role.AGENT, 3);
        Lineage lineage = view(hosts.getFirst()).lineage();
        stage.crash(hosts.get(2), false);
        hosts.get(2).folder.lose();
        stage.start(hosts.get(2));
        stage.unite(10 * SECOND, "back");
        stage.run(stage.now() + 5 * SECOND);
        assertEquals(lineage, view(hosts.get(0)).lineage());
        assertEquals(List.of(), hosts.get(0).removals);
        assertEquals(List.of(), hosts.get(1).removals);
        assertTrue(stage.isUnited());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aDeletedRecordGivesNoSecondVote(int seed) {
        stage = new ViewStage(seed);
        List<Actor> hosts = cluster(Role.TRAINER, 3);
        Actor b = hosts.get(0);
        Actor a = hosts.get(1);
        Actor c = hosts.get(2);
        hosts.forEach(host -> busy(host, 3));
        isolate(c);
        stage.run(stage.now() + 10 * SECOND);
        assertEquals(2, view(b).members().size());
        stage.view(a, new ViewEvent.Resign());
        stage.run(stage.now() + 620 * SECOND);
        assertEquals(1, view(b).members().size());
        boundary(a, 0);
        stage.heal(a, b);
        stage.heal(a, c);
        stage.run(stage.now() + 30 * SECOND); // the checker finds two views of one epoch
        boundary(b, 9);
        boundary(c, 9);
        stage.heal(b, c);
        stage.unite(90 * SECOND, "healed");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aRecordThatIsLostWhileItsProcessLivesIsNoticedWithinAMinute(int count) {
        List<Actor> hosts = cluster(Role.AGENT, count);
        hosts.getLast().folder.lose();
        stage.run(stage.now() + 62 * SECOND);
        stage.unite(10 * SECOND, "gave up and joined again");
        hosts.forEach(host -> assertTrue(host.folder.has(view(host).lineage()), host.id.shortText()));
    }

    /** The founder's record was lost, and a sibling that asked for entry made a new one: the founder's seat has no vote. */
    @Test
    void aFounderWhoseRecordASiblingReplacedGivesUpWithinAMinute() {
        Actor founder = stage.add(NodeIds.trainer(1, 0), Role.TRAINER, ElectionConfig.DEFAULTS);
        stage.start(founder);
        stage.run(stage.now() + SECOND);
        founder.folder.lose();
        stage.start(stage.add(NodeIds.trainer(1, 1), Role.TRAINER, ElectionConfig.DEFAULTS));
        stage.run(stage.now() + 20 * SECOND);
        assertFalse(stage.isUnited(), "the founder's view lists the seat of the lost record");
        stage.unite(50 * SECOND, "given up");
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void anOutageOfTheWholeNetworkRemovesNoMember(int seed) {
        stage = new ViewStage(seed);
        List<Actor> hosts = cluster(Role.AGENT, 3 + seed % 4); // of two, rank 0 alone is a quorum
        List<Member> before = view(hosts.getFirst()).members();
        stage.outage(15 * SECOND, 600 * MILLI);
        stage.run(stage.now() + 30 * SECOND);
        for (Actor host : hosts) {
            assertEquals(before, view(host).members(), stage::describe);
            assertEquals(List.of(), host.removals);
            assertFalse(host.state().isFrozen());
        }
    }

    /** The link of the fifth comes back late: the others wait for it, but not forever. */
    @Test
    void afterAnOutageTheOthersWaitForLateLinksWhileLinksComeBack() {
        List<Actor> hosts = cluster(Role.AGENT, 5);
        hosts.forEach(this::isolate);
        stage.run(stage.now() + 15 * SECOND);
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < i; j++) {
                stage.heal(hosts.get(i), hosts.get(j));
            }
        }
        stage.run(stage.now() + 2_900 * MILLI);
        assertEquals(5, view(hosts.getFirst()).members().size());
        reconnect(hosts.get(4));
        stage.run(stage.now() + 10 * SECOND);
        hosts.forEach(host -> assertEquals(List.of(), host.removals));
        isolate(hosts.get(4));
        stage.run(stage.now() + 3 * SECOND);
        assertEquals(4, view(hosts.getFirst()).members().size(), "a quorum was heard all the time");
    }

    @Test
    void afterAnOutageTheWaitForADeadMemberIsBounded() {
        List<Actor> hosts = cluster(Role.AGENT, 5);
        hosts.forEach(this::isolate);
        stage.run(stage.now() + 15 * SECOND);
        stage.crash(hosts.get(0), true);
        for (int i = 1; i < 5; i++) {
            for (int j = 1; j < i; j++) {
                stage.heal(hosts.get(i), hosts.get(j));
            }
        }
        assertTrue(stage.unite(10 * SECOND, "without it") < 5 * SECOND);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 300, 700, 1_500})
    void aSlowDiskRemovesNoMember(int millis) {
        List<Actor> hosts = cluster(Role.AGENT, 3);
        for (int slow = 0; slow < 3; slow++) {
            hosts.get(slow).folder.writeNanos = millis * MILLI;
            Actor late = host(4 + slow, Role.AGENT);
            stage.unite(20 * SECOND, "join");
            stage.run(stage.now() + 10 * SECOND);
            stage.crash(late, false);
            stage.hosts.remove(late.id);
            stage.unite(20 * SECOND, "kill");
            hosts.get(slow).folder.writeNanos = 0;
        }
        hosts.forEach(host -> assertEquals(List.of(), host.removals));
    }

    @Test
    void aMachineWithAFullDiskDoesNotVoteUntilTheDiskHasRoom() {
        List<Actor> hosts = cluster(Role.AGENT, 2);
        hosts.getFirst().folder.isFull = true;
        Actor late = host(8, Role.AGENT);
        stage.run(stage.now() + 10 * SECOND);
        assertEquals(1, view(late).members().size());
        assertEquals(2, view(hosts.getFirst()).members().size(), "the vote of rank 0 is needed");
        assertEquals(Optional.of("no space left"), hosts.getFirst().state().diskFault());
        hosts.getFirst().folder.isFull = false;
        stage.unite(10 * SECOND, "room again");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void theOthersGoOnAfterTheDeathOfAnyProcessOfAHome(int rank) {
        List<Actor> hosts = home(1, 3);
        stage.crash(hosts.get(rank), false);
        assertTrue(stage.unite(5 * SECOND, "kill") < 500 * MILLI);
        stage.start(hosts.get(rank));
        stage.unite(10 * SECOND, "back");
        stage.crash(hosts.get(rank), true);
        assertTrue(stage.unite(5 * SECOND, "unplug") < 3 * SECOND);
    }

    /** Trainers of one home, in the order of their ranks. */
    private List<Actor> home(int machine, int count) {
        var hosts = new ArrayList<Actor>();
        for (int slot = 0; slot < count; slot++) {
            hosts.add(stage.add(NodeIds.trainer(machine, slot), Role.TRAINER, ElectionConfig.DEFAULTS));
            stage.start(hosts.getLast());
            stage.run(stage.now() + 600 * MILLI);
            stage.unite(5 * SECOND, "start");
        }
        return hosts;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void twoHomesOfTwoProcessesSurviveTheDeathOfAnyProcess(int rank) {
        List<Actor> hosts = new ArrayList<>(home(1, 2));
        hosts.addAll(home(2, 2));
        stage.crash(hosts.get(rank), false);
        assertTrue(stage.unite(5 * SECOND, "kill") < SECOND);
        stage.start(hosts.get(rank));
        stage.unite(10 * SECOND, "back");
    }

    @Test
    void aRestartedProcessDoesNotBlockTheOthersOfItsHome() {
        List<Actor> hosts = home(1, 3);
        stage.crash(hosts.getFirst(), false);
        stage.start(hosts.getFirst());
        assertTrue(stage.unite(10 * SECOND, "restart") < 3 * SECOND);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void processesOfOneSlowDiskDoNotDuel(int seed) {
        stage = new ViewStage(seed);
        List<Actor> hosts = new ArrayList<>(home(1, 3));
        hosts.addAll(home(2, 1));
        hosts.getFirst().folder.writeNanos = 700 * MILLI;
        stage.crash(hosts.getLast(), true);
        assertTrue(stage.unite(20 * SECOND, "kill") < 9 * SECOND, () -> "took long:" + stage.describe());
    }

    @Test
    void aBallotOfAHugeRoundBlocksNoMember() {
        List<Actor> hosts = cluster(Role.AGENT, 4);
        Actor liar = hosts.getLast();
        for (Actor host : hosts.subList(0, 3)) {
            stage.send(liar, host.id, new Message.Prepare(view(liar), new Ballot(1_000_000_000L, liar.id)));
            stage.send(liar, host.id, new Message.Prepare(view(liar), new Ballot(Ballot.ROUND_MAX, liar.id)));
        }
        stage.run(stage.now() + 20 * MILLI);
        hosts.subList(0, 3)
                .forEach(host -> assertEquals(2, host.state().refusals().count(MessageRejection.FAR_ROUND)));
        stage.crash(liar, false);
        assertTrue(stage.unite(20 * SECOND, "without it") < 6 * SECOND);
        stage.start(liar);
        stage.unite(10 * SECOND, "and with it");
    }

    /** Attack 40. */
    @Test
    void aMemberThatAsksToLeaveAndStaysCausesFewViewsAndWrites() {
        List<Actor> hosts = cluster(Role.AGENT, 3);
        Actor liar = hosts.getLast();
        long before = view(liar).epoch();
        hosts.forEach(host -> host.folder.writes = 0);
        for (long at = 0; at < 8_500 * MILLI; at += 10 * MILLI) {
            stage.at(at, () -> {
                Member me = view(liar).member(liar.id).orElseThrow();
                for (Actor host : hosts.subList(0, 2)) {
                    stage.send(liar, host.id, new Message.Leave(view(liar).lineage(), me.entryEpoch(), false));
                }
            });
        }
        stage.run(stage.now() + 8_500 * MILLI);
        long views = view(hosts.getFirst()).epoch() - before;
        assertTrue(views <= 8_500 / 300 + 1, views + " views");
        hosts.forEach(host -> assertTrue(
                host.folder.writes <= WRITES_OF_A_CHANGE * (views + 1), host.folder.writes + " writes, " + views));
        stage.run(stage.now() + 5 * SECOND);
        View settled = view(hosts.getFirst());
        assertEquals(3, settled.members().size(), "a member that answers that it stays is kept");
        hosts.forEach(host -> host.folder.writes = 0);
        stage.run(stage.now() + 5 * SECOND);
        assertEquals(settled, view(hosts.getFirst()));
        hosts.forEach(host -> assertEquals(0, host.folder.writes, "a write without a change"));
    }

    @Test
    void aStaleBiggerViewDissolvesNoLineage() {
        List<Actor> hosts = cluster(Role.AGENT, 3);
        stage.pause(hosts.get(2), 60 * SECOND);
        stage.run(stage.now() + 5 * SECOND);
        leave(hosts.get(1));
        stage.crash(hosts.get(0), false);
        stage.start(hosts.get(0));
        stage.start(hosts.get(1));
        stage.run(stage.now() + 20 * SECOND);
        View before = view(hosts.getFirst());
        assertEquals(2, before.members().size());
        stage.run(stage.now() + 25 * SECOND);
        assertEquals(before, view(hosts.getFirst()), "still asleep");
        stage.run(stage.now() + 15 * SECOND);
        stage.unite(5 * SECOND, "awake");
        assertEquals(before.lineage(), view(hosts.getFirst()).lineage());
        assertEquals(before.members(), view(hosts.getFirst()).members().subList(0, 2), "neither had to enter again");
    }

    @Test
    void aJoinerBesideAnotherSeatWaitsAndLearnsTheReason() {
        List<Actor> hosts = new ArrayList<>(cluster(Role.TRAINER, 2));
        hosts.forEach(host -> busy(host, 3));
        hosts.getLast().folder.lose();
        Actor beside = stage.add(NodeIds.agent(2), Role.AGENT, ElectionConfig.DEFAULTS);
        stage.start(beside);
        stage.run(stage.now() + 5 * SECOND);
        assertEquals(1, view(beside).members().size());
        assertTrue(beside.pending.contains("another process of its machine"), beside.pending);
        assertEquals(List.of(), hosts.getFirst().removals);
    }

    /** Its group does not wait at each step for a joiner that cannot enter. */
    @Test
    void aJoinerBesideAnotherSeatDelaysNoStep() {
        List<Actor> hosts = new ArrayList<>(cluster(Role.TRAINER, 2));
        hosts.forEach(host -> busy(host, 3));
        hosts.getLast().folder.lose();
        Actor beside = stage.add(NodeIds.trainer(2, 1), Role.TRAINER, ElectionConfig.DEFAULTS);
        stage.start(beside);
        boundary(beside, 0);
        stage.run(stage.now() + 5 * SECOND);
        assertTrue(beside.pending.contains("another process of its machine"), beside.pending);
        assertFalse(hosts.getFirst().isHeld);
    }

    private void doubled(Actor host, Actor... machines) {
        var doubled = new TreeSet<PeerId>();
        for (Actor machine : machines) {
            doubled.add(machine.id.peer());
        }
        stage.view(host, new ViewEvent.Doubled(doubled));
    }

    /** A copy of a whole disk: the others detect it, and so does each of the two, here the one that was a member. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void bothComputersOfOneIdentityLeaveAndTheOthersGoOn(int copied) {
        List<Actor> hosts = cluster(Role.TRAINER, 3);
        hosts.forEach(host -> busy(host, 3));
        Lineage lineage = view(hosts.getFirst()).lineage();
        Actor original = hosts.get(copied);
        List<Actor> others = new ArrayList<>(hosts);
        others.remove(original);
        others.forEach(other -> doubled(other, original));
        stage.run(stage.now() + 2 * SECOND);
        original.folder.lose(); // set aside
        doubled(original, original);
        stage.run(stage.now() + 60 * SECOND);
        assertEquals(1, view(original).members().size());
        assertEquals(1, original.removals.size(), original.removals.toString());
        others.forEach(other -> {
            assertEquals(lineage, view(other).lineage());
            assertEquals(2, view(other).members().size());
            assertEquals(List.of(), other.removals);
        });

        others.forEach(this::doubled); // the copy has an identity of its own
        stage.crash(original, false);
        original.status = ViewStage.OPEN;
        stage.start(original);
        others.forEach(other -> boundary(other, 3));
        boundary(original, 0);
        stage.unite(10 * SECOND, "started again");
    }

    /** Attack 41: the others saw two of it. The original got no report of that, and so needs no restart. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void theOriginalEntersAgainOnceTheCopyOfItsIdentityIsGone(int copied) {
        List<Actor> hosts = cluster(Role.AGENT, 3);
        Lineage lineage = view(hosts.getFirst()).lineage();
        Actor original = hosts.get(copied);
        List<Actor> others = new ArrayList<>(hosts);
        others.remove(original);
        others.forEach(other -> doubled(other, original));
        stage.run(stage.now() + 2 * SECOND);
        stage.crash(others.getFirst(), false);
        stage.run(stage.now() + 20 * SECOND);
        Actor other = others.getLast();
        assertEquals(
                3,
                view(other).members().size(),
                "one vote of three, and one of two computers with one identity, decide nothing");
        assertEquals(ElectionState.STALLED, other.state().election());

        doubled(other); // it sees only one computer with this identity
        stage.unite(10 * SECOND, "the copy is gone");
        assertEquals(2, view(original).members().size());
        assertEquals(lineage, view(original).lineage(), "by the vote of the original");
    }

    /** Attack 21: the excluded node stays linked for a while and sends any messages; it is part of no view. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aNodeThatExcludesTheFirstOfTwoGoesOnAloneInANewLineage(boolean isLinked) {
        List<Actor> hosts = cluster(Role.TRAINER, 2);
        hosts.forEach(host -> busy(host, 3));
        Actor first = hosts.get(0);
        Actor second = hosts.get(1);
        Lineage shared = view(second).lineage();
        assertEquals(first.id, view(second).members().getFirst().node());
        stage.view(second, new ViewEvent.Excluded(new TreeSet<>(List.of(first.id.peer()))));
        if (!isLinked) {
            isolate(first);
        }
        stage.run(stage.now() + 3 * SECOND);
        assertNotEquals(shared, view(second).lineage());
        assertEquals(second.id, view(second).lineage().founder());
        assertEquals(
                List.of(second.id),
                view(second).members().stream().map(Member::node).toList());
        assertFalse(second.state().isFrozen());
        stage.run(stage.now() + 60 * SECOND);
        assertEquals(1, view(second).members().size(), "it is not admitted again");
    }

    @Test
    void aSeniorWithBrokenPairsLeavesAndTheOthersStay() {
        List<Actor> hosts = cluster(Role.AGENT, 7);
        Actor broken = hosts.get(1);
        hosts.subList(2, 7).forEach(other -> stage.cutBoth(broken.id, other.id));
        stage.run(stage.now() + 15 * SECOND);
        List<Actor> others = new ArrayList<>(hosts);
        others.remove(broken);
        assertEquals(
                others.stream().map(host -> host.id).toList(),
                view(hosts.getFirst()).members().stream().map(Member::node).toList());
        others.forEach(host -> assertEquals(List.of(), host.removals));
    }

    /** A machine whose record was lost joins again, without cycles of admission and removal. */
    @Test
    void aMachineThatLostItsRecordIsAMemberAgainAfterTwoViews() {
        List<Actor> hosts = cluster(Role.AGENT, 3);
        long before = view(hosts.getFirst()).epoch();
        stage.crash(hosts.get(2), false);
        stage.run(stage.now() + 5 * SECOND);
        hosts.get(2).folder.lose();
        stage.start(hosts.get(2));
        stage.unite(5 * SECOND, "back");
        stage.crash(hosts.get(2), true);
        hosts.get(2).folder.lose();
        stage.start(hosts.get(2)); // before its silence is noticed: its old seat is still listed
        stage.unite(10 * SECOND, "back at once");
        stage.run(stage.now() + 5 * SECOND);
        assertEquals(before + 4, view(hosts.getFirst()).epoch(), stage::describe);
    }
}
