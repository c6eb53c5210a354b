package io.hearth.collective.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.LossPolicy;
import io.hearth.collective.Signature;
import io.hearth.collective.engine.TestGroup;
import io.hearth.collective.group.GroupMachine.Effect;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.GroupMachine.Frozen;
import io.hearth.collective.group.GroupMachine.State;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.core.Step;
import io.hearth.election.GroupPhase;
import io.hearth.election.Member;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Beginnings of a group's steps, and members that enter there. */
final class GroupBoundaryTest {
    private static final NodeId A = TestGroup.node(0);
    private static final NodeId B = TestGroup.node(1);
    private static final Signature SUM = Signature.allReduce(ReduceOp.SUM, DataType.FLOAT32, 10, Signature.PLAIN);
    private static final Signature STEP = Signature.boundary(48);
    private static final CollectiveResolver RESOLVER = new CollectiveResolver();

    private final GroupMachine machine = new GroupMachine(4, LossPolicy.RETRY);
    private State state = State.START;

    private List<Effect> on(Event event) {
        Step<State, Effect> step = machine.step(state, event, 0);
        state = step.state();
        return step.effects();
    }

    private static Event.Installed view(String lineage, long epoch, List<NodeId> members, long first) {
        return new Event.Installed(
                new Frozen(lineage, epoch),
                lineage + "/" + epoch,
                members,
                members.size() > 1,
                new Resolution(first, List.of(), List.of()));
    }

    private static Resolver.Report report(NodeId node, Status status) {
        return new Resolver.Report(new Member(node, 1, 1, Role.TRAINER, "g", 1), CollectiveMessages.encode(status));
    }

    private void ended(long number) {
        on(new Event.Called(SUM));
        on(new Event.Finished(number, state.layout().fence()));
    }

    @Test
    void whatThisMemberDoesIsToldWheneverItChanges() {
        assertEquals(GroupPhase.FRESH, state.phase());
        on(view("L", 1, List.of(A, B), 1));
        assertEquals(GroupPhase.FRESH, state.phase());
        assertTrue(on(new Event.Called(SUM)).contains(new Effect.ReportProgress(0, GroupPhase.BUSY)));
        assertTrue(on(new Event.Finished(1, "L/1")).contains(new Effect.ReportProgress(1, GroupPhase.BUSY)));
        assertTrue(on(new Event.Called(STEP)).contains(new Effect.ReportProgress(1, GroupPhase.BOUNDARY)));
        assertTrue(on(new Event.Finished(2, "L/1")).contains(new Effect.ReportProgress(2, GroupPhase.BUSY)));
    }

    @Test
    void aStepThatIsHeldWaitsAndNothingElseDoes() {
        on(view("L", 1, List.of(A, B), 1));
        on(new Event.Held(true));
        assertTrue(on(new Event.Called(SUM)).contains(new Effect.Run(1, Optional.empty())), "this is no step");
        on(new Event.Finished(1, "L/1"));
        assertFalse(on(new Event.Called(STEP)).contains(new Effect.Run(2, Optional.empty())));
        assertTrue(state.status().boundary());
        assertTrue(on(new Event.Held(false)).contains(new Effect.Run(2, Optional.empty())));
    }

    @Test
    void aStepThatRunsAlreadyIsNotStopped() {
        on(view("L", 1, List.of(A, B), 1));
        on(new Event.Called(STEP));
        on(new Event.Held(true));
        on(new Event.Finished(1, "L/1"));
        assertEquals(1, state.doneUpTo());
    }

    @Test
    void whoEntersCountsItsOwnStepAsTheGroupsOne() {
        on(view("own", 1, List.of(A), 1));
        ended(1);
        ended(2);
        on(new Event.Held(true));
        on(new Event.Called(STEP));
        assertTrue(state.mayGoOnIn("L"));
        List<Effect> effects = on(view("L", 7, List.of(B, A), 40));
        assertTrue(
                effects.indexOf(new Effect.Renumber(3, 40)) < effects.indexOf(new Effect.Abandon()), "in this order");
        assertTrue(effects.contains(new Effect.Release(1)) && effects.contains(new Effect.Release(2)));
        assertEquals(new Status(40, 39, List.of(), Optional.empty(), true, MeasuredLinks.NONE), state.status());
        assertEquals(List.of(B, A), state.ranks());
        assertTrue(on(new Event.Held(false)).contains(new Effect.Run(40, Optional.empty())));
        on(new Event.Finished(40, "L/7"));
        assertTrue(on(new Event.Called(SUM)).contains(new Effect.Run(41, Optional.empty())));
    }

