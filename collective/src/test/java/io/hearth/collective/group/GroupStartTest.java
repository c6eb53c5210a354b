package io.hearth.collective.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.LossPolicy;
import io.hearth.collective.RankBounds;
import io.hearth.collective.Signature;
import io.hearth.collective.engine.TestGroup;
import io.hearth.collective.group.GroupMachine.Effect;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.GroupMachine.Frozen;
import io.hearth.collective.group.GroupMachine.State;
import io.hearth.collective.state.StateClaim;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.core.Step;
import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Members with which a group starts, and with which it goes on. */
final class GroupStartTest {
    private static final Signature START = Signature.start();
    private static final Signature SUM = Signature.allReduce(ReduceOp.SUM, DataType.FLOAT32, 10, Signature.PLAIN);
    private static final Signature STEP = Signature.boundary(StateClaim.BYTES);
    private static final CollectiveResolver RESOLVER = new CollectiveResolver();

    private GroupMachine machine = new GroupMachine(4, LossPolicy.RETRY);
    private State state = State.START;

    private List<Effect> on(Event event) {
        Step<State, Effect> step = machine.step(state, event, 0);
        state = step.state();
        return step.effects();
    }

    /** A view of {@code members} members; this one is the first. */
    private List<Effect> view(String lineage, long epoch, int members) {
        return view(lineage, epoch, members, Resolution.NOTHING);
    }

    private List<Effect> view(String lineage, long epoch, int members, Resolution resolution) {
        List<NodeId> nodes =
                IntStream.range(0, members).mapToObj(TestGroup::node).toList();
        return on(
                new Event.Installed(new Frozen(lineage, epoch), lineage + "/" + epoch, nodes, members > 1, resolution));
    }

    private static boolean runs(List<Effect> effects, long number) {
        return effects.contains(new Effect.Run(number, Optional.empty()));
    }

    private void start(int members) {
        view("L", 1, members);
        assertTrue(runs(on(new Event.Called(START, members)), 1));
        on(new Event.Finished(1, "L/1"));
    }

    @Test
    void aStartWaitsForAsManyAsWereAskedForAndAnybodyMayEnterMeanwhile() {
        view("own", 1, 1);
        List<Effect> called = on(new Event.Called(START, 3));
        assertEquals(List.of(new Effect.ReportLack(Optional.of(new Lack.TooFew(1, 3)))), called);
        assertEquals(GroupPhase.FRESH, state.phase());
        assertEquals(GroupActivity.STARTING, state.activity());
        assertTrue(state.mayGoOnIn("L"), "it is no work of its own");
        assertFalse(runs(view("L", 4, 2), 1));
        assertEquals(GroupPhase.FRESH, state.phase());
        List<Effect> enough = view("L", 5, 3);
        assertTrue(runs(enough, 1));
        assertTrue(enough.contains(new Effect.ReportLack(Optional.empty())));
        assertEquals(GroupPhase.FRESH, state.phase(), "it has not ended anywhere, as far as this member knows");
        on(new Event.Finished(1, "L/5"));
        assertEquals(GroupPhase.BUSY, state.phase());
        assertEquals(3, state.ranks().size());
        assertEquals(GroupActivity.WORKING, state.activity());
    }

    @Test
    void aStartThatRanAndLostAMemberWaitsForAnother() {
        machine = new GroupMachine(4, LossPolicy.FAIL_FAST);
        view("L", 1, 2);
        assertTrue(runs(on(new Event.Called(START, 2)), 1));
        on(new Event.Freeze(new Frozen("L", 1)));
        assertTrue(state.status().boundary(), "whoever asks may enter here");
        List<Effect> alone = view("L", 2, 1);
        assertFalse(alone.stream().anyMatch(Effect.Run.class::isInstance), alone::toString);
        assertTrue(alone.contains(new Effect.ReportLack(Optional.of(new Lack.TooFew(1, 2)))));
        assertEquals(GroupPhase.FRESH, state.phase());
        assertTrue(runs(view("L", 3, 2), 1));
    }

    @Test
    void aStartThatEndedSomewhereEndsWithTheMembersThatItHadThere() {
        view("L", 1, 3);
        on(new Event.Called(START, 3));
        on(new Event.Freeze(new Frozen("L", 1)));
        NodeId holder = TestGroup.node(1);
        view("L", 2, 2, new Resolution(2, List.of(new Resolution.Forward(1, holder, 3, 0)), List.of()));
        on(new Event.Forwarded(1, "L/2"));
        assertEquals(3, state.ranks().size(), "as for the one that returned it first");
        assertEquals(GroupPhase.BUSY, state.phase());
    }

    @Test
    void theFirstNumberAfterTheStartShowsThatAllCameOutOfIt() {
        start(2);
        view("L", 2, 1);
        assertEquals(List.of(new Effect.ReportLack(Optional.of(new Lack.TooFew(1, 2)))), on(new Event.Called(SUM)));
        assertTrue(runs(view("L", 3, 2), 2));
        on(new Event.Finished(2, "L/3"));
        view("L", 4, 1);
        assertTrue(runs(on(new Event.Called(SUM)), 3), "later a lost member is none to wait for");
    }

