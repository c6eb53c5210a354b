package io.hearth.election.vote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Nodes;
import io.hearth.election.Role;
import io.hearth.election.View;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The queue of a process for its voter. */
public final class VotingTest {
    private static View view(int lineage, long epoch) {
        var founder = Nodes.agent(1);
        return new View(
                new Lineage(false, lineage, founder, 1, 0),
                epoch,
                List.of(new Member(founder, 1, 1, Role.AGENT, "", 71)),
                List.of());
    }

    private static VoterTask promise(int lineage, long epoch, long round) {
        return new VoterTask.Promise(view(lineage, epoch), new Ballot(round, Nodes.agent(1)));
    }

    private static VoterTask accept(long epoch, long round) {
        return new VoterTask.Accept(view(1, epoch), new Ballot(round, Nodes.agent(1)), view(1, epoch + 1));
    }

    private static List<VoterTask> waiting(VoterTask... tasks) {
        Voting voting = Voting.IDLE;
        for (VoterTask task : tasks) {
            voting = voting.with(task);
        }
        return voting.waiting();
    }

    @Test
    void aRepeatedTaskIsQueuedOnce() {
        VoterTask task = promise(1, 3, 5);
        assertEquals(List.of(task), waiting(task, task, task));
        assertEquals(List.of(), Voting.IDLE.runs(task).with(task).waiting());
        assertTrue(Voting.IDLE.runs(task).contains(task));
        assertFalse(Voting.IDLE.contains(task));
    }

    @Test
    void aNewerTaskOfItsKindReplacesTheOneThatWaits() {
        assertEquals(List.of(promise(1, 3, 6)), waiting(promise(1, 3, 5), promise(1, 3, 6)));
        assertEquals(List.of(promise(1, 3, 6)), waiting(promise(1, 3, 6), promise(1, 3, 5)));
        assertEquals(List.of(promise(1, 4, 1)), waiting(promise(1, 3, 9), promise(1, 4, 1)));
        assertEquals(List.of(promise(1, 4, 1)), waiting(promise(1, 4, 1), promise(1, 3, 9)));
        assertEquals(List.of(accept(3, 6)), waiting(accept(3, 5), accept(3, 6), accept(2, 9)));
        VoterTask learn = new VoterTask.Learn(view(1, 9));
        assertEquals(List.of(learn), waiting(new VoterTask.Learn(view(1, 8)), learn, new VoterTask.Learn(view(1, 7))));
        VoterTask retain = new VoterTask.Retain(new TreeSet<>(List.of(view(1, 1).lineage())));
        assertEquals(List.of(retain), waiting(new VoterTask.Retain(new TreeSet<>()), retain));
        VoterTask enter = new VoterTask.Enter(view(1, 1).lineage(), 5);
        assertEquals(
                List.of(enter), waiting(enter, new VoterTask.Enter(view(1, 1).lineage(), 6)));
    }

    @Test
    void tasksOfOneKindAndLineageRunInOrder() {
        List<VoterTask> tasks =
                List.of(promise(2, 3, 1), accept(3, 1), promise(1, 3, 1), new VoterTask.Learn(view(1, 3)));
        assertEquals(tasks, waiting(tasks.toArray(VoterTask[]::new)));
        Voting voting = Voting.IDLE;
        for (VoterTask task : tasks) {
            voting = voting.with(task);
        }
        assertEquals(tasks.getFirst(), voting.next());
        assertEquals(tasks.subList(1, 4), voting.without(tasks.getFirst()).waiting());
    }

    @Test
    void aViewThatOnlyHasToBeWrittenDownGivesWayToVotes() {
        VoterTask learn = new VoterTask.Learn(view(1, 3));
        VoterTask retain = new VoterTask.Retain(new TreeSet<>());
        assertEquals(learn, Voting.IDLE.with(learn).with(retain).next());
        assertEquals(accept(3, 1), Voting.IDLE.with(learn).with(accept(3, 1)).next());
        assertEquals(
                promise(1, 3, 1), Voting.IDLE.with(learn).with(promise(1, 3, 1)).next());
        VoterTask found = new VoterTask.Found(view(1, 1));
        assertEquals(found, Voting.IDLE.with(found).with(promise(1, 1, 1)).next());
        assertEquals(retain, Voting.IDLE.with(retain).with(promise(1, 3, 1)).next());
    }

    @Test
    void theQueueIsBoundedAndANewerTaskStillReplaces() {
        Voting voting = Voting.IDLE;
        for (int lineage = 0; lineage < 2 * Voting.WAITING_MAX; lineage++) {
            voting = voting.with(promise(lineage, 3, 1));
        }
        assertEquals(Voting.WAITING_MAX, voting.waiting().size());
        voting = voting.with(promise(7, 3, 2));
        assertEquals(Voting.WAITING_MAX, voting.waiting().size());
        assertTrue(voting.contains(promise(7, 3, 2)));
    }

    @Test
    void anEntryIsFoundWhereItRunsAndWhereItWaits() {
        Lineage lineage = view(1, 1).lineage();
        VoterTask enter = new VoterTask.Enter(lineage, 5);
        assertTrue(Voting.IDLE.runs(enter).isEntering(lineage));
        assertTrue(Voting.IDLE.with(enter).isEntering(lineage));
        assertFalse(Voting.IDLE.with(enter).isEntering(view(2, 1).lineage()));
        assertEquals(Optional.empty(), Voting.IDLE.runs(enter).idle().running());
    }
}
