package io.hearth.simulation;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;
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
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.simulation.ViewStage.Actor;
import io.hearth.simulation.host.NodeIds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Actions of people on a cluster, one story each, without other faults. */
final class ViewScenariosTest {
    private final ViewStage stage = new ViewStage(1);

    private Actor host(int machine, Role role, ElectionConfig config) {
        return stage.add(role == Role.AGENT ? NodeIds.agent(machine) : NodeIds.trainer(machine, 0), role, config);
    }

    /** Trainers that started one after the other and are one view; in the order of their ranks. */
    private List<Actor> cluster(int count) {
        return cluster(count, ElectionConfig.DEFAULTS);
    }

    private List<Actor> cluster(int count, ElectionConfig config) {
        var hosts = new ArrayList<Actor>();
        for (int i = 0; i < count; i++) {
            Actor host = host(i + 1, Role.TRAINER, config);
            hosts.add(host);
            stage.start(host);
            stage.run(stage.now() + 600 * MILLI);
            stage.unite(5 * SECOND, "start");
        }
        stage.run(stage.now() + SECOND);
        return hosts;
    }

    private void train(Actor host) {
        host.status = ViewStage.TRAINING;
        stage.view(host, new ViewEvent.Progress(3, GroupPhase.BUSY));
    }

    private static long epoch(Actor host) {
        return host.state().view().epoch();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void nodesThatStartTogetherSoonFormOneView(int count) {
        for (int i = 0; i < count; i++) {
            stage.start(host(i + 1, i == 0 ? Role.AGENT : Role.TRAINER, ElectionConfig.DEFAULTS));
        }
        long nanos = stage.unite(5 * SECOND, "start");
        assertTrue(nanos < 3 * SECOND, "took " + nanos / MILLI + " ms");
        for (Actor host : stage.hosts.values()) {
            assertEquals(
                    host.id.equals(host.state().view().members().getFirst().node())
                            ? ElectionState.MASTER
                            : ElectionState.FOLLOWER,
                    host.state().election());
            assertEquals(List.of(), host.removals);
        }
    }

    @Test
    void aJoinerDoesNotBecomeMaster() {
        List<Actor> hosts = cluster(3);
        Actor late = host(8, Role.AGENT, ElectionConfig.DEFAULTS);
        stage.start(late);
        stage.unite(5 * SECOND, "join");
        assertEquals(
                hosts.getFirst().id, late.state().view().members().getFirst().node());
        assertEquals(late.id, late.state().view().members().getLast().node());
    }

    @Test
    void anAgentThatJoinsLeavesTheGroupEpochAlone() {
        List<Actor> hosts = cluster(2);
        hosts.forEach(this::train);
        GroupView before = hosts.getFirst().state().view().groupView("job").orElseThrow();
        stage.start(host(8, Role.AGENT, ElectionConfig.DEFAULTS));
        stage.unite(5 * SECOND, "join");
        assertEquals(before, hosts.getFirst().state().view().groupView("job").orElseThrow());
    }

    @Test
    void aTrainerThatComesToARunningGroupWaitsAndLearnsTheReason() {
        List<Actor> hosts = cluster(2);
        hosts.forEach(this::train);
        stage.run(stage.now() + 500 * MILLI);
        long epoch = epoch(hosts.getFirst());
        Actor late = host(8, Role.TRAINER, ElectionConfig.DEFAULTS);
        stage.start(late);
        stage.run(stage.now() + 10 * SECOND);
        assertEquals(1, late.state().view().members().size());
        assertEquals("its group is training; it enters when the next step begins", late.pending);
        assertEquals(epoch, epoch(hosts.getFirst()), "no member freezes for a joiner that cannot enter");
        hosts.forEach(host -> {
            host.status = ViewStage.OPEN;
            stage.view(host, new ViewEvent.Progress(0, GroupPhase.FRESH));
        });
        stage.unite(5 * SECOND, "opened");
        assertEquals("", late.pending);
    }

    @Test
    void theFrozenStatusDecidesAboutJoiners() {
        List<Actor> hosts = cluster(2);
        hosts.getLast().status = ViewStage.TRAINING; // its heartbeats still report an open group
        Actor late = host(8, Role.TRAINER, ElectionConfig.DEFAULTS);
        stage.start(late);
        stage.run(stage.now() + 5 * SECOND);
        assertEquals(1, late.state().view().members().size());
        assertEquals("group 'job' is in the middle of a step; it admits trainers when the next begins", late.pending);
        assertEquals(2, hosts.getFirst().state().view().members().size());
    }

    @Test
    void aTrainerThatBeganAloneJoinsNoOther() {
        Actor alone = host(5, Role.TRAINER, ElectionConfig.DEFAULTS);
        alone.status = ViewStage.TRAINING;
        stage.start(alone);
        List<Actor> others = new ArrayList<>();
        for (int i = 1; i < 4; i++) {
            others.add(host(i, Role.TRAINER, ElectionConfig.DEFAULTS));
            stage.start(others.getLast());
        }
        stage.run(10 * SECOND);
        assertEquals(1, alone.state().view().members().size());
        assertTrue(alone.pending.contains("works alone"), alone.pending);
        assertEquals(3, others.getFirst().state().view().members().size());
    }

    @Test
    void clustersThatMeetMergeThroughATombstone() {
        for (int i = 1; i <= 5; i++) {
            host(i, Role.TRAINER, ElectionConfig.DEFAULTS);
        }
        List<Actor> hosts = List.copyOf(stage.hosts.values());
        for (Actor one : hosts.subList(0, 2)) {
            hosts.subList(2, 5).forEach(other -> stage.cutBoth(one.id, other.id));
        }
        hosts.forEach(stage::start);
        stage.run(5 * SECOND);
        assertNotEquals(
                hosts.get(0).state().view().lineage(),
                hosts.get(4).state().view().lineage());
        Lineage bigger = hosts.get(4).state().view().lineage();
        stage.healAll();
        stage.unite(10 * SECOND, "merge");
        assertEquals(bigger, hosts.getFirst().state().view().lineage());
        hosts.forEach(host -> assertEquals(List.of(), host.removals));
    }

    @Test
    void aClusterThatTrainsDoesNotDissolve() {
        for (int i = 1; i <= 5; i++) {
            host(i, Role.TRAINER, ElectionConfig.DEFAULTS);
        }
        List<Actor> hosts = List.copyOf(stage.hosts.values());
        for (Actor one : hosts.subList(0, 2)) {
            hosts.subList(2, 5).forEach(other -> stage.cutBoth(one.id, other.id));
        }
        hosts.forEach(stage::start);
        stage.run(5 * SECOND);
        hosts.subList(0, 2).forEach(this::train);
        View before = hosts.getFirst().state().view();
        stage.healAll();
        stage.run(stage.now() + 20 * SECOND);
        assertEquals(before, hosts.getFirst().state().view());
    }

    @Test
    void aMemberThatLeavesInGoodOrderMayEnterAgainAtOnce() {
        List<Actor> hosts = cluster(3);
        Actor leaver = hosts.get(1);
        stage.view(leaver, new ViewEvent.Leave());
        stage.run(stage.now() + 2 * SECOND);
        assertTrue(leaver.hasLeft);
        assertEquals(List.of(), leaver.removals);
        assertEquals(2, hosts.getFirst().state().view().members().size());
        stage.start(leaver);
        assertTrue(stage.unite(5 * SECOND, "return") < 2 * SECOND);
    }

    @Test
    void theMasterLeavesAndTheNextInRankFollows() {
        List<Actor> hosts = cluster(2);
        stage.view(hosts.getFirst(), new ViewEvent.Leave());
        stage.run(stage.now() + 3 * SECOND);
        assertTrue(hosts.getFirst().hasLeft);
        assertEquals(ElectionState.MASTER, hosts.getLast().state().election());
    }

    @Test
    void aLeaverWaitsUntilTheOthersHaveItsResults() {
        List<Actor> hosts = cluster(2);
        stage.view(hosts.getLast(), new ViewEvent.Progress(7, GroupPhase.BUSY));
        stage.view(hosts.getFirst(), new ViewEvent.Progress(6, GroupPhase.BUSY));
        stage.run(stage.now() + SECOND);
        stage.view(hosts.getLast(), new ViewEvent.Leave());
        stage.run(stage.now() + 3 * SECOND);
        assertFalse(hosts.getLast().hasLeft, "it left before the other had its result");
        stage.view(hosts.getFirst(), new ViewEvent.Progress(7, GroupPhase.BUSY));
        stage.run(stage.now() + 2 * SECOND);
        assertTrue(hosts.getLast().hasLeft);
    }

    @Test
    void aJoinDoesNotRemoveALeaverBeforeTheOthersHaveItsResults() {
        List<Actor> hosts = cluster(2);
        stage.view(hosts.getLast(), new ViewEvent.Progress(7, GroupPhase.BUSY));
        stage.view(hosts.getFirst(), new ViewEvent.Progress(6, GroupPhase.BUSY));
        stage.run(stage.now() + SECOND);
        stage.view(hosts.getLast(), new ViewEvent.Leave());
        stage.start(host(8, Role.AGENT, ElectionConfig.DEFAULTS));
        stage.unite(3 * SECOND, "join");
        assertFalse(hosts.getLast().hasLeft, "it left before the other had its result");
        stage.view(hosts.getFirst(), new ViewEvent.Progress(7, GroupPhase.BUSY));
        stage.run(stage.now() + 2 * SECOND);
        assertTrue(hosts.getLast().hasLeft);
    }

    @Test
    void allLeaveAtTheEndOfAJob() {
        List<Actor> hosts = cluster(4);
        hosts.forEach(host -> stage.view(host, new ViewEvent.Leave()));
        stage.run(stage.now() + 2 * SECOND);
        hosts.forEach(host -> assertTrue(host.hasLeft, host.id.shortText() + " still waits"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void anyKilledMemberIsRemovedAtOnce(int rank) {
        List<Actor> hosts = cluster(3);
        stage.crash(hosts.get(rank), false);
        assertTrue(stage.unite(5 * SECOND, "kill") < 250 * MILLI);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void anUnpluggedMemberIsRemovedInTwoSecondsAndAHalf(int rank) {
        List<Actor> hosts = cluster(3);
        stage.crash(hosts.get(rank), true);
        assertTrue(stage.unite(5 * SECOND, "unplug") < 2_500 * MILLI);
    }

    @Test
    void aPauseOfASecondDuringAJoinIsNoDeath() {
        List<Actor> hosts = cluster(3);
        stage.pause(hosts.get(1), SECOND);
        stage.start(host(8, Role.AGENT, ElectionConfig.DEFAULTS));
        stage.unite(5 * SECOND, "join");
        stage.run(stage.now() + 2 * SECOND);
        assertEquals(List.of(), hosts.get(1).removals);
        assertEquals(4, hosts.get(1).state().view().members().size());
    }

    @Test
    void theSeniorOfTwoGoesOnWithoutTheJunior() {
        List<Actor> hosts = cluster(2);
        stage.crash(hosts.getLast(), true);
        stage.run(stage.now() + 3 * SECOND);
        assertEquals(1, hosts.getFirst().state().view().members().size());
        assertEquals(ElectionState.MASTER, hosts.getFirst().state().election());
    }

    @Test
    void theJuniorOfTwoStallsUntilTheSeniorIsBack() {
        List<Actor> hosts = cluster(2);
        long epoch = epoch(hosts.getLast());
        stage.crash(hosts.getFirst(), true);
        stage.run(stage.now() + 10 * SECOND);
        assertEquals(ElectionState.STALLED, hosts.getLast().state().election());
        assertEquals(epoch, epoch(hosts.getLast()));
        stage.start(hosts.getFirst());
        stage.unite(10 * SECOND, "return");
        assertEquals(
                hosts.getLast().id,
                hosts.getFirst().state().view().members().getFirst().node());
        assertEquals(List.of(), hosts.getLast().removals, "a member that stayed was not removed");
    }

    @Test
    void aRestartedNodeIsANewMember() {
        List<Actor> hosts = cluster(3);
        Actor host = hosts.getFirst();
        stage.crash(host, false);
        stage.start(host);
        stage.unite(10 * SECOND, "restart");
        Member member = host.state().view().member(host.id).orElseThrow();
        assertEquals(2, member.incarnation());
        assertTrue(member.entryEpoch() > 3, "entered anew");
        assertNotEquals(host.id, host.state().view().members().getFirst().node());
    }

    @Test
    void theMinorityStallsAndLearnsOfItsRemovalWhenTheSplitEnds() {
        List<Actor> hosts = cluster(5);
        for (Actor one : hosts.subList(0, 2)) {
            hosts.subList(2, 5).forEach(other -> stage.cutBoth(one.id, other.id));
        }
        stage.run(stage.now() + 8 * SECOND);
        hosts.subList(0, 2)
                .forEach(
                        host -> assertEquals(ElectionState.STALLED, host.state().election()));
        assertEquals(3, hosts.get(4).state().view().members().size());
        stage.healAll();
        stage.unite(20 * SECOND, "heal");
        hosts.subList(0, 2).forEach(host -> assertEquals(1, host.removals.size()));
        assertEquals(
                hosts.get(2).id,
                hosts.getFirst().state().view().members().getFirst().node());
    }

    @Test
    void inAnEvenSplitOnlyTheSideOfTheMasterGoesOn() {
        List<Actor> hosts = cluster(4);
        for (Actor one : hosts.subList(0, 2)) {
            hosts.subList(2, 4).forEach(other -> stage.cutBoth(one.id, other.id));
        }
        stage.run(stage.now() + 8 * SECOND);
        assertEquals(2, hosts.getFirst().state().view().members().size());
        assertEquals(ElectionState.STALLED, hosts.getLast().state().election());
    }

    @Test
    void aMinorityThatContinuesJoinsTheMajorityLater() {
        List<Actor> hosts = cluster(5, ElectionConfig.DEFAULTS.onPartition(ElectionConfig.OnPartition.CONTINUE));
        for (Actor one : hosts.subList(0, 2)) {
            hosts.subList(2, 5).forEach(other -> stage.cutBoth(one.id, other.id));
        }
        stage.run(stage.now() + 15 * SECOND);
        View alone = hosts.getFirst().state().view();
        assertTrue(alone.lineage().continued());
        assertEquals(2, alone.members().size());
        stage.healAll();
        stage.unite(20 * SECOND, "heal");
        assertFalse(hosts.getFirst().state().view().lineage().continued());
    }

    @Test
    void aBrokenPairRemovesItsJuniorOnce() {
        List<Actor> hosts = cluster(3);
        long before = epoch(hosts.getFirst());
        stage.cutBoth(hosts.get(1).id, hosts.get(2).id);
        stage.run(stage.now() + 12 * SECOND);
        assertEquals(
                List.of(hosts.get(0).id, hosts.get(1).id),
                hosts.getFirst().state().view().members().stream()
                        .map(Member::node)
                        .toList());
        assertTrue(hosts.get(2).pending.contains("cannot reach it"), hosts.get(2).pending);
        assertTrue(epoch(hosts.getFirst()) <= before + 3, "views: " + (epoch(hosts.getFirst()) - before));
        stage.healAll();
        stage.unite(20 * SECOND, "heal");
    }

    @Test
    void aFlappingNodeWaitsLongerEachTime() {
        List<Actor> hosts = cluster(3);
        for (long span : List.of(1L, 2L, 4L, 8L)) {
            for (Actor other : hosts.subList(0, 2)) {
                stage.cutBoth(hosts.get(2).id, other.id);
            }
            stage.await(() -> hosts.getFirst().state().view().members().size() == 2, 4 * SECOND, "removal");
            long removed = stage.now();
            stage.healAll();
            stage.unite(30 * SECOND, "flap");
            long waited = stage.now() - removed;
            assertTrue(
                    waited >= span * SECOND && waited < (span + 2) * SECOND,
                    "waited " + waited / MILLI + " ms in place of " + span + " s");
        }
    }

    @Test
    void aBrokenStreamGivesTheGroupANewEpochWithTheSameMembers() {
        List<Actor> hosts = cluster(3);
        View before = hosts.getFirst().state().view();
        hosts.get(1).status = ViewStage.BROKEN;
        stage.view(hosts.get(1), new ViewEvent.GroupBroken(hosts.get(2).id, "reset by peer"));
        stage.run(stage.now() + SECOND);
        hosts.get(1).status = ViewStage.OPEN;
        stage.run(stage.now() + 3 * SECOND);
        View after = hosts.getFirst().state().view();
        assertEquals(before.members(), after.members());
        assertEquals(before.epoch() + 1, after.epoch());
        assertEquals(after.epoch(), after.groupView("job").orElseThrow().epoch());
    }

    @Test
    void manyTrainersOfOneMachineHaveOneVote() {
        List<Actor> hosts = cluster(3);
        for (int slot = 1; slot <= 3; slot++) {
            stage.start(stage.add(NodeIds.trainer(3, slot), Role.TRAINER, ElectionConfig.DEFAULTS));
        }
        stage.unite(10 * SECOND, "start");
        stage.hosts.values().stream()
                .filter(host -> host.id.peer().equals(hosts.get(2).id.peer()))
                .forEach(host -> stage.crash(host, true));
        stage.unite(5 * SECOND, "loss");
        assertEquals(2, hosts.getFirst().state().view().members().size());
    }

    @Test
    void aMachineThatLostItsDiskHasNoVoteInItsOldMembership() {
        List<Actor> hosts = cluster(3);
        Actor host = hosts.get(1);
        Lineage lineage = host.state().view().lineage();
        stage.crash(host, false);
        host.folder.lose();
        stage.crash(hosts.get(2), true);
        stage.start(host);
        stage.run(stage.now() + 10 * SECOND);
        assertEquals(ElectionState.STALLED, hosts.getFirst().state().election(), "one vote of three is no quorum");
        assertEquals(lineage, hosts.getFirst().state().view().lineage());
        stage.start(hosts.get(2));
        stage.unite(20 * SECOND, "second vote");
    }
}
