package io.hearth.election.view;

import static io.hearth.election.view.World.MILLI;
import static io.hearth.election.view.World.SECOND;
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
import io.hearth.election.Nodes;
import io.hearth.election.OpenResolver;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.view.World.Host;
import io.hearth.election.vote.VoterTest;
import io.hearth.election.vote.VotingTest;
import io.hearth.identity.PeerId;
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
 * What went wrong once in a home, each as it happened.
 *
 * <p>The protocol keeps a list of what earlier wordings of it got wrong. Those of the records, of outages and of slow disks, and
 * where they are tested:
 *
 * <pre>
 * record deleted, same start asks again     {@link #aDeletedRecordIsNoSecondVote}
 * voter that forgot answers nothing         {@link #whoSleptThroughTheEndOfItsLineageGivesItUp}
 * kill of a machine's voting process        {@link #anyProcessOfAHomeMayDie}, {@link #twoHomesOfTwoProcessesEach}
 * switch that restarts                      {@link #afterAnOutageOfTheWholeNetworkNobodyIsRemoved}
 * suspicion that is stored                  {@link #aNodeThatWasAwayForAnyTimeComesBack}
 * disk on the thread of the heartbeats      {@link #aSlowDiskCostsNobodyItsPlace}
 * queue of a slow disk                      {@link #processesOfOneSlowDiskDoNotDuel}, {@link VotingTest}
 * move into an old view                     {@link ViewMachineTest#aViewKnownBeforeItAskedAdmitsNobody}
 * restarted process as first candidate      {@link #aRestartedProcessDoesNotBlockTheOthersOfItsHome}
 * round 10^9                                {@link #aBallotOfAHugeRoundStopsNobody}, {@link KnownLineageTest}
 * Leave, then "not leaving"                 {@link #leaveAndStayMakesNoStormOfViewsAndOfWrites}
 * entry of another role, stale bigger view  {@link ViewMachineTest#onlyTheEntryAskedForIsAnAdmission},
 *                                           {@link #aStaleBiggerViewDissolvesNobody}
 * one identity on two computers             {@link #aJoinerBesideAnotherSeatWaitsAndIsToldWhy}, {@link VoterTest}
 * and nothing on the disk shows it           {@link #bothComputersOfOneIdentityWalkOutAndTheOthersGoOn}
 * the junior of each broken pair            {@link #oneBrokenSeniorGoesAndNoneOfTheOthers}
 * </pre>
 */
final class StoriesTest {
    /** A machine writes its promise, what it accepted, and the view that came of it. */
    private static final int WRITES_OF_A_CHANGE = 3;

    private World world = new World(1);

    private Host host(int machine, Role role) {
        Host host = world.add(
                role == Role.AGENT ? Nodes.agent(machine) : Nodes.trainer(machine, 0), role, ElectionConfig.DEFAULTS);
        world.start(host);
        return host;
    }

    /** Nodes that started one after the other and are one view; in the order of their ranks. */
    private List<Host> cluster(Role role, int count) {
        var hosts = new ArrayList<Host>();
        for (int i = 1; i <= count; i++) {
            hosts.add(host(i, role));
            world.run(world.now + 600 * MILLI);
            world.unite(5 * SECOND, "start");
        }
        world.run(world.now + SECOND);
        return hosts;
    }

    private void busy(Host host, long doneUpTo) {
        host.status = OpenResolver.TRAINING;
        world.view(host, new ViewEvent.Progress(doneUpTo, GroupPhase.BUSY));
    }

    private void boundary(Host host, long doneUpTo) {
        host.status = OpenResolver.OPEN;
        world.view(host, new ViewEvent.Progress(doneUpTo, GroupPhase.BOUNDARY));
    }

    private void leave(Host host) {
        world.view(host, new ViewEvent.Leave());
        world.run(world.now + 3 * SECOND);
        assertTrue(host.hasLeft);
    }

    private static View view(Host host) {
        return host.state().view();
    }

    private void isolate(Host host) {
        world.isolate(
                host,
                world.hosts.values().stream().filter(other -> other != host).toList());
    }

    private void reconnect(Host host) {
        world.hosts.values().stream().filter(other -> other != host).forEach(other -> world.heal(host, other));
    }

    static IntStream seeds() {
        return IntStream.range(0, 20);
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 30, 300, 590, 620, 3_600})
    void aNodeThatWasAwayForAnyTimeComesBack(int seconds) {
        List<Host> hosts = cluster(Role.AGENT, 3);
        isolate(hosts.get(2));
        world.run(world.now + seconds * SECOND);
        assertEquals(2, view(hosts.getFirst()).members().size());
        assertEquals(ElectionState.STALLED, hosts.get(2).state().election());
        reconnect(hosts.get(2));
        world.unite(5 * SECOND, "back after " + seconds + " s");
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 500, 800, 3_600})
    void whoSleptThroughTheEndOfItsLineageGivesItUp(int seconds) {
        List<Host> hosts = cluster(Role.AGENT, 3);
        Lineage ended = view(hosts.get(2)).lineage();
        isolate(hosts.get(2));
        world.run(world.now + 10 * SECOND);
        leave(hosts.get(1));
        leave(hosts.get(0));
        world.start(hosts.get(0));
        world.start(hosts.get(1));
        world.run(world.now + seconds * SECOND);
        boolean isKnown = hosts.subList(0, 2).stream().anyMatch(host -> host.folder.records.containsKey(ended));
        assertEquals(seconds < 600, isKnown, "records are deleted after ten minutes");
        reconnect(hosts.get(2));
        world.unite(10 * SECOND, "back after " + seconds + " s");
        assertNotEquals(ended, view(hosts.get(2)).lineage());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void whoSleptWhileTheOthersDiedAndLostTheirDisksGivesItsLineageUp(int awake) {
        List<Host> hosts = cluster(Role.AGENT, 3);
        isolate(hosts.get(awake));
        for (Host host : hosts) {
            if (host != hosts.get(awake)) {
                world.crash(host, true);
                host.folder.records.clear();
                world.start(host);
            }
        }
        world.run(world.now + 20 * SECOND);
        reconnect(hosts.get(awake));
        world.unite(10 * SECOND, "back");
    }

    /** One lost vote of three is no reason to give up what the other two can go on with. */
    @Test
    void oneGoneVoteOfThreeCostsNobodyElseItsWork() {
        List<Host> hosts = cluster(Role.AGENT, 3);
        Lineage lineage = view(hosts.getFirst()).lineage();
        world.crash(hosts.get(2), false);
        hosts.get(2).folder.records.clear();
        world.start(hosts.get(2));
        world.unite(10 * SECOND, "back");
        world.run(world.now + 5 * SECOND);
        assertEquals(lineage, view(hosts.get(0)).lineage());
        assertEquals(List.of(), hosts.get(0).removals);
        assertEquals(List.of(), hosts.get(1).removals);
        assertTrue(world.isUnited());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aDeletedRecordIsNoSecondVote(int seed) {
        world = new World(seed);
        List<Host> hosts = cluster(Role.TRAINER, 3);
        Host b = hosts.get(0);
        Host a = hosts.get(1);
        Host c = hosts.get(2);
        hosts.forEach(host -> busy(host, 3));
        isolate(c);
        world.run(world.now + 10 * SECOND);
        assertEquals(2, view(b).members().size());
        world.view(a, new ViewEvent.Resign());
        world.run(world.now + 620 * SECOND);
        assertEquals(1, view(b).members().size());
        boundary(a, 0);
        world.heal(a, b);
        world.heal(a, c);
        world.run(world.now + 30 * SECOND); // the ledger sees whether there are two views of one number
        boundary(b, 9);
        boundary(c, 9);
        world.heal(b, c);
        world.unite(90 * SECOND, "healed");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aRecordThatIsLostWhileItsProcessLivesIsNoticedWithinAMinute(int count) {
        List<Host> hosts = cluster(Role.AGENT, count);
        hosts.getLast().folder.records.clear();
        world.run(world.now + 62 * SECOND);
        world.unite(10 * SECOND, "gave up and joined again");
        hosts.forEach(
                host -> assertTrue(host.folder.records.containsKey(view(host).lineage()), host.id.shortText()));
    }

    /** A sibling that asked for entry made a new record where that of the founder was lost: the founder's seat is dead. */
    @Test
    void aFounderWhoseRecordASiblingMadeAnewGivesUpWithinAMinute() {
        Host founder = world.add(Nodes.trainer(1, 0), Role.TRAINER, ElectionConfig.DEFAULTS);
        world.start(founder);
        world.run(world.now + SECOND);
        founder.folder.records.clear();
        world.start(world.add(Nodes.trainer(1, 1), Role.TRAINER, ElectionConfig.DEFAULTS));
        world.run(world.now + 20 * SECOND);
        assertFalse(world.isUnited(), "the founder's view lists the seat of the lost record");
        world.unite(50 * SECOND, "given up");
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void afterAnOutageOfTheWholeNetworkNobodyIsRemoved(int seed) {
        world = new World(seed);
        List<Host> hosts = cluster(Role.AGENT, 3 + seed % 4); // of two, rank 0 alone is a quorum
        List<Member> before = view(hosts.getFirst()).members();
        world.outage(15 * SECOND, 600 * MILLI);
        world.run(world.now + 30 * SECOND);
        for (Host host : hosts) {
            assertEquals(before, view(host).members(), world::describe);
            assertEquals(List.of(), host.removals);
            assertFalse(host.state().isFrozen());
        }
    }

    /** The link of the fifth comes back late: the others wait for it for a while, and not for ever. */
    @Test
    void afterAnOutageLateLinksAreWaitedForAsLongAsOthersComeBack() {
        List<Host> hosts = cluster(Role.AGENT, 5);
        hosts.forEach(this::isolate);
        world.run(world.now + 15 * SECOND);
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < i; j++) {
                world.heal(hosts.get(i), hosts.get(j));
            }
        }
        world.run(world.now + 2_900 * MILLI);
        assertEquals(5, view(hosts.getFirst()).members().size());
        reconnect(hosts.get(4));
        world.run(world.now + 10 * SECOND);
        hosts.forEach(host -> assertEquals(List.of(), host.removals));
        isolate(hosts.get(4));
        world.run(world.now + 3 * SECOND);
        assertEquals(4, view(hosts.getFirst()).members().size(), "a quorum was heard all the time");
    }

    @Test
    void afterAnOutageADeadMemberIsWaitedForNoLongerThanTheSpan() {
        List<Host> hosts = cluster(Role.AGENT, 5);
        hosts.forEach(this::isolate);
        world.run(world.now + 15 * SECOND);
        world.crash(hosts.get(0), true);
        for (int i = 1; i < 5; i++) {
            for (int j = 1; j < i; j++) {
                world.heal(hosts.get(i), hosts.get(j));
            }
        }
        assertTrue(world.unite(10 * SECOND, "without it") < 5 * SECOND);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 300, 700, 1_500})
    void aSlowDiskCostsNobodyItsPlace(int millis) {
        List<Host> hosts = cluster(Role.AGENT, 3);
        for (int slow = 0; slow < 3; slow++) {
            hosts.get(slow).folder.writeNanos = millis * MILLI;
            Host late = host(4 + slow, Role.AGENT);
            world.unite(20 * SECOND, "join");
            world.run(world.now + 10 * SECOND);
            world.crash(late, false);
            world.hosts.remove(late.id);
            world.unite(20 * SECOND, "kill");
            hosts.get(slow).folder.writeNanos = 0;
        }
        hosts.forEach(host -> assertEquals(List.of(), host.removals));
    }

    @Test
    void aFullDiskIsNoVoteAndHealsByItself() {
        List<Host> hosts = cluster(Role.AGENT, 2);
        hosts.getFirst().folder.isFull = true;
        Host late = host(9, Role.AGENT);
        world.run(world.now + 10 * SECOND);
        assertEquals(1, view(late).members().size());
        assertEquals(2, view(hosts.getFirst()).members().size(), "the vote of rank 0 is needed");
        assertEquals(Optional.of("no space left"), hosts.getFirst().state().diskFault());
        hosts.getFirst().folder.isFull = false;
        world.unite(10 * SECOND, "room again");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void anyProcessOfAHomeMayDie(int rank) {
        List<Host> hosts = home(1, 3);
        world.crash(hosts.get(rank), false);
        assertTrue(world.unite(5 * SECOND, "kill") < 500 * MILLI);
        world.start(hosts.get(rank));
        world.unite(10 * SECOND, "back");
        world.crash(hosts.get(rank), true);
        assertTrue(world.unite(5 * SECOND, "unplug") < 3 * SECOND);
    }

    /** Trainers of one home, in the order of their ranks. */
    private List<Host> home(int machine, int count) {
        var hosts = new ArrayList<Host>();
        for (int slot = 0; slot < count; slot++) {
            hosts.add(world.add(Nodes.trainer(machine, slot), Role.TRAINER, ElectionConfig.DEFAULTS));
            world.start(hosts.getLast());
            world.run(world.now + 600 * MILLI);
            world.unite(5 * SECOND, "start");
        }
        return hosts;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void twoHomesOfTwoProcessesEach(int rank) {
        List<Host> hosts = new ArrayList<>(home(1, 2));
        hosts.addAll(home(2, 2));
        world.crash(hosts.get(rank), false);
        assertTrue(world.unite(5 * SECOND, "kill") < SECOND);
        world.start(hosts.get(rank));
        world.unite(10 * SECOND, "back");
    }

    @Test
    void aRestartedProcessDoesNotBlockTheOthersOfItsHome() {
        List<Host> hosts = home(1, 3);
        world.crash(hosts.getFirst(), false);
        world.start(hosts.getFirst());
        assertTrue(world.unite(10 * SECOND, "restart") < 3 * SECOND);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void processesOfOneSlowDiskDoNotDuel(int seed) {
        world = new World(seed);
        List<Host> hosts = new ArrayList<>(home(1, 3));
        hosts.addAll(home(2, 1));
        hosts.getFirst().folder.writeNanos = 700 * MILLI;
        world.crash(hosts.getLast(), true);
        assertTrue(world.unite(20 * SECOND, "kill") < 9 * SECOND, () -> "took long:" + world.describe());
    }

    @Test
    void aBallotOfAHugeRoundStopsNobody() {
        List<Host> hosts = cluster(Role.AGENT, 4);
        Host liar = hosts.getLast();
        for (Host host : hosts.subList(0, 3)) {
            world.send(liar, host.id, new Message.Prepare(view(liar), new Ballot(1_000_000_000L, liar.id)));
            world.send(liar, host.id, new Message.Prepare(view(liar), new Ballot(Ballot.ROUND_MAX, liar.id)));
        }
        world.run(world.now + 20 * MILLI);
        hosts.subList(0, 3)
                .forEach(host -> assertEquals(2, host.state().refusals().count(MessageRejection.FAR_ROUND)));
        world.crash(liar, false);
        assertTrue(world.unite(20 * SECOND, "without it") < 6 * SECOND);
        world.start(liar);
        world.unite(10 * SECOND, "and with it");
    }

    /** Attack 40. */
    @Test
    void leaveAndStayMakesNoStormOfViewsAndOfWrites() {
        List<Host> hosts = cluster(Role.AGENT, 3);
        Host liar = hosts.getLast();
        long before = view(liar).epoch();
        hosts.forEach(host -> host.folder.writes = 0);
        for (long at = 0; at < 8_500 * MILLI; at += 10 * MILLI) {
            world.at(at, () -> {
                Member me = view(liar).member(liar.id).orElseThrow();
                for (Host host : hosts.subList(0, 2)) {
                    world.send(liar, host.id, new Message.Leave(view(liar).lineage(), me.entryEpoch(), false));
                }
            });
        }
        world.run(world.now + 8_500 * MILLI);
        long views = view(hosts.getFirst()).epoch() - before;
        assertTrue(views <= 8_500 / 300 + 1, views + " views");
        hosts.forEach(host -> assertTrue(
                host.folder.writes <= WRITES_OF_A_CHANGE * (views + 1), host.folder.writes + " writes, " + views));
        world.run(world.now + 5 * SECOND);
        View settled = view(hosts.getFirst());
        assertEquals(3, settled.members().size(), "who answers that it stays is kept");
        hosts.forEach(host -> host.folder.writes = 0);
        world.run(world.now + 5 * SECOND);
        assertEquals(settled, view(hosts.getFirst()));
        hosts.forEach(host -> assertEquals(0, host.folder.writes, "nothing changes, nothing is written"));
    }

    @Test
    void aStaleBiggerViewDissolvesNobody() {
        List<Host> hosts = cluster(Role.AGENT, 3);
        world.pause(hosts.get(2), 60 * SECOND);
        world.run(world.now + 5 * SECOND);
        leave(hosts.get(1));
        world.crash(hosts.get(0), false);
        world.start(hosts.get(0));
        world.start(hosts.get(1));
        world.run(world.now + 20 * SECOND);
        View before = view(hosts.getFirst());
        assertEquals(2, before.members().size());
        world.run(world.now + 25 * SECOND);
        assertEquals(before, view(hosts.getFirst()), "still asleep");
        world.run(world.now + 15 * SECOND);
        world.unite(5 * SECOND, "awake");
        assertEquals(before.lineage(), view(hosts.getFirst()).lineage());
        assertEquals(before.members(), view(hosts.getFirst()).members().subList(0, 2), "neither had to enter again");
    }

    @Test
    void aJoinerBesideAnotherSeatWaitsAndIsToldWhy() {
        List<Host> hosts = new ArrayList<>(cluster(Role.TRAINER, 2));
        hosts.forEach(host -> busy(host, 3));
        hosts.getLast().folder.records.clear();
        Host beside = world.add(Nodes.agent(2), Role.AGENT, ElectionConfig.DEFAULTS);
        world.start(beside);
        world.run(world.now + 5 * SECOND);
        assertEquals(1, view(beside).members().size());
        assertTrue(beside.pending.contains("another process of its machine"), beside.pending);
        assertEquals(List.of(), hosts.getFirst().removals);
    }

    /** Its group does not wait at each step for a joiner that cannot enter whatever the group does. */
    @Test
    void aJoinerBesideAnotherSeatHoldsNobody() {
        List<Host> hosts = new ArrayList<>(cluster(Role.TRAINER, 2));
        hosts.forEach(host -> busy(host, 3));
        hosts.getLast().folder.records.clear();
        Host beside = world.add(Nodes.trainer(2, 1), Role.TRAINER, ElectionConfig.DEFAULTS);
        world.start(beside);
        boundary(beside, 0);
        world.run(world.now + 5 * SECOND);
        assertTrue(beside.pending.contains("another process of its machine"), beside.pending);
        assertFalse(hosts.getFirst().isHeld);
    }

    private void doubled(Host host, Host... machines) {
        var doubled = new TreeSet<PeerId>();
        for (Host machine : machines) {
            doubled.add(machine.id.peer());
        }
        world.view(host, new ViewEvent.Doubled(doubled));
    }

    /** A snapshot of a whole disk: the others find out, and so does each of the two, here the one that was in. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void bothComputersOfOneIdentityWalkOutAndTheOthersGoOn(int copied) {
        List<Host> hosts = cluster(Role.TRAINER, 3);
        hosts.forEach(host -> busy(host, 3));
        Lineage lineage = view(hosts.getFirst()).lineage();
        Host original = hosts.get(copied);
        List<Host> others = new ArrayList<>(hosts);
        others.remove(original);
        others.forEach(other -> doubled(other, original));
        world.run(world.now + 2 * SECOND);
        original.folder.records.clear(); // set aside
        doubled(original, original);
        world.run(world.now + 60 * SECOND);
        assertEquals(1, view(original).members().size());
        assertEquals(1, original.removals.size(), original.removals.toString());
        others.forEach(other -> {
            assertEquals(lineage, view(other).lineage());
            assertEquals(2, view(other).members().size());
            assertEquals(List.of(), other.removals);
        });

        others.forEach(this::doubled); // the copy has an identity of its own
        world.crash(original, false);
        original.status = OpenResolver.OPEN;
        world.start(original);
        others.forEach(other -> boundary(other, 3));
        boundary(original, 0);
        world.unite(10 * SECOND, "started again");
    }

    /** Attack 41: the others saw two of it, and nobody told the original, which therefore needs no restart. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void anIdentityIsItsOwnAgainOnceTheCopyIsGone(int copied) {
        List<Host> hosts = cluster(Role.AGENT, 3);
        Lineage lineage = view(hosts.getFirst()).lineage();
        Host original = hosts.get(copied);
        List<Host> others = new ArrayList<>(hosts);
        others.remove(original);
        others.forEach(other -> doubled(other, original));
        world.run(world.now + 2 * SECOND);
        world.crash(others.getFirst(), false);
        world.run(world.now + 20 * SECOND);
        Host other = others.getLast();
        assertEquals(3, view(other).members().size(), "one vote of three, and that of two computers, decide nothing");
        assertEquals(ElectionState.STALLED, other.state().election());

        doubled(other); // it sees one of it only
        world.unite(10 * SECOND, "the copy is gone");
        assertEquals(2, view(original).members().size());
        assertEquals(lineage, view(original).lineage(), "by the vote of the original");
    }

    /** Attack 21: the one that is put out stays linked for a while and says whatever it likes; it is no part of anything. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoPutsTheFirstOfTwoOutGoesOnAloneInANewLineage(boolean isLinked) {
        List<Host> hosts = cluster(Role.TRAINER, 2);
        hosts.forEach(host -> busy(host, 3));
        Host first = hosts.get(0);
        Host second = hosts.get(1);
        Lineage shared = view(second).lineage();
        assertEquals(first.id, view(second).members().getFirst().node());
        world.view(second, new ViewEvent.Excluded(new TreeSet<>(List.of(first.id.peer()))));
        if (!isLinked) {
            isolate(first);
        }
        world.run(world.now + 3 * SECOND);
        assertNotEquals(shared, view(second).lineage());
        assertEquals(second.id, view(second).lineage().founder());
        assertEquals(
                List.of(second.id),
                view(second).members().stream().map(Member::node).toList());
        assertFalse(second.state().isFrozen());
        world.run(world.now + 60 * SECOND);
        assertEquals(1, view(second).members().size(), "it is not let in again");
    }

    @Test
    void oneBrokenSeniorGoesAndNoneOfTheOthers() {
        List<Host> hosts = cluster(Role.AGENT, 7);
        Host broken = hosts.get(1);
        hosts.subList(2, 7).forEach(other -> world.cutBoth(broken.id, other.id));
        world.run(world.now + 15 * SECOND);
        List<Host> others = new ArrayList<>(hosts);
        others.remove(broken);
        assertEquals(
                others.stream().map(host -> host.id).toList(),
                view(hosts.getFirst()).members().stream().map(Member::node).toList());
        others.forEach(host -> assertEquals(List.of(), host.removals));
    }

    /** A machine whose record was lost joins again without being admitted, ignored and removed in turn. */
    @Test
    void aMachineThatLostItsRecordIsInAgainAfterTwoViews() {
        List<Host> hosts = cluster(Role.AGENT, 3);
        long before = view(hosts.getFirst()).epoch();
        world.crash(hosts.get(2), false);
        world.run(world.now + 5 * SECOND);
        hosts.get(2).folder.records.clear();
        world.start(hosts.get(2));
        world.unite(5 * SECOND, "back");
        world.crash(hosts.get(2), true);
        hosts.get(2).folder.records.clear();
        world.start(hosts.get(2)); // before it is missed: its old seat is still listed
        world.unite(10 * SECOND, "back at once");
        world.run(world.now + 5 * SECOND);
        assertEquals(before + 4, view(hosts.getFirst()).epoch(), world::describe);
    }
}
