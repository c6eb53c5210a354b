package io.hearth.collective.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.LossPolicy;
import io.hearth.collective.Signature;
import io.hearth.collective.engine.TestGroup;
import io.hearth.collective.group.GroupMachine.Effect;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.GroupMachine.Frozen;
import io.hearth.collective.group.GroupMachine.State;
import io.hearth.core.Bytes;
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

final class GroupMachineTest {
    private static final NodeId A = TestGroup.node(0);
    private static final NodeId B = TestGroup.node(1);
    private static final NodeId C = TestGroup.node(2);
    private static final Signature SUM = Signature.allReduce(ReduceOp.SUM, DataType.FLOAT32, 10, Signature.PLAIN);

    private final GroupMachine machine = new GroupMachine(4, LossPolicy.RETRY);
    private State state = State.START;

    private List<Effect> on(Event event) {
        return on(machine, event);
    }

    /** Leaves out the progress reports before the first number is done; another test covers them. */
    private List<Effect> on(GroupMachine with, Event event) {
        Step<State, Effect> step = with.step(state, event, 0);
        state = step.state();
        return step.effects().stream()
                .filter(effect -> !(effect instanceof Effect.ReportProgress reported && reported.doneUpTo() == 0))
                .toList();
    }

    private static Event.Installed view(long epoch, long groupEpoch, List<NodeId> members, Resolution resolution) {
        return new Event.Installed(new Frozen("L", epoch), "L/" + groupEpoch, members, members.size() > 1, resolution);
    }

    @Test
    void whatWasDoneInAnotherLineageIsNotReported() {
        on(first());
        on(new Event.Called(SUM));
        on(new Event.Finished(1, "L/1"));
        assertEquals(1, state.status("L").doneUpTo());
        assertEquals(new Status(0, 0, List.of(), Optional.empty()), state.status("M"));
    }

    private static Event.Installed first() {
        return view(1, 1, List.of(A, B, C), Resolution.NOTHING);
    }

    private static Status.Kept done(long number) {
        return new Status.Kept(number, 3, 40, Optional.empty());
    }

    @Test
    void aCallBeforeTheFirstViewRunsWhenItComes() {
        assertEquals(List.of(), on(new Event.Called(SUM)));
        assertEquals(List.of(new Effect.Abandon(), new Effect.Run(1, Optional.empty())), on(first()));
    }

    @Test
    void aNumberIsCalledOnlyWithinTheWindowAndResultsAreKeptForIt() {
        on(first());
        for (int number = 1; number <= 4; number++) {
            assertEquals(List.of(new Effect.Run(number, Optional.empty())), on(new Event.Called(SUM)));
        }
        assertThrows(IllegalStateException.class, () -> on(new Event.Called(SUM)));
        for (int number = 1; number <= 4; number++) {
            on(new Event.Finished(number, "L/1"));
        }
        on(new Event.Called(SUM));
        assertEquals(
                List.of(
                        new Effect.Commit(5),
                        new Effect.End(done(5)),
                        new Effect.Release(1),
                        new Effect.ReportProgress(5, GroupPhase.BUSY)),
                on(new Event.Finished(5, "L/1")));
        assertEquals(List.of(new Effect.Release(2), new Effect.Release(3)), on(new Event.EndedByAll(3)));
    }

    @Test
    void numbersThatEndOutOfOrderCountOnlyOnceTheGapIsClosed() {
        on(first());
        on(new Event.Called(SUM));
        on(new Event.Called(SUM));
        on(new Event.Finished(2, "L/1"));
        assertEquals(0, state.doneUpTo());
        assertEquals(new Status(2, 0, List.of(done(2)), Optional.empty()), state.status());
        on(new Event.Finished(1, "L/1"));
        assertEquals(2, state.doneUpTo());
    }

