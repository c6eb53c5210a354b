package io.hearth.discovery.gossip;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Tells each linked node where this one reaches the others, so that two nodes that lost sight of each other, or that never saw each
 * other, meet through a third. With it a cluster lives on without mDNS.
 *
 * <p>Only what this node reached itself is told, while it is linked there and for ten minutes after; nothing is passed on. So a wrong
 * address goes as far as its sender's links and no further, and it ends with its sender. A new link is told everything, every link is told
 * what changes, members tell one another again when a view is new, and everything is told again each minute. What is heard is a hint and
 * no more: who is behind an address is known from a handshake.
 *
 * <p>Rejected: asking a third node only when a peer is missed. The answer would come when the link is needed already; told ahead, a newcomer
 * dials all members before the view lists it.
 */
public final class AddressGossip implements Machine<AddressGossip.State, AddressGossip.Event, AddressGossip.Effect> {
    /** Most nodes of which addresses are kept. */
    static final int NODES_MAX = 256;

    private static final long SECOND = 1_000_000_000;
    private static final long PAUSE_NANOS = SECOND;
    /** Everything is told again after this long: what is told must be remembered for longer. */
    public static final long REPEAT_NANOS = 60 * SECOND;

    private static final long AGE_NANOS = 600 * SECOND;
    private static final int NEWS_PER_SECOND = 8;

    private final NodeId self;

    /** Of the node {@code self}. */
    public AddressGossip(NodeId self) {
        this.self = self;
    }

    /** Of all nodes that are linked, or were lately. */
    public record State(SortedMap<NodeId, Known> nodes) {
        /** Nobody was ever linked. */
        public static final State EMPTY = new State(Collections.emptySortedMap());

        public State {
            nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
        }
    }

    /**
     * What is kept of one node.
     *
     * @param addresses at which it was reached, latest first
     * @param linked whether it is now
     * @param sinceNanos since when that is so
     * @param owed whose addresses it was not told yet
     * @param toldNanos when it was told something last
     * @param repeatNanos when it was told everything last
     * @param news of it in the second that began at {@code heardNanos}
     */
    public record Known(
            List<PeerAddress> addresses,
            boolean linked,
            long sinceNanos,
            SortedSet<NodeId> owed,
            long toldNanos,
            long repeatNanos,
            int news,
            long heardNanos) {
        public Known {
            addresses = List.copyOf(addresses);
            owed = Collections.unmodifiableSortedSet(new TreeSet<>(owed));
        }

        private static Known linked(List<PeerAddress> addresses, SortedSet<NodeId> all, long now) {
            return new Known(addresses, true, now, all, now - PAUSE_NANOS, now, 0, now);
        }

        private Known lost(long now) {
            return new Known(addresses, false, now, Collections.emptySortedSet(), toldNanos, repeatNanos, 0, now);
        }

        private Known owing(NodeId node) {
            var more = new TreeSet<>(owed);
            more.add(node);
            return new Known(addresses, linked, sinceNanos, more, toldNanos, repeatNanos, news, heardNanos);
        }

        private Known owingAll(SortedSet<NodeId> all, long now) {
            return new Known(addresses, linked, sinceNanos, all, toldNanos, now, news, heardNanos);
        }

        private Known told(long now) {
            return new Known(
                    addresses, linked, sinceNanos, Collections.emptySortedSet(), now, repeatNanos, news, heardNanos);
        }

        private Known heard(long now) {
            return now - heardNanos < SECOND
                    ? new Known(addresses, linked, sinceNanos, owed, toldNanos, repeatNanos, news + 1, heardNanos)
                    : new Known(addresses, linked, sinceNanos, owed, toldNanos, repeatNanos, 1, now);
        }

        private PeerAddress latest() {
            return addresses.getFirst();
        }

        /** When it may be told what it is owed, or is to be told everything again. */
        private long dueNanos() {
            return owed.isEmpty() ? repeatNanos + REPEAT_NANOS : toldNanos + PAUSE_NANOS;
        }
    }

    /** What may happen. */
    public sealed interface Event {
        /** A link was admitted, and this is where the node can be dialled: it may be a new start of the node, which knows nothing. */
        record Linked(NodeId node, PeerAddress address) implements Event {}

        /** The last link to the node ended. */
        record Lost(NodeId node) implements Event {}

        /** A new view: all its members need links to one another. */
        record Together(Set<NodeId> members) implements Event {
            public Together {
                members = Set.copyOf(members);
            }
        }

        /** A linked node tells where it reaches others. */
        record Heard(NodeId from, AddressNews news) implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** What the shell must carry out. */
    public sealed interface Effect {
        /** Send these news. */
        record Tell(NodeId to, AddressNews news) implements Effect {}

        /**
         * The peer table should know of these addresses.
         *
         * @param ownTurn whether this node dials and the other one, which is told the same, waits for a moment
         */
        record Hint(Reached reached, boolean ownTurn) implements Effect {}
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        var nodes = new TreeMap<>(state.nodes());
        var effects = new ArrayList<Effect>();
        nodes.values().removeIf(known -> !known.linked() && nowNanos - known.sinceNanos() >= AGE_NANOS);
        switch (event) {
            case Event.Linked(var node, var address) -> linked(nodes, node, address, nowNanos);
            case Event.Lost(var node) -> nodes.computeIfPresent(node, (_, known) -> known.lost(nowNanos));
            case Event.Together(var members) -> together(nodes, members);
            case Event.Heard(var from, var news) -> heard(nodes, from, news, nowNanos, effects);
            case Event.Tick() -> {}
        }
        tellDue(nodes, nowNanos, effects);
        return new Step<>(new State(nodes), effects);
    }