    @Test
    void whoWorksOnItsOwnCannotGoOnElsewhereInTheMiddleOfAStep() {
        on(view("own", 1, List.of(A), 1));
        ended(1);
        assertFalse(state.mayGoOnIn("L"));
        on(new Event.Called(SUM));
        assertFalse(state.mayGoOnIn("L"));
    }

    @Test
    void whoWasOutBeginsNoStepAlone() {
        on(view("own", 1, List.of(A), 1));
        ended(1);
        state = state.returned();
        on(view("next", 1, List.of(A), 1));
        assertFalse(on(new Event.Called(STEP)).contains(new Effect.Run(1, Optional.empty())));
        assertEquals(GroupPhase.BOUNDARY, state.phase());
        assertTrue(on(view("L", 7, List.of(B, A), 40)).contains(new Effect.Run(40, Optional.empty())));
        on(new Event.Finished(40, "L/7"));
        on(view("L", 8, List.of(A), 41));
        assertTrue(
                on(new Event.Called(STEP)).contains(new Effect.Run(41, Optional.empty())),
                "it is back, and may be left");
    }

    @Test
    void theOnlyTrainerBeginsAStepOnceOtherNodesAreInItsView() {
        on(view("former", 1, List.of(A), 1));
        on(new Event.Called(SUM));
        state = state.returned();
        on(view("next", 1, List.of(A), 1));
        assertFalse(on(new Event.Called(STEP)).contains(new Effect.Run(1, Optional.empty())));
        var sameGroup = new Event.Installed(new Frozen("next", 2), "next/1", List.of(A), true, Resolution.NOTHING);
        assertTrue(on(sameGroup).contains(new Effect.Run(1, Optional.empty())));
    }

    /** For example after a stream of its former group broke late. */
    @Test
    void whoWasOutBeginsNoStepAloneThoughItsViewChanges() {
        on(view("former", 8, List.of(A, B), 1));
        on(new Event.Called(SUM));
        state = state.returned();
        on(view("lone", 1, List.of(A), 1));
        on(new Event.Called(STEP));
        assertFalse(on(view("lone", 2, List.of(A), 1)).contains(new Effect.Run(1, Optional.empty())));
        assertTrue(on(view("former", 9, List.of(B, A), 40)).contains(new Effect.Run(40, Optional.empty())));
    }

    @Test
    void aStepThatSomebodyBeganIsForwardedLikeAnyResult() {
        on(view("L", 1, List.of(A, B), 1));
        on(new Event.Called(STEP));
        var begun = new Resolution(2, List.of(new Resolution.Forward(1, B, 2, 48)), List.of());
        on(new Event.Freeze(new Frozen("L", 1)));
        on(new Event.Installed(new Frozen("L", 2), "L/2", List.of(A, B), true, begun));
        assertTrue(on(new Event.Forwarded(1, "L/2"))
                .contains(new Effect.End(new Status.Kept(1, 2, 48, Optional.empty()))));
    }

    @Test
    void trainersEnterOnlyWhereAllWaitForTheSameStep() {
        var waits = new Status(8, 7, List.of(), Optional.empty(), true, MeasuredLinks.NONE);
        var works = new Status(8, 7, List.of(), Optional.empty());
        var began = new Status(8, 8, List.of(), Optional.empty());
        var fresh = new Status(0, 0, List.of(), Optional.empty());
        var first = new Status(1, 0, List.of(), Optional.empty(), true, MeasuredLinks.NONE);
        assertEquals(Optional.empty(), RESOLVER.refusal("g", List.of(report(A, waits), report(B, waits))));
        assertTrue(RESOLVER.refusal("g", List.of(report(A, waits), report(B, works)))
                .isPresent());
        assertTrue(RESOLVER.refusal("g", List.of(report(A, waits), report(B, began)))
                .isPresent());
        assertTrue(RESOLVER.refusal("g", List.of(report(A, waits), report(B, fresh)))
                .isPresent());
        assertEquals(Optional.empty(), RESOLVER.refusal("g", List.of(report(A, first), report(B, fresh))));
        assertEquals(8, first(waits, waits), "the step for which all wait is the first of those who enter");
        assertEquals(9, first(waits, began));
        assertEquals(1, first(fresh, first));
    }

    private static long first(Status one, Status other) {
        var reports = List.of(report(A, one), report(B, other));
        try {
            return CollectiveMessages.resolution(RESOLVER.resolve(
                            "g", reports.stream().map(Resolver.Report::member).toList(), reports))
                    .first();
        } catch (io.hearth.core.MalformedMessageException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