    @Test
    void aFreezeEndsOnlyWithASuccessorOfItsEpoch() {
        on(first());
        on(new Event.Called(SUM));
        on(new Event.Freeze(new Frozen("L", 1)));
        assertThrows(IllegalStateException.class, () -> on(new Event.Finished(1, "L/1")));
        on(view(1, 1, List.of(A, B, C), Resolution.NOTHING)); // the same epoch again
        assertTrue(state.frozen().isPresent());
        on(view(2, 1, List.of(A, B, C), Resolution.NOTHING));
        assertFalse(state.frozen().isPresent());
        on(new Event.Finished(1, "L/1"));
        assertEquals(1, state.doneUpTo());
    }

    @Test
    void aCallDuringAFreezeRunsWhenItEnds() {
        on(first());
        on(new Event.Freeze(new Frozen("L", 1)));
        assertEquals(List.of(), on(new Event.Called(SUM)));
        assertEquals(
                List.of(new Effect.Run(1, Optional.empty())),
                on(view(2, 1, List.of(A, B, C), Resolution.NOTHING)),
                "same list, same group epoch");
    }

    @Test
    void aLostMemberMakesOpenNumbersRollBackAndRunAgain() {
        on(first());
        on(new Event.Called(SUM));
        on(new Event.Freeze(new Frozen("L", 1)));
        assertEquals(
                List.of(new Effect.Abandon(), new Effect.RollBack(1), new Effect.Run(1, Optional.empty())),
                on(view(2, 2, List.of(A, C), Resolution.NOTHING)));
        assertEquals(List.of(), on(new Event.Finished(1, "L/1")), "what the former ring says is too late");
        on(new Event.Finished(1, "L/2"));
        assertEquals(2, state.status().kept().getFirst().contributors());
    }

    @Test
    void aForwardComesFirstAndCommitsWhatWasGiven() {
        on(first());
        on(new Event.Called(SUM));
        on(new Event.Called(SUM));
        on(new Event.Freeze(new Frozen("L", 1)));
        var resolution = new Resolution(3, List.of(new Resolution.Forward(1, C, 3, 40)), List.of());
        assertEquals(
                List.of(new Effect.Abandon(), new Effect.RollBack(2), new Effect.Forward(1, C, 3, 40, false)),
                on(view(2, 2, List.of(A, C), resolution)),
                "nothing is rolled back of 1, and 2 does not run yet");
        assertEquals(
                List.of(
                        new Effect.Commit(1),
                        new Effect.End(done(1)),
                        new Effect.Run(2, Optional.empty()),
                        new Effect.ReportProgress(1, GroupPhase.BUSY)),
                on(new Event.Forwarded(1, "L/2")));
    }

    /** Such a size gets no memory, and no number runs before the next view change. */
    @Test
    void aForwardThatTheOwnCallsDoNotKnowIsRejected() {
        long huge = Status.NUMBER_MAX;
        for (Resolution.Forward lie : List.of(
                new Resolution.Forward(1, C, 3, huge),
                new Resolution.Forward(1, C, 3, 39),
                new Resolution.Forward(1, C, 3, 0),
                new Resolution.Forward(2, C, 3, 40),
                new Resolution.Forward(huge, C, 3, huge))) {
            state = State.START;
            on(first());
            on(new Event.Called(SUM));
            on(new Event.Freeze(new Frozen("L", 1)));
            List<Effect> effects = on(view(2, 2, List.of(A, C), new Resolution(2, List.of(lie), List.of())));
            assertTrue(effects.stream().noneMatch(Effect.Forward.class::isInstance), effects::toString);
            assertTrue(effects.stream().noneMatch(Effect.Run.class::isInstance), effects::toString);
            var reported = (Effect.ReportBroken) effects.getLast();
            assertEquals(C, reported.peer());
            assertTrue(
                    reported.why().contains("number " + lie.number() + " is forwarded with " + lie.bytes()),
                    reported.why());
            assertEquals(List.of(), on(new Event.Forwarded(lie.number(), "L/2")));
            on(new Event.Freeze(new Frozen("L", 2)));
            assertEquals(Optional.of(reported.why()), state.status().broken());
            assertTrue(on(view(3, 3, List.of(A, C), Resolution.NOTHING)).contains(new Effect.Run(1, Optional.empty())));
        }
    }

