package io.hearth.agent.group;

import io.hearth.collective.engine.CollectiveEngine;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.OpenCall;
import io.hearth.collective.group.Standstill;
import io.hearth.collective.group.WaitNote;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Tells the other trainers of the view in which call this one waits, and ends calls that wait for each other; see {@link Standstill}. It
 * does nothing before this trainer or another one has a subgroup. Owner thread only.
 */
public final class WaitTalk {
    private static final long LOOK_NANOS = Duration.ofMillis(150).toNanos();
    private static final long WAIT_NANOS = 2 * LOOK_NANOS; // of a call, before others are told

    private final NodeId self;
    private final String group;
    private final Optional<CollectiveEngine> engine;
    private final BiConsumer<NodeId, byte[]> messenger;
    private final Clock clock;
    private final SortedMap<NodeId, WaitNote> notes = new TreeMap<>();
    private Optional<OpenCall> seen = Optional.empty();
    private long seenNanos;
    private long lookedNanos;
    private boolean isTold;

    /**
     * Without any notes yet.
     *
     * @param engine of a trainer; empty for an agent
     * @param messenger sends a note on the link to a node; lost if there is none
     */
    public WaitTalk(
            NodeId self,
            String group,
            Optional<CollectiveEngine> engine,
            BiConsumer<NodeId, byte[]> messenger,
            Clock clock) {
        this.self = self;
        this.group = group;
        this.engine = engine;
        this.messenger = messenger;
        this.clock = clock;
        this.lookedNanos = clock.nanoTime();
    }

    public void lost(NodeId node) {
        notes.remove(node);
    }

    public void heard(NodeId node, byte[] bytes) throws MalformedMessageException {
        WaitNote note = CollectiveMessages.waitNote(bytes);
        if (engine.isPresent() && !note.equals(WaitNote.NONE)) {
            notes.put(node, note);
        } else {
            notes.remove(node);
        }
    }

    private boolean isOn() {
        return engine.isPresent() && (!notes.isEmpty() || engine.get().hasSubgroups());
    }

    /** Looks at the open call from time to time. */
    public void drive(View view) {
        long now = clock.nanoTime();
        if (!isOn() || (now - lookedNanos < LOOK_NANOS && notes.isEmpty())) {
            return;
        }
        lookedNanos = now;
        List<NodeId> ranks = view.group(group).stream().map(Member::node).toList();
        Optional<OpenCall> open = engine.orElseThrow().openCall();
        if (open.isEmpty() || seen.filter(open.get()::isSameAs).isEmpty()) {
            seen = open;
            seenNanos = now;
            if (isTold) {
                isTold = false;
                ranks.forEach(node -> send(node, WaitNote.NONE));
            }
        }
        if (open.isPresent() && (now - seenNanos >= WAIT_NANOS || !notes.isEmpty())) {
            waits(open.get(), ranks);
        }
    }

    private void waits(OpenCall call, List<NodeId> ranks) {
        if (!isTold) {
            isTold = true;
            tell(call, ranks, "");
        }
        notes.keySet().retainAll(ranks);
        Standstill.of(call, notes, ranks).ifPresent(why -> {
            tell(call, ranks, why); // before the others learn that this member left its group
            engine.orElseThrow().mismatched(call, why);
            seen = Optional.empty();
            isTold = false;
            notes.clear();
        });
    }

    private void tell(OpenCall call, List<NodeId> ranks, String mismatch) {
        for (NodeId node : ranks) {
            send(
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

    private void send(NodeId node, WaitNote note) {
        if (!node.equals(self)) {
            messenger.accept(node, CollectiveMessages.encode(note));
        }
    }

    /** Time until the next look; {@link Long#MAX_VALUE} for never. */
    public long sleepNanos() {
        return isOn() ? Math.max(0, lookedNanos + LOOK_NANOS - clock.nanoTime()) : Long.MAX_VALUE;
    }
}
