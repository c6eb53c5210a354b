package io.hearth.election.view;

import static io.hearth.election.view.World.MILLI;
import static io.hearth.election.view.World.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.ElectionConfig;
import io.hearth.election.ElectionState;
import io.hearth.election.GroupPhase;
import io.hearth.election.Nodes;
import io.hearth.election.OpenResolver;
import io.hearth.election.Role;
import io.hearth.election.view.World.Host;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who enters a training at work, and when; one story each. */
final class BoundaryScenariosTest {
    private final World world = new World(1);

    private Host trainer(int machine) {
        Host host = world.add(Nodes.trainer(machine, 0), Role.TRAINER, ElectionConfig.DEFAULTS);
        world.start(host);
        return host;
    }

    private List<Host> group(int count) {
        var hosts = new ArrayList<Host>();
        for (int i = 1; i <= count; i++) {
            hosts.add(trainer(i));
            world.run(world.now + 600 * MILLI);
            world.unite(5 * SECOND, "start");
        }
        hosts.forEach(host -> busy(host, 3));
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

    private static int members(Host host) {
        return host.state().view().members().size();
    }

    @Test
    void aLateTrainerEntersWhereAllWaitForTheNextStep() {
        List<Host> hosts = group(3);
        Host late = trainer(9);
        boundary(late, 0);
        long epoch = hosts.getFirst().state().view().epoch();
        world.run(world.now + 3 * SECOND);
        assertTrue(hosts.getFirst().isHeld, "the lead keeps the next step for it");
        assertFalse(hosts.get(1).isHeld, "nobody else has to");
        assertTrue(late.isHeld, "it does not begin alone what it is going to begin with them");
        boundary(hosts.get(0), 7);
        boundary(hosts.get(1), 7);
        world.run(world.now + SECOND);
        assertEquals(epoch, hosts.getFirst().state().view().epoch(), "one is still at work: nobody is frozen");
        assertTrue(late.pending.contains("when the next step begins"), late.pending);
        boundary(hosts.get(2), 7);
        world.unite(2 * SECOND, "join");
        assertFalse(hosts.getFirst().isHeld);
        assertFalse(late.isHeld);
        assertEquals("", late.pending);
    }

    @Test
    void aTrainerThatIsNotReadyHoldsNobody() {
        List<Host> hosts = group(2);
        Host late = trainer(9);
        hosts.forEach(host -> boundary(host, 7));
        world.run(world.now + 3 * SECOND);
        assertFalse(hosts.getFirst().isHeld);
        assertEquals(1, members(late));
        assertEquals("its group is already training; beginStep() lets it in", late.pending);
        assertEquals(2, late.state().trainersElsewhere());
        assertTrue(late.state().entersByStep());
        boundary(late, 0);
        world.unite(3 * SECOND, "ready");
    }

    @Test
    void nobodyIsHeldForLongerThanTheSpan() {
        List<Host> hosts = group(2);
        Host late = trainer(9);
        boundary(late, 0);
        boundary(hosts.getFirst(), 7);
        world.run(world.now + 4 * SECOND);
        assertTrue(hosts.getFirst().isHeld);
        world.run(world.now + 3 * SECOND);
        assertFalse(hosts.getFirst().isHeld, "the other one does not come");
        assertTrue(late.isHeld, "who is alone waits on");
        busy(hosts.getFirst(), 8);
        world.run(world.now + 6 * SECOND);
        assertTrue(hosts.getFirst().isHeld, "another try");
        hosts.forEach(host -> boundary(host, 9));
        world.unite(3 * SECOND, "second try");
    }

    @Test
    void whoGaveAnErrorToItsApplicationIsOutAtOnceAndComesBackByAStep() {
        List<Host> hosts = group(3);
        Host failed = hosts.getLast();
        world.view(failed, new ViewEvent.Resign());
        world.run(world.now + 500 * MILLI);
        assertEquals(1, members(failed));
        assertEquals(2, members(hosts.getFirst()), "nobody had to be suspected first");
        world.run(world.now + 3 * SECOND);
        assertEquals(2, members(hosts.getFirst()), "it does not come back by itself");
        assertEquals(1, members(failed));
        boundary(failed, 0);
        boundary(hosts.get(0), 9);
        boundary(hosts.get(1), 9);
        world.unite(4 * SECOND, "back");
    }

    @Test
    void whoResignsAndGoesStaysUntilItsVoteIsNoLongerNeeded() {
        List<Host> hosts = group(2);
        Host senior = hosts.getFirst();
        world.view(senior, new ViewEvent.Resign());
        world.view(senior, new ViewEvent.Leave());
        assertFalse(senior.hasLeft, "the other one is no quorum without it");
        world.run(world.now + 2 * SECOND);
        assertTrue(senior.hasLeft);
        assertEquals(1, members(hosts.getLast()));
        assertEquals(ElectionState.MASTER, hosts.getLast().state().election());
    }

    @Test
    void whoResignsAgainAndAgainHasToWaitLongerEachTime() {
        List<Host> hosts = group(2);
        Host failed = hosts.getLast();
        long last = 0;
        for (int i = 0; i < 3; i++) {
            world.view(failed, new ViewEvent.Resign());
            boundary(failed, 0);
            boundary(hosts.getFirst(), 9);
            long from = world.now;
            world.run(world.now + 200 * MILLI);
            world.unite(20 * SECOND, "back " + i);
            assertTrue(world.now - from > last, "time " + i);
            last = world.now - from;
        }
        assertTrue(last > 3 * SECOND, "1, 2, 4 s");
    }

    @Test
    void aTrainingThatBeganAloneJoinsTheOthersBetweenTwoSteps() {
        List<Host> others = group(3);
        Host alone = trainer(5);
        busy(alone, 40);
        world.run(world.now + 3 * SECOND);
        assertEquals(1, members(alone));
        assertTrue(alone.isHeld);
        boundary(alone, 41);
        others.forEach(host -> boundary(host, 7));
        world.unite(4 * SECOND, "merge");
        assertTrue(alone.removals.isEmpty(), "it waited between two steps: nothing of it is lost");
    }

    @Test
    void aTrainerThatWaitsForAStepEntersAGroupThatDidNothingYet() {
        List<Host> hosts = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            hosts.add(trainer(i));
        }
        world.unite(5 * SECOND, "start");
        Host late = trainer(9);
        boundary(late, 0);
        world.unite(4 * SECOND, "join");
        assertTrue(hosts.getFirst().state().entersByStep(), "its first call has to be the same as the other's");
    }
}
