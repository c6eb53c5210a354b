package io.hearth.election.view;

import static io.hearth.election.view.World.MILLI;
import static io.hearth.election.view.World.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.ElectionConfig;
import io.hearth.election.ElectionState;
import io.hearth.election.GroupPhase;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Nodes;
import io.hearth.election.OpenResolver;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.view.World.Host;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people do to a cluster, one story each, in a world without other faults. */
final class ViewScenariosTest {
    private final World world = new World(1);

    private Host host(int machine, Role role, ElectionConfig config) {
        return world.add(role == Role.AGENT ? Nodes.agent(machine) : Nodes.trainer(machine, 0), role, config);
    }

    /** Trainers that started one after the other and are one view; in the order of their ranks. */
    private List<Host> cluster(int count) {
        return cluster(count, ElectionConfig.DEFAULTS);
    }

    private List<Host> cluster(int count, ElectionConfig config) {
        var hosts = new ArrayList<Host>();
        for (int i = 0; i < count; i++) {
            Host host = host(i + 1, Role.TRAINER, config);
            hosts.add(host);
            world.start(host);
            world.run(world.now + 600 * MILLI);
            world.unite(5 * SECOND, "start");
        }
        world.run(world.now + SECOND);
        return hosts;
    }

    private void train(Host host) {
        host.status = OpenResolver.TRAINING;
        world.view(host, new ViewEvent.Progress(3, GroupPhase.BUSY));
    }