    @Test
    void aForwardOfAResultThatEndedOtherwiseHereIsRejected() {
        for (Resolution.Forward lie :
                List.of(new Resolution.Forward(1, C, 2, 40), new Resolution.Forward(1, C, 3, 48))) {
            state = State.START;
            on(first());
            on(new Event.Called(SUM));
            on(new Event.Finished(1, "L/1"));
            List<Effect> effects = on(view(2, 2, List.of(A, C), new Resolution(2, List.of(lie), List.of())));
            assertTrue(((Effect.ReportBroken) effects.getLast()).why().contains("it ended otherwise here"));
        }
    }

    @Test
    void noNumberComesAfterTheLast() {
        on(new Event.Installed(
                new Frozen("L", 1),
                "L/1",
                List.of(A, B),
                true,
                new Resolution(Status.NUMBER_MAX, List.of(), List.of())));
        assertEquals(Status.NUMBER_MAX - 1, state.status().called());
        assertThrows(IllegalStateException.class, () -> on(new Event.Called(SUM)));
        state = State.START;
        on(new Event.Called(Signature.boundary(48)));
        on(new Event.Installed(
                new Frozen("L", 1),
                "L/1",
                List.of(A, B),
                true,
                new Resolution(Status.NUMBER_MAX, List.of(), List.of())));
        on(new Event.Finished(Status.NUMBER_MAX, "L/1"));
        assertEquals(Status.NUMBER_MAX, state.status().doneUpTo());
        assertThrows(IllegalStateException.class, () -> on(new Event.Called(SUM)));
    }

    @Test
    void aForwardThatIsNotDecidedAgainRunsAgain() {
        on(first());
        on(new Event.Called(SUM));
        on(view(2, 2, List.of(A, C), new Resolution(2, List.of(new Resolution.Forward(1, C, 3, 40)), List.of())));
        on(new Event.Freeze(new Frozen("L", 2)));
        assertEquals(
                List.of(new Effect.Abandon(), new Effect.RollBack(1), new Effect.Run(1, Optional.empty())),
                on(view(3, 3, List.of(A), Resolution.NOTHING)));
    }

    @Test
    void whatEndedRefusedSomewhereEndsSoHere() {
        on(first());
        on(new Event.Called(SUM));
        var refusal = new CallRejection(CallRejection.Cause.MISMATCH, "who asked for what");
        List<Effect> effects = on(
                view(2, 2, List.of(A, C), new Resolution(2, List.of(), List.of(new Resolution.Rejected(1, refusal)))));
        assertTrue(effects.contains(new Effect.End(new Status.Kept(1, 0, 0, Optional.of(refusal)))));
        assertEquals(1, state.doneUpTo());
    }

    @Test
    void failFastAndALostRootRunOnlyToTellAll() {
        var failFast = new GroupMachine(4, LossPolicy.FAIL_FAST);
        on(failFast, first());
        on(failFast, new Event.Called(SUM));
        CallRejection lost = doomed(on(failFast, view(2, 2, List.of(A, C), Resolution.NOTHING)));
        assertEquals(CallRejection.Cause.PEER_LOST, lost.cause());
        assertTrue(lost.text().contains(B.shortText()));
        on(machine, new Event.Rejected(1, "L/2", lost));
        on(machine, new Event.Called(Signature.broadcast(DataType.FLOAT32, 1, C)));
        assertEquals(
                CallRejection.Cause.ROOT_LOST,
                doomed(on(machine, view(3, 3, List.of(A), Resolution.NOTHING))).cause());
    }

    @Test
    void thePlaceIsThatOfTheNewestEndedNumberAndNotOfTheNewestView() {
        on(first());
        assertEquals(List.of(A, B, C), state.ranks(), "before the first number, the newest view");
        on(view(2, 2, List.of(C, A, B), Resolution.NOTHING));
        assertEquals(List.of(C, A, B), state.ranks());
        on(new Event.Called(SUM));
        on(new Event.Finished(1, "L/2"));
        on(view(3, 3, List.of(A, B), Resolution.NOTHING));
        assertEquals(List.of(C, A, B), state.ranks());
        on(new Event.Called(SUM));
        assertEquals(List.of(C, A, B), state.ranks(), "called is not ended");
        on(new Event.Finished(2, "L/3"));
        assertEquals(List.of(A, B), state.ranks());
    }

