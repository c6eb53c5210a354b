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
 *               wanted, reported, link lost         link (direct or relayed)
 * (no interest) ---------------------&gt; Missing --------------------------------&gt; (linked)
 *                                      |  ^  dial through the next helper,            |
 *                                      +--+  pause 0.5 to 60 s                        |
 *                                       ^            wanted, direct link silent       |
 *                                       +---------------------------------------------+
 * Missing --heard again---------------------&gt; (linked)
 * Missing --no longer wanted nor reported---&gt; (no interest)
 * </pre>
 *
 * <p>Wanted are the members of the view. Reported are nodes that a member reaches: a node that was removed, or that joins while it cannot reach
 * a member, needs links to these. A report counts for two minutes, as members repeat it each minute.
 *
 * <p>The direct dials go on meanwhile, and a direct link replaces a relayed one. A node that was linked before is missed at once: it has
 * {@value #LOST_MILLIS} ms until the first try. A node that was never linked gets {@value #NEW_MILLIS} ms, because its direct dial may only
 * just begin. Of the two ends the one with the smaller id tries first, and the other {@value #TURN_MILLIS} ms later. Helpers are the nodes
 * with a direct link that is not silent, in turns. One that cannot reach the node says so at once, so nothing needs to be known about the links
 * of others.
 *
 * <p>The spans fit into those of the view change. A link counts as silent after half a span of silence, 750 ms. If the lead is one end of a
 * broken pair, both ends suspect each other 750 ms later, and one of them is left out. So the first try comes {@value #SILENT_MILLIS} ms after
 * doubt, when a link over another cable had its chance, and the relayed link then replaces the silent one at both ends.
 *
 * <p>Rejected: a suspicion of the lead that waits while another member reports that it hears the lead. It would change the view change that
 * the model checked, and delay the removal of a dead lead. The circuit relay of libp2p is the model; here each member serves, and only for
 * members.
 */
public final class RelayMachine implements Machine<RelayMachine.State, RelayMachine.Event, RelayMachine.Effect> {
    static final int LOST_MILLIS = 250;
    static final int SILENT_MILLIS = 150;
    static final int NEW_MILLIS = 2_500;
    static final int TURN_MILLIS = 400;

    private static final long MILLI = 1_000_000L;
    private static final long PAUSE_MIN_NANOS = 500 * MILLI;
    private static final long PAUSE_MAX_NANOS = 60_000 * MILLI;
    private static final long NEXT_NANOS = 20 * MILLI; // after a helper said that it cannot help
    private static final long REPORT_NANOS = 120_000 * MILLI; // members repeat a report each minute

    /** Most reported nodes. */
    static final int REPORTED_MAX = 64;

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

        /** A linked node was not heard for half a span of silence. */
        record Silent(NodeId node) implements Event {}

        /** A linked node is heard again. */
        record Heard(NodeId node) implements Event {}

        /** A linked node reported that it reaches this one. */
        record Reported(NodeId node) implements Event {}

        /** A helper did not connect this node with the target. */
        record Failed(NodeId via, NodeId target) implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** Outputs, which the shell carries out. */
    public sealed interface Effect {
        /**
         * Dial {@code target} through {@code via}; a failure is reported as {@link Event.Failed}.
         *
         * @param isSilent whether the new link replaces a direct one that fell silent
         */
        record Dial(NodeId via, NodeId target, boolean isSilent) implements Effect {}
    }

    /**
     * A wanted node without a link, or with a silent one.
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
     * @param reported further nodes that linked ones reach, with the time of the last report
     * @param linked linked nodes
     * @param missing wanted and reported nodes without a link, or with a silent one
     */
    public record State(
            SortedSet<NodeId> wanted,
            SortedMap<NodeId, Long> reported,
            SortedMap<NodeId, Link> linked,
            SortedMap<NodeId, Missing> missing) {
        public static final State EMPTY = new State(new TreeSet<>(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>());

        public State {
            wanted = Collections.unmodifiableSortedSet(new TreeSet<>(wanted));
            reported = Collections.unmodifiableSortedMap(new TreeMap<>(reported));
            linked = Collections.unmodifiableSortedMap(new TreeMap<>(linked));
            missing = Collections.unmodifiableSortedMap(new TreeMap<>(missing));
        }

        /** Whether the link to a node goes through another one. */
        public boolean isRelayed(NodeId node) {
            Link link = linked.get(node);
            return link != null && link.relayed();
        }

        private State missing(SortedMap<NodeId, Missing> now) {
            return new State(wanted, reported, linked, now);
        }

        private List<NodeId> helpers() {
            return linked.entrySet().stream()
                    .filter(link ->
                            !link.getValue().relayed() && !link.getValue().silent())
                    .map(Map.Entry::getKey)
                    .toList();
        }

        private boolean isSilent(NodeId node) {
            Link link = linked.get(node);
            return link != null && link.silent();
        }

        /** The nodes that need a relay. */
        private SortedSet<NodeId> missed(NodeId self) {
            var missed = new TreeSet<>(wanted);
            missed.addAll(reported.keySet());
            missed.remove(self);
            missed.removeIf(node -> linked.containsKey(node) && !isSilent(node));
            return missed;
        }
    }

    /**
     * The link to a node.
     *
     * @param relayed whether it goes through another one
     * @param silent whether nothing arrives on it any more
     */
    record Link(boolean relayed, boolean silent) {}

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        var linked = new TreeMap<>(state.linked());
        var missing = new TreeMap<>(state.missing());
        var reported = new TreeMap<>(state.reported());
        reported.values().removeIf(lastNanos -> nowNanos - lastNanos >= REPORT_NANOS);
        SortedSet<NodeId> wanted = state.wanted();
        long firstNanos = NEW_MILLIS * MILLI;
        switch (event) {
            case Event.Wanted(var nodes) -> wanted = nodes;
            case Event.Linked(var node, boolean relayed) -> {
                linked.put(node, new Link(relayed, false));
                missing.remove(node);
            }
            case Event.Lost(var node) -> {
                linked.remove(node);
                firstNanos = LOST_MILLIS * MILLI;
            }
            case Event.Silent(var node) -> {
                linked.computeIfPresent(node, (_, link) -> new Link(link.relayed(), true));
                firstNanos = SILENT_MILLIS * MILLI;
            }
            case Event.Heard(var node) -> linked.computeIfPresent(node, (_, link) -> new Link(link.relayed(), false));
            case Event.Reported(var node) -> {
                boolean isRoom = reported.size() < REPORTED_MAX || reported.containsKey(node);
                if (isRoom && !linked.containsKey(node)) {
                    reported.put(node, nowNanos);
                }
            }
            case Event.Failed(var via, var target) ->
                missing.computeIfPresent(
                        target, (_, known) -> failed(known, state.helpers().size(), nowNanos));
            case Event.Tick() -> {}
        }
        var now = new State(wanted, reported, linked, missing);
        SortedSet<NodeId> missed = now.missed(self);
        missing.keySet().retainAll(missed);
        for (NodeId node : missed) {
            long turnNanos = self.compareTo(node) < 0 ? 0 : TURN_MILLIS * MILLI;
            missing.putIfAbsent(node, new Missing(nowNanos + firstNanos + turnNanos, 0, 0));
        }
        return tryDue(now.missing(missing), nowNanos);
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
                effects.add(new Effect.Dial(helpers.get(known.tries() % helpers.size()), node, state.isSilent(node)));
                missing.put(
                        node,
                        new Missing(
                                nowNanos + pauseNanos(known.tries() / helpers.size()),
                                known.tries() + 1,
                                known.refusals()));
            }
        });
        return new Step<>(state.missing(missing), effects);
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