    private static long epoch(Host host) {
        return host.state().view().epoch();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void nodesThatStartTogetherAreOneViewSoon(int count) {
        for (int i = 0; i < count; i++) {
            world.start(host(i + 1, i == 0 ? Role.AGENT : Role.TRAINER, ElectionConfig.DEFAULTS));
        }
        long nanos = world.unite(5 * SECOND, "start");
        assertTrue(nanos < 3 * SECOND, "took " + nanos / MILLI + " ms");
        for (Host host : world.hosts.values()) {
            assertEquals(
                    host.id.equals(host.state().view().members().getFirst().node())
                            ? ElectionState.MASTER
                            : ElectionState.FOLLOWER,
                    host.state().election());
            assertEquals(List.of(), host.removals);
        }
    }

    @Test
    void nobodyBecomesMasterByJoining() {
        List<Host> hosts = cluster(3);
        Host late = host(9, Role.AGENT, ElectionConfig.DEFAULTS);
        world.start(late);
        world.unite(5 * SECOND, "join");
        assertEquals(
                hosts.getFirst().id, late.state().view().members().getFirst().node());
        assertEquals(late.id, late.state().view().members().getLast().node());
    }

    @Test
    void anAgentThatJoinsLeavesTheGroupEpochAlone() {
        List<Host> hosts = cluster(2);
        hosts.forEach(this::train);
        GroupView before = hosts.getFirst().state().view().groupView("job").orElseThrow();
        world.start(host(9, Role.AGENT, ElectionConfig.DEFAULTS));
        world.unite(5 * SECOND, "join");
        assertEquals(before, hosts.getFirst().state().view().groupView("job").orElseThrow());
    }

    @Test
    void aTrainerThatComesToARunningGroupWaitsAndIsToldWhy() {
        List<Host> hosts = cluster(2);
        hosts.forEach(this::train);
        world.run(world.now + 500 * MILLI);
        long epoch = epoch(hosts.getFirst());
        Host late = host(9, Role.TRAINER, ElectionConfig.DEFAULTS);
        world.start(late);
        world.run(world.now + 10 * SECOND);
        assertEquals(1, late.state().view().members().size());
        assertEquals("its group is training; it enters when the next step begins", late.pending);
        assertEquals(epoch, epoch(hosts.getFirst()), "nobody is frozen for a joiner who cannot enter");
        hosts.forEach(host -> {
            host.status = OpenResolver.OPEN;
            world.view(host, new ViewEvent.Progress(0, GroupPhase.FRESH));
        });
        world.unite(5 * SECOND, "opened");
        assertEquals("", late.pending);
    }

    @Test
    void theCollectivesHaveTheLastWordAboutJoiners() {
        List<Host> hosts = cluster(2);
        hosts.getLast().status = OpenResolver.TRAINING; // its heartbeats still say open
        Host late = host(9, Role.TRAINER, ElectionConfig.DEFAULTS);
        world.start(late);
        world.run(world.now + 5 * SECOND);
        assertEquals(1, late.state().view().members().size());
        assertEquals("group job is training", late.pending);
        assertEquals(2, hosts.getFirst().state().view().members().size());
    }

    @Test
    void aTrainerThatBeganAloneJoinsNobody() {
        Host alone = host(5, Role.TRAINER, ElectionConfig.DEFAULTS);
        alone.status = OpenResolver.TRAINING;
        world.start(alone);
        List<Host> others = new ArrayList<>();
        for (int i = 1; i < 4; i++) {
            others.add(host(i, Role.TRAINER, ElectionConfig.DEFAULTS));
            world.start(others.getLast());
        }
        world.run(10 * SECOND);
        assertEquals(1, alone.state().view().members().size());
        assertTrue(alone.pending.contains("works alone"), alone.pending);
        assertEquals(3, others.getFirst().state().view().members().size());
    }

    @Test
    void clustersThatMeetBecomeOneByATombstone() {
        for (int i = 1; i <= 5; i++) {
            host(i, Role.TRAINER, ElectionConfig.DEFAULTS);
        }
        List<Host> hosts = List.copyOf(world.hosts.values());
        for (Host one : hosts.subList(0, 2)) {
            hosts.subList(2, 5).forEach(other -> world.cutBoth(one.id, other.id));
        }
        hosts.forEach(world::start);
        world.run(5 * SECOND);
        assertNotEquals(
                hosts.get(0).state().view().lineage(),
                hosts.get(4).state().view().lineage());
        Lineage bigger = hosts.get(4).state().view().lineage();
        world.healAll();
        world.unite(10 * SECOND, "merge");
        assertEquals(bigger, hosts.getFirst().state().view().lineage());
        hosts.forEach(host -> assertEquals(List.of(), host.removals));
    }

    @Test
    void aClusterThatTrainsDoesNotDissolve() {
        for (int i = 1; i <= 5; i++) {
            host(i, Role.TRAINER, ElectionConfig.DEFAULTS);
        }
        List<Host> hosts = List.copyOf(world.hosts.values());
        for (Host one : hosts.subList(0, 2)) {
            hosts.subList(2, 5).forEach(other -> world.cutBoth(one.id, other.id));
        }
        hosts.forEach(world::start);
        world.run(5 * SECOND);
        hosts.subList(0, 2).forEach(this::train);
        View before = hosts.getFirst().state().view();
        world.healAll();
        world.run(world.now + 20 * SECOND);
        assertEquals(before, hosts.getFirst().state().view());
    }

    @Test
    void aMemberLeavesInGoodOrderAndNobodyHoldsItAgainstIt() {
        List<Host> hosts = cluster(3);
        Host leaver = hosts.get(1);
        world.view(leaver, new ViewEvent.Leave());
        world.run(world.now + 2 * SECOND);
        assertTrue(leaver.hasLeft);
        assertEquals(List.of(), leaver.removals);
        assertEquals(2, hosts.getFirst().state().view().members().size());
        world.start(leaver);
        assertTrue(world.unite(5 * SECOND, "return") < 2 * SECOND);
    }

    @Test
    void theMasterLeavesAndTheNextInRankFollows() {
        List<Host> hosts = cluster(2);
        world.view(hosts.getFirst(), new ViewEvent.Leave());
        world.run(world.now + 3 * SECOND);
        assertTrue(hosts.getFirst().hasLeft);
        assertEquals(ElectionState.MASTER, hosts.getLast().state().election());
    }

    @Test
    void aLeaverWaitsUntilTheOthersHaveWhatItHas() {
        List<Host> hosts = cluster(2);
        world.view(hosts.getLast(), new ViewEvent.Progress(7, GroupPhase.BUSY));
        world.view(hosts.getFirst(), new ViewEvent.Progress(6, GroupPhase.BUSY));
        world.run(world.now + SECOND);
        world.view(hosts.getLast(), new ViewEvent.Leave());
        world.run(world.now + 3 * SECOND);
        assertFalse(hosts.getLast().hasLeft, "it left before the other had its result");
        world.view(hosts.getFirst(), new ViewEvent.Progress(7, GroupPhase.BUSY));
        world.run(world.now + 2 * SECOND);
        assertTrue(hosts.getLast().hasLeft);
    }

    @Test
    void aJoinDoesNotPutALeaverOutBeforeTheOthersHaveWhatItHas() {
        List<Host> hosts = cluster(2);
        world.view(hosts.getLast(), new ViewEvent.Progress(7, GroupPhase.BUSY));
        world.view(hosts.getFirst(), new ViewEvent.Progress(6, GroupPhase.BUSY));
        world.run(world.now + SECOND);
        world.view(hosts.getLast(), new ViewEvent.Leave());
        world.start(host(9, Role.AGENT, ElectionConfig.DEFAULTS));
        world.unite(3 * SECOND, "join");
        assertFalse(hosts.getLast().hasLeft, "it left before the other had its result");
        world.view(hosts.getFirst(), new ViewEvent.Progress(7, GroupPhase.BUSY));
        world.run(world.now + 2 * SECOND);
        assertTrue(hosts.getLast().hasLeft);
    }

    @Test
    void allLeaveAtTheEndOfAJob() {
        List<Host> hosts = cluster(4);
        hosts.forEach(host -> world.view(host, new ViewEvent.Leave()));
        world.run(world.now + 2 * SECOND);
        hosts.forEach(host -> assertTrue(host.hasLeft, host.id.shortText() + " still waits"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aKilledMemberIsOutAtOnceWhoeverItIs(int rank) {
        List<Host> hosts = cluster(3);
        world.crash(hosts.get(rank), false);
        assertTrue(world.unite(5 * SECOND, "kill") < 250 * MILLI);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void anUnpluggedMemberIsOutInTwoSecondsAndAHalf(int rank) {
        List<Host> hosts = cluster(3);
        world.crash(hosts.get(rank), true);
        assertTrue(world.unite(5 * SECOND, "unplug") < 2_500 * MILLI);
    }

    @Test
    void aPauseOfASecondDuringAJoinIsNoDeath() {
        List<Host> hosts = cluster(3);
        world.pause(hosts.get(1), SECOND);
        world.start(host(9, Role.AGENT, ElectionConfig.DEFAULTS));
        world.unite(5 * SECOND, "join");
        world.run(world.now + 2 * SECOND);
        assertEquals(List.of(), hosts.get(1).removals);
        assertEquals(4, hosts.get(1).state().view().members().size());
    }

    @Test
    void ofTwoTheSeniorSurvivesTheJunior() {
        List<Host> hosts = cluster(2);
        world.crash(hosts.getLast(), true);
        world.run(world.now + 3 * SECOND);
        assertEquals(1, hosts.getFirst().state().view().members().size());
        assertEquals(ElectionState.MASTER, hosts.getFirst().state().election());
    }

    @Test
    void ofTwoTheJuniorStallsWithoutTheSeniorUntilItIsBack() {
        List<Host> hosts = cluster(2);
        long epoch = epoch(hosts.getLast());
        world.crash(hosts.getFirst(), true);
        world.run(world.now + 10 * SECOND);
        assertEquals(ElectionState.STALLED, hosts.getLast().state().election());
        assertEquals(epoch, epoch(hosts.getLast()));
        world.start(hosts.getFirst());
        world.unite(10 * SECOND, "return");
        assertEquals(
                hosts.getLast().id,
                hosts.getFirst().state().view().members().getFirst().node());
        assertEquals(List.of(), hosts.getLast().removals, "who stayed was not removed");
    }

    @Test
    void aRestartedNodeIsANewMember() {
        List<Host> hosts = cluster(3);
        Host host = hosts.getFirst();
        world.crash(host, false);
        world.start(host);
        world.unite(10 * SECOND, "restart");
        Member member = host.state().view().member(host.id).orElseThrow();
        assertEquals(2, member.incarnation());
        assertTrue(member.entryEpoch() > 3, "entered anew");
        assertNotEquals(host.id, host.state().view().members().getFirst().node());
    }

    @Test
    void theMinorityStallsAndIsToldWhenItIsOver() {
        List<Host> hosts = cluster(5);
        for (Host one : hosts.subList(0, 2)) {
            hosts.subList(2, 5).forEach(other -> world.cutBoth(one.id, other.id));
        }
        world.run(world.now + 8 * SECOND);
        hosts.subList(0, 2)
                .forEach(
                        host -> assertEquals(ElectionState.STALLED, host.state().election()));
        assertEquals(3, hosts.get(4).state().view().members().size());
        world.healAll();
        world.unite(20 * SECOND, "heal");
        hosts.subList(0, 2).forEach(host -> assertEquals(1, host.removals.size()));
        assertEquals(
                hosts.get(2).id,
                hosts.getFirst().state().view().members().getFirst().node());
    }

    @Test
    void ofAnEvenSplitOnlyTheSideOfTheMasterGoesOn() {
        List<Host> hosts = cluster(4);
        for (Host one : hosts.subList(0, 2)) {
            hosts.subList(2, 4).forEach(other -> world.cutBoth(one.id, other.id));
        }
        world.run(world.now + 8 * SECOND);
        assertEquals(2, hosts.getFirst().state().view().members().size());
        assertEquals(ElectionState.STALLED, hosts.getLast().state().election());
    }

    @Test
    void whoGoesOnAloneOnPurposeYieldsLater() {
        List<Host> hosts = cluster(5, ElectionConfig.DEFAULTS.onPartition(ElectionConfig.OnPartition.CONTINUE));
        for (Host one : hosts.subList(0, 2)) {
            hosts.subList(2, 5).forEach(other -> world.cutBoth(one.id, other.id));
        }
        world.run(world.now + 15 * SECOND);
        View alone = hosts.getFirst().state().view();
        assertTrue(alone.lineage().continued());
        assertEquals(2, alone.members().size());
        world.healAll();
        world.unite(20 * SECOND, "heal");
        assertFalse(hosts.getFirst().state().view().lineage().continued());
    }

    @Test
    void aBrokenPairCostsItsJuniorOnceAndNotAStorm() {
        List<Host> hosts = cluster(3);
        long before = epoch(hosts.getFirst());
        world.cutBoth(hosts.get(1).id, hosts.get(2).id);
        world.run(world.now + 12 * SECOND);
        assertEquals(
                List.of(hosts.get(0).id, hosts.get(1).id),
                hosts.getFirst().state().view().members().stream()
                        .map(Member::node)
                        .toList());
        assertTrue(hosts.get(2).pending.contains("cannot reach it"), hosts.get(2).pending);
        assertTrue(epoch(hosts.getFirst()) <= before + 3, "views: " + (epoch(hosts.getFirst()) - before));
        world.healAll();
        world.unite(20 * SECOND, "heal");
    }

    @Test
    void aFlappingNodeWaitsLongerEachTime() {
        List<Host> hosts = cluster(3);
        var waits = new ArrayList<Long>();
        for (int i = 0; i < 4; i++) {
            for (Host other : hosts.subList(0, 2)) {
                world.cutBoth(hosts.get(2).id, other.id);
            }
            world.run(world.now + 4 * SECOND);
            assertEquals(2, hosts.getFirst().state().view().members().size());
            hosts.getFirst()
                    .state()
                    .admission()
                    .holdDowns()
                    .values()
                    .forEach(hold -> waits.add(hold.spanNanos() / SECOND));
            world.healAll();
            world.unite(30 * SECOND, "flap");
        }
        assertEquals(List.of(1L, 2L, 4L, 8L), waits);
    }

    @Test
    void aBrokenStreamGivesTheGroupANewEpochWithTheSameMembers() {
        List<Host> hosts = cluster(3);
        View before = hosts.getFirst().state().view();
        hosts.get(1).status = OpenResolver.BROKEN;
        world.view(hosts.get(1), new ViewEvent.GroupBroken(hosts.get(2).id, "reset by peer"));
        world.run(world.now + SECOND);
        hosts.get(1).status = OpenResolver.OPEN;
        world.run(world.now + 3 * SECOND);
        View after = hosts.getFirst().state().view();
        assertEquals(before.members(), after.members());
        assertEquals(before.epoch() + 1, after.epoch());
        assertEquals(after.epoch(), after.groupView("job").orElseThrow().epoch());
    }

    @Test
    void manyTrainersOfOneMachineHaveOneVote() {
        List<Host> hosts = cluster(3);
        for (int slot = 1; slot <= 3; slot++) {
            world.start(world.add(Nodes.trainer(3, slot), Role.TRAINER, ElectionConfig.DEFAULTS));
        }
        world.unite(10 * SECOND, "start");
        world.hosts.values().stream()
                .filter(host -> host.id.peer().equals(hosts.get(2).id.peer()))
                .forEach(host -> world.crash(host, true));
        world.unite(5 * SECOND, "loss");
        assertEquals(2, hosts.getFirst().state().view().members().size());
    }

    @Test
    void aMachineThatLostItsDiskHasNoVoteInItsOldMembership() {
        List<Host> hosts = cluster(3);
        Host host = hosts.get(1);
        Lineage lineage = host.state().view().lineage();
        world.crash(host, false);
        host.folder.records.clear();
        world.crash(hosts.get(2), true);
        world.start(host);
        world.run(world.now + 10 * SECOND);
        assertEquals(ElectionState.STALLED, hosts.getFirst().state().election(), "one vote of three is no quorum");
        assertEquals(lineage, hosts.getFirst().state().view().lineage());
        world.start(hosts.get(2));
        world.unite(20 * SECOND, "second vote");
    }
}