    @Test
    void aNumberThatIsPassedOnOverTwoChangesKeepsThePlaceInWhichItRan() {
        var forward = new Resolution(2, List.of(new Resolution.Forward(1, C, 3, 40)), List.of());
        on(first());
        on(new Event.Called(SUM));
        on(view(2, 2, List.of(A, C), forward));
        on(view(3, 3, List.of(C, A), forward));
        on(new Event.Forwarded(1, "L/3"));
        assertEquals(List.of(A, B, C), state.ranks());
    }

    @Test
    void aRefusalOfANumberNotYetCalledWaitsForItWithItsPlace() {
        var refusal = new CallRejection(CallRejection.Cause.NON_FINITE, "NaN");
        var refused = new Resolution(2, List.of(), List.of(new Resolution.Rejected(1, refusal)));
        var ended = new Status.Kept(1, 0, 0, Optional.of(refusal));
        on(first());
        on(view(2, 2, List.of(A, C), refused));
        on(view(3, 3, List.of(A), refused));
        assertEquals(new Status(0, 0, List.of(), Optional.empty()), state.status());
        assertEquals(
                List.of(new Effect.RollBack(1), new Effect.End(ended), new Effect.ReportProgress(1, GroupPhase.BUSY)),
                on(new Event.Called(SUM)));
        assertEquals(List.of(A, B, C), state.ranks(), "with whom it ended where it ended first");
        assertEquals(List.of(new Effect.Run(2, Optional.empty())), on(new Event.Called(SUM)));
    }

    @Test
    void whoHasCalledNothingYetStillOwesTheFirstNumberAndWhoEntersDoesNot() {
        var othersAreAt3 = new Resolution(3, List.of(), List.of());
        on(first());
        on(view(2, 2, List.of(A, C), othersAreAt3));
        assertEquals(1, state.next());
        on(new Event.Installed(new Frozen("M", 5), "M/5", List.of(A, B), true, othersAreAt3));
        assertEquals(3, state.next());
        assertEquals(2, state.doneUpTo());
    }

    @Test
    void aRefusalThatIsNotDecidedAgainIsForgotten() {
        var refusal = new CallRejection(CallRejection.Cause.NON_FINITE, "NaN");
        on(first());
        on(view(2, 2, List.of(A, C), new Resolution(2, List.of(), List.of(new Resolution.Rejected(1, refusal)))));
        on(view(3, 3, List.of(A), Resolution.NOTHING));
        assertEquals(List.of(new Effect.Run(1, Optional.empty())), on(new Event.Called(SUM)));
    }

    @Test
    void aRefusalEndsNothingWhileFrozen() {
        var refusal = new CallRejection(CallRejection.Cause.NON_FINITE, "NaN");
        var refused = new Resolution(2, List.of(), List.of(new Resolution.Rejected(1, refusal)));
        on(first());
        on(view(2, 2, List.of(A, C), refused));
        on(new Event.Freeze(new Frozen("L", 2)));
        assertEquals(List.of(), on(new Event.Called(SUM)));
        List<Effect> thawed = on(view(3, 2, List.of(A, C), refused));
        assertTrue(thawed.contains(new Effect.End(new Status.Kept(1, 0, 0, Optional.of(refusal)))), thawed.toString());
    }

    @Test
    void aRootThatIsGoneDoomsACallThatComesAfterTheView() {
        on(first());
        on(view(2, 2, List.of(A, B), Resolution.NOTHING));
        assertEquals(
                CallRejection.Cause.ROOT_LOST,
                doomed(on(new Event.Called(Signature.broadcast(DataType.FLOAT32, 1, C))))
                        .cause());
    }

    @Test
    void aStreamThatBreaksDuringAFreezeIsToldAgainIfTheViewDoesNotMendIt() {
        on(first());
        on(new Event.Freeze(new Frozen("L", 1)));
        assertEquals(List.of(new Effect.ReportBroken(B, "reset")), on(new Event.StreamBroken("L/1", B, "reset")));
        assertEquals(
                List.of(new Effect.ReportBroken(B, "reset")), on(view(2, 1, List.of(A, B, C), Resolution.NOTHING)));
        assertEquals(List.of(new Effect.Abandon()), on(view(3, 3, List.of(A, B, C), Resolution.NOTHING)));
    }

