package io.hearth.agent.group;

import io.hearth.agent.group.machine.WaitMachine;
import io.hearth.agent.group.machine.WaitMachine.Effect;
import io.hearth.agent.group.machine.WaitMachine.Event;
import io.hearth.collective.engine.CollectiveEngine;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.WaitNote;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.Step;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * The shell of {@link WaitMachine}: looks at the collectives, exchanges notes with linked nodes. It does nothing before this trainer or
 * another one has a subgroup, because calls of one group cannot wait for each other. Owner thread only.
 */
public final class WaitTalk {
    private final String group;
    private final Optional<CollectiveEngine> engine;
    private final BiConsumer<NodeId, byte[]> messenger;
    private final Clock clock;
    private final WaitMachine machine;
    private WaitMachine.State state;

    /**
     * Without any notes yet.
     *
     * @param engine of a trainer; empty for an agent, which takes no part
     * @param messenger sends a note on the link to a node; lost if there is none
     */
    public WaitTalk(
            NodeId self,
            String group,
            Optional<CollectiveEngine> engine,
            BiConsumer<NodeId, byte[]> messenger,
            Clock clock) {
        this.group = group;
        this.engine = engine;
        this.messenger = messenger;
        this.clock = clock;
        this.machine = new WaitMachine(self);
        this.state = WaitMachine.State.start(clock.nanoTime());
    }

    public void lost(NodeId node) {
        step(new Event.Lost(node));
    }

    public void heard(NodeId node, byte[] bytes) throws MalformedMessageException {
        WaitNote note = CollectiveMessages.waitNote(bytes);
        if (engine.isPresent()) {
            step(new Event.Heard(node, note));
        }
    }

    private boolean isOn() {
        return engine.isPresent()
                && (engine.get().hasSubgroups()
                        || state.isTold()
                        || !state.notes().isEmpty());
    }

    /** Looks at the open call if it is time to, or if there are notes. */
    public void drive(View view) {
        if (isOn() && (!state.notes().isEmpty() || sleepNanos() == 0)) {
            List<NodeId> ranks = view.group(group).stream().map(Member::node).toList();
            step(new Event.Looked(engine.orElseThrow().openCall(), ranks));
        }
    }

    private void step(Event event) {
        Step<WaitMachine.State, Effect> step = machine.step(state, event, clock.nanoTime());
        state = step.state();
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Tell(NodeId node, WaitNote note) -> messenger.accept(node, CollectiveMessages.encode(note));
                case Effect.End(var call, String why) ->
                    engine.ifPresent(collectives -> collectives.mismatched(call, why));
            }
        }
    }

    /** Time until the next look; {@link Long#MAX_VALUE} for never. */
    public long sleepNanos() {
        return isOn() ? machine.sleepNanos(state, clock.nanoTime()) : Long.MAX_VALUE;
    }
}
