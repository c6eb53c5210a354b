package io.hearth.discovery.relay;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides when to reach a node through another one, because no direct link comes about.
 *
 * <pre>
 *               wanted, or link lost                link (direct or relayed)
 * (no interest) ---------------------&gt; Missing --------------------------------&gt; (linked)
 *                                      |  ^  dial through the next helper,
 *                                      +--+  pause 0.5 to 60 s
 * Missing --no longer wanted--&gt; (no interest)
 * </pre>
 *
 * <p>The direct dials go on meanwhile, and a direct link replaces a relayed one. A node that was linked before is missed at once: it has
 * {@value #LOST_MILLIS} ms until the first try. A node that was never linked gets {@value #NEW_MILLIS} ms, because its direct dial may only
 * just begin. Of the two ends the one with the smaller id tries first, and the other {@value #TURN_MILLIS} ms later. Helpers are the nodes
 * with a direct link, in turns. One that cannot reach the node says so at once, so nothing needs to be known about the links of others.
 *
 * <p>The spans fit into those of the view change: a link that fell silent is closed after 3 s, and the lead removes a member 3.5 s after the
 * first report of a broken pair, 5 s after the last frame. So a relay has about a second and a half, and mends a pair before one of the two is
 * removed. The circuit relay of libp2p is the model; here each member serves, and only for members.
 */
public final class RelayMachine implements Machine<RelayMachine.State, RelayMachine.Event, RelayMachine.Effect> {
    static final int LOST_MILLIS = 250;
    static final int NEW_MILLIS = 2_500;
    static final int TURN_MILLIS = 400;

    private static final long MILLI = 1_000_000L;
    private static final long PAUSE_MIN_NANOS = 500 * MILLI;
    private static final long PAUSE_MAX_NANOS = 60_000 * MILLI;
    private static final long NEXT_NANOS = 20 * MILLI; // after a helper said that it cannot help

    private final NodeId self;

    /** @param self this node */
    public RelayMachine(NodeId self) {
        this.self = self;
    }

    /** Inputs of the machine. */
    public sealed interface Event {
        /** The nodes to which this node needs links: the members of its view. Replaces the former set. */
        record Wanted(SortedSet<NodeId> nodes) implements Event {
            public Wanted {
                nodes = Collections.unmodifiableSortedSet(new TreeSet<>(nodes));
            }
        }

        /** A node is linked, directly or through another one. */
        record Linked(NodeId node, boolean relayed) implements Event {}

        /** The link to a node ended. */
        record Lost(NodeId node) implements Event {}

        /** A helper did not connect this node with the target. */
        record Failed(NodeId via, NodeId target) implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** Outputs, which the shell carries out. */
    public sealed interface Effect {
        /** Dial {@code target} through {@code via}; a failure is reported as {@link Event.Failed}. */
        record Dial(NodeId via, NodeId target) implements Effect {}
    }

    /**
     * A wanted node without a link.
     *
     * @param dueNanos time of the next try
     * @param tries made so far
     * @param refusals answers of helpers since the last pause
     */
    record Missing(long dueNanos, int tries, int refusals) {}

    /**
     * Links and missing nodes.
     *
     * @param wanted nodes to which this node needs links
     * @param linked linked nodes; true: through a relay
     * @param missing wanted nodes that are not linked
     */
    public record State(
            SortedSet<NodeId> wanted, SortedMap<NodeId, Boolean> linked, SortedMap<NodeId, Missing> missing) {
        public static final State EMPTY = new State(new TreeSet<>(), new TreeMap<>(), new TreeMap<>());

        public State {
            wanted = Collections.unmodifiableSortedSet(new TreeSet<>(wanted));
            linked = Collections.unmodifiableSortedMap(new TreeMap<>(linked));
            missing = Collections.unmodifiableSortedMap(new TreeMap<>(missing));
        }

        private List<NodeId> helpers() {
            return linked.entrySet().stream()
                    .filter(link -> !link.getValue())
                    .map(Map.Entry::getKey)
                    .toList();
        }
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        var linked = new TreeMap<>(state.linked());
        var missing = new TreeMap<>(state.missing());
        SortedSet<NodeId> wanted = state.wanted();
        long firstNanos = NEW_MILLIS * MILLI;
        switch (event) {
            case Event.Wanted(var nodes) -> wanted = nodes;
            case Event.Linked(var node, boolean relayed) -> {
                linked.put(node, relayed);
                missing.remove(node);
            }
            case Event.Lost(var node) -> {
                linked.remove(node);
                firstNanos = LOST_MILLIS * MILLI;
            }
            case Event.Failed(var via, var target) ->
                missing.computeIfPresent(
                        target, (_, known) -> failed(known, state.helpers().size(), nowNanos));
            case Event.Tick() -> {}
        }
        missing.keySet().retainAll(wanted);
        for (NodeId node : wanted) {
            if (!node.equals(self) && !linked.containsKey(node) && !missing.containsKey(node)) {
                long turnNanos = self.compareTo(node) < 0 ? 0 : TURN_MILLIS * MILLI;
                missing.put(node, new Missing(nowNanos + firstNanos + turnNanos, 0, 0));
            }
        }
        return tryDue(new State(wanted, linked, missing), nowNanos);
    }

    /** The next helper is asked at once, until all of them refused. */
    private static Missing failed(Missing known, int helpers, long nowNanos) {
        int refusals = known.refusals() + 1;
        return refusals < helpers
                ? new Missing(Math.min(known.dueNanos(), nowNanos + NEXT_NANOS), known.tries(), refusals)
                : new Missing(known.dueNanos(), known.tries(), 0);
    }

    private static Step<State, Effect> tryDue(State state, long nowNanos) {
        List<NodeId> helpers = state.helpers();
        var missing = new TreeMap<>(state.missing());
        var effects = new ArrayList<Effect>();
        state.missing().forEach((node, known) -> {
            if (known.dueNanos() - nowNanos <= 0 && !helpers.isEmpty()) {
                effects.add(new Effect.Dial(helpers.get(known.tries() % helpers.size()), node));
                missing.put(
                        node,
                        new Missing(
                                nowNanos + pauseNanos(known.tries() / helpers.size()),
                                known.tries() + 1,
                                known.refusals()));
            }
        });
        return new Step<>(new State(state.wanted(), state.linked(), missing), effects);
    }

    /** The pause doubles with each round of all helpers. */
    private static long pauseNanos(int rounds) {
        return Math.min(PAUSE_MAX_NANOS, PAUSE_MIN_NANOS << Math.min(rounds, 10));
    }

    @Override
    public long sleepNanos(State state, long nowNanos) {
        if (state.helpers().isEmpty()) {
            return Long.MAX_VALUE; // the next link wakes it
        }
        long sleep = Long.MAX_VALUE;
        for (Missing known : state.missing().values()) {
            sleep = Math.min(sleep, Math.max(0, known.dueNanos() - nowNanos));
        }
        return sleep;
    }
}