    private static CallRejection doomed(List<Effect> effects) {
        return effects.stream()
                .filter(Effect.Run.class::isInstance)
                .map(Effect.Run.class::cast)
                .flatMap(run -> run.doomed().stream())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aBrokenStreamIsToldOnceAndNothingRunsUntilANewGroupEpoch() {
        on(first());
        assertEquals(List.of(new Effect.ReportBroken(B, "reset")), on(new Event.StreamBroken("L/1", B, "reset")));
        assertEquals(List.of(), on(new Event.StreamBroken("L/1", C, "reset too")));
        assertEquals(List.of(), on(new Event.Called(SUM)));
        on(new Event.Freeze(new Frozen("L", 1)));
        assertEquals(Optional.of("reset"), state.status().broken());
        assertEquals(
                List.of(new Effect.Abandon(), new Effect.Run(1, Optional.empty())),
                on(view(2, 2, List.of(A, B, C), Resolution.NOTHING)));
        assertEquals(Optional.empty(), state.status().broken());
    }

    @Test
    void onlyWhatHasNotEndedGoesOnInAnotherLineage() {
        assertTrue(state.mayGoOnIn("K"));
        on(first());
        on(new Event.Called(SUM));
        assertTrue(state.mayGoOnIn("K"), "it runs there as well");
        on(new Event.Finished(1, "L/1"));
        assertFalse(state.mayGoOnIn("K"), "number 1 is another one there");
        assertTrue(state.mayGoOnIn("L"));
    }

    @Test
    void theResolverForwardsWhatOneHasFromTheFirstThatHasIt() throws Exception {
        var resolver = new CollectiveResolver();
        List<Resolver.Report> reports = List.of(
                report(A, new Status(3, 1, List.of(done(1)), Optional.empty())),
                report(B, new Status(3, 2, List.of(done(1), done(2)), Optional.empty())),
                report(C, new Status(4, 3, List.of(done(2), done(3)), Optional.empty())));
        assertEquals(
                new Resolution(
                        5,
                        List.of(new Resolution.Forward(2, B, 3, 40), new Resolution.Forward(3, C, 3, 40)),
                        List.of()),
                CollectiveMessages.resolution(resolver.resolve("g", members(reports), reports)));
        assertTrue(resolver.refusal("g", reports).orElseThrow().contains("in the middle of a step"));
        assertEquals(Optional.empty(), resolver.broken("g", reports));
    }

    @Test
    void theResolverSpreadsRefusalsAndBrokenStreams() throws Exception {
        var refusal = new CallRejection(CallRejection.Cause.NON_FINITE, "NaN");
        var resolver = new CollectiveResolver();
        List<Resolver.Report> reports = List.of(
                report(A, new Status(1, 0, List.of(), Optional.of("reset"))),
                report(B, new Status(1, 1, List.of(new Status.Kept(1, 0, 0, Optional.of(refusal))), Optional.empty())),
                new Resolver.Report(member(C), Bytes.of((byte) 0xFF)));
        assertEquals(
                new Resolution(2, List.of(), List.of(new Resolution.Rejected(1, refusal))),
                CollectiveMessages.resolution(resolver.resolve("g", members(reports), reports)));
        assertEquals(Optional.of("reset"), resolver.broken("g", reports));
        assertEquals(Optional.empty(), resolver.refusal("g", List.of()));
        assertEquals(Resolution.NOTHING, CollectiveMessages.resolution(resolver.resolve("g", List.of(), List.of())));
    }

    private static Member member(NodeId node) {
        return new Member(node, 1, 1, Role.TRAINER, "g", 1);
    }

    private static List<Member> members(List<Resolver.Report> reports) {
        return reports.stream().map(Resolver.Report::member).toList();
    }

    private static Resolver.Report report(NodeId node, Status status) {
        return new Resolver.Report(member(node), CollectiveMessages.encode(status));
    }
}
