package io.hearth.simulation;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.ElectionConfig;
import io.hearth.election.ElectionState;
import io.hearth.election.GroupPhase;
import io.hearth.election.Role;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.simulation.ViewStage.Actor;
import io.hearth.simulation.host.NodeIds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Trainers that enter a running training, and the time at which they do; one story each. */
final class BoundaryScenariosTest {
    private final ViewStage stage = new ViewStage(1);

    private Actor trainer(int machine) {
        Actor host = stage.add(NodeIds.trainer(machine, 0), Role.TRAINER, ElectionConfig.DEFAULTS);
        stage.start(host);
        return host;
    }

    private List<Actor> group(int count) {
        var hosts = new ArrayList<Actor>();
        for (int i = 1; i <= count; i++) {
            hosts.add(trainer(i));
            stage.run(stage.now() + 600 * MILLI);
            stage.unite(5 * SECOND, "start");
        }
        hosts.forEach(host -> busy(host, 3));
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

    private static int members(Actor host) {
        return host.state().view().members().size();
    }

    @Test
    void aLateTrainerEntersWhereAllWaitForTheNextStep() {
        List<Actor> hosts = group(3);
        Actor late = trainer(8);
        boundary(late, 0);
        long epoch = hosts.getFirst().state().view().epoch();
        stage.run(stage.now() + 3 * SECOND);
        assertTrue(hosts.getFirst().isHeld, "the lead delays the next step for it");
        assertFalse(hosts.get(1).isHeld, "no other trainer has to");
        assertTrue(late.isHeld, "it does not begin alone the step that it will begin with them");
        boundary(hosts.get(0), 7);
        boundary(hosts.get(1), 7);
        stage.run(stage.now() + SECOND);
        assertEquals(epoch, hosts.getFirst().state().view().epoch(), "one is still at work, so no trainer is frozen");
        assertTrue(late.pending.contains("when the next step begins"), late.pending);
        boundary(hosts.get(2), 7);
        stage.unite(2 * SECOND, "join");
        assertFalse(hosts.getFirst().isHeld);
        assertFalse(late.isHeld);
        assertEquals("", late.pending);
    }

    @Test
    void aTrainerThatIsNotReadyDelaysNoStep() {
        List<Actor> hosts = group(2);
        Actor late = trainer(8);
        hosts.forEach(host -> boundary(host, 7));
        stage.run(stage.now() + 3 * SECOND);
        assertFalse(hosts.getFirst().isHeld);
        assertEquals(1, members(late));
        assertEquals("its group is already training; beginStep() lets it in", late.pending);
        assertEquals(2, late.state().trainersElsewhere());
        assertTrue(late.state().entersByStep());
        boundary(late, 0);
        stage.unite(3 * SECOND, "ready");
    }

    @Test
    void noStepIsDelayedLongerThanTheSpan() {
        List<Actor> hosts = group(2);
        Actor late = trainer(8);
        boundary(late, 0);
        boundary(hosts.getFirst(), 7);
        stage.run(stage.now() + 4 * SECOND);
        assertTrue(hosts.getFirst().isHeld);
        stage.run(stage.now() + 3 * SECOND);
        assertFalse(hosts.getFirst().isHeld, "the other one does not reach the step");
        assertTrue(late.isHeld, "a trainer that is alone keeps waiting");
        busy(hosts.getFirst(), 8);
        stage.run(stage.now() + 6 * SECOND);
        assertTrue(hosts.getFirst().isHeld, "another try");
        hosts.forEach(host -> boundary(host, 9));
        stage.unite(3 * SECOND, "second try");
    }

    @Test
    void aTrainerThatReportedAnErrorIsRemovedAtOnceAndComesBackByAStep() {
        List<Actor> hosts = group(3);
        Actor failed = hosts.getLast();
        stage.view(failed, new ViewEvent.Resign());
        stage.run(stage.now() + 500 * MILLI);
        assertEquals(1, members(failed));
        assertEquals(2, members(hosts.getFirst()), "no suspicion was needed first");
        stage.run(stage.now() + 3 * SECOND);
        assertEquals(2, members(hosts.getFirst()), "it does not come back by itself");
        assertEquals(1, members(failed));
        boundary(failed, 0);
        boundary(hosts.get(0), 9);
        boundary(hosts.get(1), 9);
        stage.unite(4 * SECOND, "back");
    }

    @Test
    void aTrainerThatResignsAndLeavesStaysUntilItsVoteIsNoLongerNeeded() {
        List<Actor> hosts = group(2);
        Actor senior = hosts.getFirst();
        stage.view(senior, new ViewEvent.Resign());
        stage.view(senior, new ViewEvent.Leave());
        assertFalse(senior.hasLeft, "the other one is no quorum without it");
        stage.run(stage.now() + 2 * SECOND);
        assertTrue(senior.hasLeft);
        assertEquals(1, members(hosts.getLast()));
        assertEquals(ElectionState.MASTER, hosts.getLast().state().election());
    }

    @Test
    void aTrainerThatResignsRepeatedlyWaitsLongerEachTime() {
        List<Actor> hosts = group(2);
        Actor failed = hosts.getLast();
        long last = 0;
        for (int i = 0; i < 3; i++) {
            stage.view(failed, new ViewEvent.Resign());
            boundary(failed, 0);
            boundary(hosts.getFirst(), 9);
            long from = stage.now();
            stage.run(stage.now() + 200 * MILLI);
            stage.unite(20 * SECOND, "back " + i);
            assertTrue(stage.now() - from > last, "time " + i);
            last = stage.now() - from;
        }
        assertTrue(last > 3 * SECOND, "1, 2, 4 s");
    }

    @Test
    void aTrainingThatBeganAloneJoinsTheOthersBetweenTwoSteps() {
        List<Actor> others = group(3);
        Actor alone = trainer(5);
        busy(alone, 40);
        stage.run(stage.now() + 3 * SECOND);
        assertEquals(1, members(alone));
        assertTrue(alone.isHeld);
        boundary(alone, 41);
        others.forEach(host -> boundary(host, 7));
        stage.unite(4 * SECOND, "merge");
        assertTrue(alone.removals.isEmpty(), "it waited between two steps: nothing of it is lost");
    }

    @Test
    void aTrainerThatWaitsForAStepEntersAGroupWithoutCalls() {
        List<Actor> hosts = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            hosts.add(trainer(i));
        }
        stage.unite(5 * SECOND, "start");
        Actor late = trainer(8);
        boundary(late, 0);
        stage.unite(4 * SECOND, "join");
        assertTrue(hosts.getFirst().state().entersByStep(), "its first call has to be the same as the other's");
    }
}
