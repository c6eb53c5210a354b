package io.hearth.agent.group.machine;

import io.hearth.collective.group.OpenCall;
import io.hearth.collective.group.Standstill;
import io.hearth.collective.group.WaitNote;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Decides when a trainer tells the others in which call it waits, and when that call must end because it and another one wait for each
 * other ({@link Standstill}).
 *
 * <pre>
 *   no call --look--&gt; seen --0.3 s--&gt; told      from both, when a note proves it: ended
 *      ^               |               |
 *      +--the call ended or is another one: "waits no more", if it was told
 * </pre>
 */
public final class WaitMachine implements Machine<WaitMachine.State, WaitMachine.Event, WaitMachine.Effect> {
    private static final long LOOK_NANOS = Duration.ofMillis(150).toNanos();
    private static final long WAIT_NANOS = 2 * LOOK_NANOS; // of a call, before others are told

    /**
     * The complete state.
     *
     * @param notes of other nodes that wait
     * @param call that was open at the last look
     * @param sinceNanos first look at that call
     * @param isTold whether the others know that it waits
     * @param lookedNanos last look
     */
    public record State(
            SortedMap<NodeId, WaitNote> notes,
            Optional<OpenCall> call,
            long sinceNanos,
            boolean isTold,
            long lookedNanos) {
        public State {
            notes = Collections.unmodifiableSortedMap(new TreeMap<>(notes));
        }

        /** Before the first look. */
        public static State start(long nowNanos) {
            return new State(new TreeMap<>(), Optional.empty(), nowNanos, false, nowNanos);
        }

        private State noting(SortedMap<NodeId, WaitNote> now) {
            return new State(now, call, sinceNanos, isTold, lookedNanos);
        }

        private State told() {
            return new State(notes, call, sinceNanos, true, lookedNanos);
        }
    }

    /** Inputs of the machine. */
    public sealed interface Event {
        /** A node's note arrived. */
        record Heard(NodeId node, WaitNote note) implements Event {}

        /** The link to a node is lost, and with it what the node said. */
        record Lost(NodeId node) implements Event {}

        /**
         * A look at this trainer's collectives.
         *
         * @param call the open one
         * @param ranks trainers of the group in the view, by rank
         */
        record Looked(Optional<OpenCall> call, List<NodeId> ranks) implements Event {
            public Looked {
                ranks = List.copyOf(ranks);
            }
        }
    }

    /** Outputs that the shell carries out. */
    public sealed interface Effect {
        /** Send a note to a node. */
        record Tell(NodeId node, WaitNote note) implements Effect {}

        /** End a call with this error. */
        record End(OpenCall call, String why) implements Effect {}
    }

    private final NodeId self;

    public WaitMachine(NodeId self) {
        this.self = self;
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        return switch (event) {
            case Event.Heard(NodeId node, WaitNote note) -> Step.quiet(state.noting(with(state, node, note)));
            case Event.Lost(NodeId node) -> Step.quiet(state.noting(with(state, node, WaitNote.NONE)));
            case Event.Looked looked -> look(state, looked, nowNanos);
        };
    }

    private static SortedMap<NodeId, WaitNote> with(State state, NodeId node, WaitNote note) {
        var notes = new TreeMap<>(state.notes());
        if (note.equals(WaitNote.NONE)) {
            notes.remove(node);
        } else {
            notes.put(node, note);
        }
        return notes;
    }

    private Step<State, Effect> look(State before, Event.Looked looked, long nowNanos) {
        List<Effect> effects = new ArrayList<>();
        Optional<OpenCall> call = looked.call();
        boolean isSame =
                call.isPresent() && before.call().filter(call.get()::isSameAs).isPresent();
        if (!isSame && before.isTold()) {
            looked.ranks().forEach(node -> tell(effects, node, WaitNote.NONE));
        }
        var notes = new TreeMap<>(before.notes());
        notes.keySet().retainAll(looked.ranks());
        var state =
                new State(notes, call, isSame ? before.sinceNanos() : nowNanos, isSame && before.isTold(), nowNanos);
        if (call.isEmpty()) {
            return new Step<>(state, effects);
        }
        Optional<String> why = Standstill.of(call.get(), notes, looked.ranks());
        if (why.isPresent()) {
            tell(
                    effects,
                    call.get(),
                    looked.ranks(),
                    why.get()); // before the others learn that this member left its group
            effects.add(new Effect.End(call.get(), why.get()));
            return new Step<>(State.start(nowNanos), effects);
        }
        if (state.isTold() || nowNanos - state.sinceNanos() < WAIT_NANOS) {
            return new Step<>(state, effects);
        }
        tell(effects, call.get(), looked.ranks(), "");
        return new Step<>(state.told(), effects);
    }

    private void tell(List<Effect> effects, OpenCall call, List<NodeId> ranks, String mismatch) {
        for (NodeId node : ranks) {
            tell(
                    effects,
                    node,
                    new WaitNote(
                            call.lineage(),
                            call.place(),
                            call.number(),
                            call.text(),
                            call.members().contains(node),
                            mismatch,
                            call.called()));
        }
    }

    private void tell(List<Effect> effects, NodeId node, WaitNote note) {
        if (!node.equals(self)) {
            effects.add(new Effect.Tell(node, note));
        }
    }

    /** Time until the next look. A note calls for one at once. */
    @Override
    public long sleepNanos(State state, long nowNanos) {
        return Math.max(0, state.lookedNanos() + LOOK_NANOS - nowNanos);
    }
}