    @ParameterizedTest(name = "{0} members, {1} to {2} wanted, by steps {3}: a step {4}, a sum {5}")
    @CsvSource({
        "1, 1, 256, false, runs,  runs",
        "1, 2, 256, false, waits, waits",
        "1, 2, 256, true,  waits, runs",
        "2, 2, 256, false, runs,  runs",
        "3, 1, 2,   false, waits, runs",
        "3, 1, 2,   true,  waits, runs",
        "2, 1, 2,   true,  runs,  runs"
    })
    void stepsAndSumsRunWithAsManyAsAreWanted(
            int members, int least, int most, boolean bySteps, String step, String sum) {
        var bounds = new RankBounds(least, most);
        for (Signature asked : List.of(STEP, SUM)) {
            machine = new GroupMachine(4, LossPolicy.RETRY);
            state = State.START;
            view("L", 1, members);
            on(new Event.Called(bySteps ? STEP : SUM));
            on(new Event.Finished(1, "L/1"));
            machine = new GroupMachine(4, LossPolicy.RETRY, bounds);
            String expected = asked.equals(STEP) ? step : sum;
            List<Effect> effects = on(new Event.Called(asked));
            assertEquals(expected.equals("runs"), runs(effects, 2), asked.text());
            assertEquals(expected.equals("waits"), machine.lack(state).isPresent(), asked.text());
        }
    }

    @Test
    void aStepThatRunsAndLosesAMemberWaitsBelowTheMinimum() {
        machine = new GroupMachine(4, LossPolicy.RETRY, new RankBounds(2, 3));
        view("L", 1, 2);
        on(new Event.Called(STEP));
        on(new Event.Freeze(new Frozen("L", 1)));
        assertFalse(runs(view("L", 2, 1), 1));
        assertEquals(GroupPhase.BOUNDARY, state.phase(), "whoever comes may enter");
        assertEquals(Optional.of(new Lack.TooFew(1, 2)), machine.lack(state));
        assertFalse(runs(view("L", 3, 4), 1), "too many entered at once");
        assertEquals(Optional.of(new Lack.TooMany(4, 3)), machine.lack(state));
        assertTrue(runs(view("L", 4, 3), 1));
    }

    @Test
    void noSecondGroupStartsBesideOneThatIsAtWork() {
        view("own", 1, 1);
        on(new Event.Heard(true, false, false));
        assertFalse(runs(on(new Event.Called(START, 1)), 1));
        assertEquals(Optional.of(new Lack.AtWorkElsewhere()), machine.lack(state));
        assertTrue(runs(on(new Event.Heard(false, false, false)), 1), "it has ended");
        assertEquals(GroupPhase.BUSY, state.phase(), "alone it passes at once");
    }

    @Test
    void aStartIsTakenBackOnlyWhereNobodyCanHaveHeardOfIt() {
        view("own", 1, 1);
        on(new Event.Heard(true, false, false));
        on(new Event.Called(START, 2));
        assertTrue(state.mayWithdraw());
        on(new Event.Withdrawn());
        assertEquals(GroupPhase.FRESH, state.phase());
        assertEquals(GroupActivity.IDLE, state.activity());
        on(new Event.Called(START, 2));
        on(new Event.Freeze(new Frozen("own", 1)));
        assertFalse(state.mayWithdraw(), "it was reported");
        view("L", 2, 2);
        assertThrows(IllegalStateException.class, () -> on(new Event.Withdrawn()));
    }

    @Test
    void aStartThatMeetsAStepEndsForAllHoweverFewTheyAre() {
        view("L", 1, 2);
        on(new Event.Called(START, 3));
        List<Effect> effects = on(new Event.Heard(false, true, false));
        CallRejection met = effects.stream()
                .filter(Effect.Run.class::isInstance)
                .map(effect -> ((Effect.Run) effect).doomed().orElseThrow())
                .findFirst()
                .orElseThrow();
        assertEquals(CallRejection.Cause.START_MET_STEP, met.cause());
        on(new Event.Rejected(1, "L/1", met));
        assertEquals(1, state.doneUpTo());
    }

    @Test
    void aSpareJoinsNobodyAndStartsNothing() {
        view("own", 1, 1);
        assertTrue(on(new Event.Heard(false, false, true)).contains(new Effect.ReportProgress(0, GroupPhase.BUSY)));
        assertFalse(runs(on(new Event.Called(START, 1)), 1));
        assertEquals(GroupPhase.BUSY, state.phase());
        assertEquals(Optional.of(new Lack.Spare()), machine.lack(state));
        assertTrue(on(new Event.Heard(true, false, false)).contains(new Effect.ReportProgress(0, GroupPhase.FRESH)));
        on(new Event.Withdrawn());
        on(new Event.Heard(true, false, true));
        assertFalse(runs(on(new Event.Called(STEP)), 1));
        assertEquals(GroupPhase.BUSY, state.phase());
        List<Effect> place = on(new Event.Heard(true, false, false));
        assertTrue(place.contains(new Effect.ReportProgress(0, GroupPhase.BOUNDARY)), place::toString);
        assertFalse(runs(place, 1), "it has not come here to train alone");
        assertTrue(runs(view("L", 7, 2, new Resolution(40, List.of(), List.of())), 40));
    }

    @Test
    void trainersEnterWhereAllWaitForTheStart() {
        var starts = new Status(1, 0, List.of(), Optional.empty(), true, MeasuredLinks.NONE);
        var fresh = new Status(0, 0, List.of(), Optional.empty());
        var started = new Status(1, 1, List.of(), Optional.empty());
        assertEquals(Optional.empty(), RESOLVER.refusal("g", GroupStartWorldTest.reports(List.of(starts, fresh))));
        assertTrue(RESOLVER.refusal("g", GroupStartWorldTest.reports(List.of(starts, started)))
                .isPresent());
    }

    @Test
    void boundsThatNoGroupCanHaveAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new RankBounds(0, 1));
        assertThrows(IllegalArgumentException.class, () -> new RankBounds(3, 2));
        assertThrows(IllegalArgumentException.class, () -> new RankBounds(1, 257));
    }
}