    @Override
    public long sleepNanos(State state, long nowNanos) {
        long sleep = Long.MAX_VALUE;
        for (Known known : state.nodes().values()) {
            long dueNanos = known.linked() ? known.dueNanos() : known.sinceNanos() + AGE_NANOS;
            sleep = Math.min(sleep, dueNanos - nowNanos);
        }
        return Math.max(0, sleep);
    }

    private static void linked(NavigableMap<NodeId, Known> nodes, NodeId node, PeerAddress address, long now) {
        Optional<Known> before = Optional.ofNullable(nodes.get(node));
        if (before.isEmpty() && nodes.size() >= NODES_MAX && !evict(nodes, now)) {
            return;
        }
        var addresses = new ArrayList<PeerAddress>(List.of(address));
        before.ifPresent(known -> known.addresses().stream()
                .filter(other -> !other.equals(address))
                .limit(Sighting.CANDIDATES_MAX - 1L)
                .forEach(addresses::add));
        SortedSet<NodeId> others = new TreeSet<>(nodes.keySet());
        others.remove(node);
        Optional<Known> same =
                before.filter(known -> known.linked() && known.addresses().equals(addresses));
        if (same.isPresent()) { // no news for the others; but it may have been started again, and know nothing
            nodes.put(node, same.get().owingAll(others, now));
            return;
        }
        nodes.put(node, Known.linked(addresses, others, now));
        nodes.replaceAll((other, known) -> known.linked() && !other.equals(node) ? known.owing(node) : known);
    }

    private static void together(NavigableMap<NodeId, Known> nodes, Set<NodeId> members) {
        for (NodeId node : new TreeSet<>(nodes.keySet())) {
            if (members.contains(node)) {
                nodes.replaceAll((other, known) ->
                        known.linked() && members.contains(other) && !other.equals(node) ? known.owing(node) : known);
            }
        }
    }

    private void heard(
            NavigableMap<NodeId, Known> nodes, NodeId from, AddressNews news, long now, List<Effect> effects) {
        Known teller = nodes.get(from);
        if (teller == null || !teller.linked()) {
            return; // what was on its way when the link ended
        }
        Known counted = teller.heard(now);
        nodes.put(from, counted);
        if (counted.news() > NEWS_PER_SECOND) {
            return; // an honest node says it again
        }
        for (Reached reached : news.reached()) {
            List<PeerAddress> here = reached.addresses().stream()
                    .flatMap(address -> Reach.heard(address, teller.latest()).stream())
                    .distinct()
                    .toList();
            if (!reached.node().equals(self) && !here.isEmpty()) {
                effects.add(new Effect.Hint(new Reached(reached.node(), here), self.compareTo(reached.node()) < 0));
            }
        }
    }

    private static void tellDue(NavigableMap<NodeId, Known> nodes, long now, List<Effect> effects) {
        for (Map.Entry<NodeId, Known> entry : new TreeMap<>(nodes).entrySet()) {
            Known known = entry.getValue();
            if (!known.linked() || now - known.dueNanos() < 0) {
                continue;
            }
            if (now - known.repeatNanos() >= REPEAT_NANOS) {
                SortedSet<NodeId> others = new TreeSet<>(nodes.keySet());
                others.remove(entry.getKey());
                known = known.owingAll(others, now);
            }
            List<Reached> all = news(nodes, known);
            for (int from = 0; from < all.size(); from += AddressNews.NODES_MAX) {
                effects.add(new Effect.Tell(
                        entry.getKey(),
                        new AddressNews(all.subList(from, Math.min(all.size(), from + AddressNews.NODES_MAX)))));
            }
            nodes.put(entry.getKey(), known.told(now));
        }
    }

    /** What a node is owed, as far as it is of use to it. */
    private static List<Reached> news(NavigableMap<NodeId, Known> nodes, Known listener) {
        var news = new ArrayList<Reached>();
        for (NodeId node : listener.owed()) {
            Known known = nodes.get(node);
            if (known != null) {
                List<PeerAddress> addresses = known.addresses().stream()
                        .filter(address -> Reach.isOfUse(address, listener.latest()))
                        .toList();
                if (!addresses.isEmpty()) {
                    news.add(new Reached(node, addresses));
                }
            }
        }
        return news;
    }

    /** Makes room by forgetting who is away longest. */
    private static boolean evict(NavigableMap<NodeId, Known> nodes, long now) {
        Optional<NodeId> away = nodes.entrySet().stream()
                .filter(entry -> !entry.getValue().linked())
                .max(Comparator.comparingLong(entry -> now - entry.getValue().sinceNanos()))
                .map(Map.Entry::getKey);
        away.ifPresent(nodes::remove);
        return away.isPresent();
    }
}
