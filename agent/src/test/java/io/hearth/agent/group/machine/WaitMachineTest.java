package io.hearth.agent.group.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.group.machine.WaitMachine.Effect;
import io.hearth.agent.group.machine.WaitMachine.Event;
import io.hearth.collective.group.OpenCall;
import io.hearth.collective.group.WaitNote;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class WaitMachineTest {
    private static final long MILLI = Duration.ofMillis(1).toNanos();
    private static final String SUBGROUP = "00112233aabbccdd";
    private static final NodeId SELF = node(1);
    private static final NodeId OTHER = node(2);
    private static final NodeId OUTSIDE = node(3);
    private static final List<NodeId> RANKS = List.of(SELF, OTHER);

    private final WaitMachine machine = new WaitMachine(SELF);
    private WaitMachine.State state = WaitMachine.State.start(0);

    private static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) number;
        return new NodeId(PeerId.of(key), "trainer-0");
    }

    /** A call of the whole group with that number. */
    private static Optional<OpenCall> call(long number) {
        return Optional.of(new OpenCall(
                "one", OpenCall.GROUP, number, "barrier", RANKS, new TreeMap<>(Map.of(OpenCall.GROUP, number))));
    }

    /** The other one's first call in a subgroup, for which it awaits this node, after so many calls of the group. */
    private static WaitNote note(long calledInGroup) {
        return new WaitNote(
                "one",
                SUBGROUP,
                1,
                "barrier",
                true,
                "",
                new TreeMap<>(Map.of(OpenCall.GROUP, calledInGroup, SUBGROUP, 1L)));
    }

    private List<Effect> step(Event event, long millis) {
        Step<WaitMachine.State, Effect> step = machine.step(state, event, millis * MILLI);
        state = step.state();
        return step.effects();
    }

    private List<Effect> look(Optional<OpenCall> call, long millis) {
        return step(new Event.Looked(call, RANKS), millis);
    }

    @Test
    void aCallThatLastsIsToldOnceAndTakenBackWhenItEnded() {
        assertEquals(List.of(), look(call(3), 0));
        assertEquals(List.of(), look(call(3), 150));
        List<Effect> told = look(call(3), 300);
        assertEquals(1, told.size());
        assertTrue(told.getFirst() instanceof Effect.Tell(NodeId to, WaitNote note)
                && to.equals(OTHER)
                && note.number() == 3
                && note.isAwaited()
                && note.mismatch().isEmpty());
        assertEquals(List.of(), look(call(3), 10_000), "not again");
        assertEquals(List.of(new Effect.Tell(OTHER, WaitNote.NONE)), look(call(4), 10_150));
        assertEquals(List.of(), look(call(5), 10_300), "each call has its own time");
        assertEquals(List.of(), look(Optional.empty(), 10_450));
    }

    @Test
    void twoThatWaitForEachOtherEndAtOnceAndTellIt() {
        step(new Event.Heard(OTHER, note(2)), 0);
        List<Effect> effects = look(call(3), 10);
        assertEquals(2, effects.size(), effects.toString());
        assertTrue(effects.get(0) instanceof Effect.Tell(NodeId to, WaitNote ends)
                && to.equals(OTHER)
                && ends.mismatch().startsWith("the ranks wait for each other"));
        assertTrue(effects.get(1) instanceof Effect.End(OpenCall ended, String why)
                && ended.number() == 3
                && why.contains("barrier of a subgroup"));
        assertEquals(List.of(), look(call(4), 160), "the note is used up");
    }

    @Test
    void noteOfOneWhoIsLostOrOutsideOrWaitsNoMoreIsForgotten() {
        step(new Event.Heard(OTHER, note(2)), 0);
        step(new Event.Lost(OTHER), 1);
        step(new Event.Heard(OUTSIDE, note(2)), 2);
        assertEquals(List.of(), look(call(3), 3));
        assertTrue(state.notes().isEmpty());
        step(new Event.Heard(OTHER, note(2)), 4);
        step(new Event.Heard(OTHER, WaitNote.NONE), 5);
        assertEquals(List.of(), look(call(3), 6));
    }

    @Test
    void aSlowRankIsNoStandstill() {
        step(new Event.Heard(OTHER, note(3)), 0); // it has made this call and gone on
        int told = 0;
        for (long millis = 0; millis < 60_000; millis += 10) { // a note is looked at again and again
            List<Effect> effects = look(call(3), millis);
            assertTrue(effects.stream().noneMatch(Effect.End.class::isInstance), effects.toString());
            told += effects.size();
        }
        assertEquals(1, told);
    }

    @Test
    void itLooksSixTimesASecond() {
        look(call(3), 1_000);
        assertEquals(150 * MILLI, machine.sleepNanos(state, 1_000 * MILLI));
        assertEquals(0, machine.sleepNanos(state, 1_200 * MILLI));
    }
}
