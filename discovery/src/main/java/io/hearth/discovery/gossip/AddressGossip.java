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
 * Reports to each linked node the addresses at which this node reaches the others. So two nodes that lost each other, or that never saw
 * each other, meet through a third. With it a cluster keeps running without mDNS.
 *
 * <p>A node reports only addresses that it reached itself, while the link lasts and for ten minutes after; it forwards nothing. So a wrong
 * address goes no further than its sender's links, and it ends with its sender. A new link gets everything, and every link gets each
 * change. Members send all again after a new view, and each link gets everything again each minute. A received address is only a hint: a
 * handshake shows which node is behind it.
 *
 * <p>Rejected: asking a third node only when a peer is missed. The answer would come when the link is already needed. With reports ahead of
 * time, a joining node dials all members before the view lists it.
 */
public final class AddressGossip implements Machine<AddressGossip.State, AddressGossip.Event, AddressGossip.Effect> {
    /** Most nodes of which addresses are kept. */
    static final int NODES_MAX = 256;

    private static final long SECOND = 1_000_000_000;
    private static final long PAUSE_NANOS = SECOND;
    /** A link gets everything again after this time. A receiver must remember a report for longer. */
    public static final long REPEAT_NANOS = 60 * SECOND;

    private static final long AGE_NANOS = 600 * SECOND;
    private static final int NEWS_PER_SECOND = 8;

    private final NodeId self;

    /** The gossip of the node {@code self}. */
    public AddressGossip(NodeId self) {
        this.self = self;
    }

    /** The nodes that are linked, or were linked lately. */
    public record State(SortedMap<NodeId, Known> nodes) {
        /** The state before the first link. */
        public static final State EMPTY = new State(Collections.emptySortedMap());

        public State {
            nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
        }
    }

    /**
     * The state of one node.
     *
     * @param addresses at which it was reached, latest first
     * @param linked whether it is linked now
     * @param sinceNanos time of the last change of {@code linked} or of the addresses
     * @param pending nodes whose addresses it did not get yet
     * @param sentNanos time of the last report to it
     * @param repeatNanos time of the last report of everything to it
     * @param news number of messages from it in the second that began at {@code heardNanos}
     */
    public record Known(
            List<PeerAddress> addresses,
            boolean linked,
            long sinceNanos,
            SortedSet<NodeId> pending,
            long sentNanos,
            long repeatNanos,
            int news,
            long heardNanos) {
        public Known {
            addresses = List.copyOf(addresses);
            pending = Collections.unmodifiableSortedSet(new TreeSet<>(pending));
        }

        private static Known linked(List<PeerAddress> addresses, SortedSet<NodeId> all, long now) {
            return new Known(addresses, true, now, all, now - PAUSE_NANOS, now, 0, now);
        }

        private Known lost(long now) {
            return new Known(addresses, false, now, Collections.emptySortedSet(), sentNanos, repeatNanos, 0, now);
        }

        private Known withPending(NodeId node) {
            var more = new TreeSet<>(pending);
            more.add(node);
            return new Known(addresses, linked, sinceNanos, more, sentNanos, repeatNanos, news, heardNanos);
        }

        private Known withAllPending(SortedSet<NodeId> all, long now) {
            return new Known(addresses, linked, sinceNanos, all, sentNanos, now, news, heardNanos);
        }

        private Known sent(long now) {
            return new Known(
                    addresses, linked, sinceNanos, Collections.emptySortedSet(), now, repeatNanos, news, heardNanos);
        }

        private Known heard(long now) {
            return now - heardNanos < SECOND
                    ? new Known(addresses, linked, sinceNanos, pending, sentNanos, repeatNanos, news + 1, heardNanos)
                    : new Known(addresses, linked, sinceNanos, pending, sentNanos, repeatNanos, 1, now);
        }

        private PeerAddress latest() {
            return addresses.getFirst();
        }

        /** Time of the next report: of pending addresses after the pause, else of everything. */
        private long dueNanos() {
            return pending.isEmpty() ? repeatNanos + REPEAT_NANOS : sentNanos + PAUSE_NANOS;
        }
    }

    /** Inputs of the machine. */
    public sealed interface Event {
        /** A link was admitted; the node can be dialled at the address. It may be a new start of the node, which knows no addresses. */
        record Linked(NodeId node, PeerAddress address) implements Event {}

        /** The last link to the node ended. */
        record Lost(NodeId node) implements Event {}

        /** A new view: all its members need links to one another. */
        record Together(Set<NodeId> members) implements Event {
            public Together {
                members = Set.copyOf(members);
            }
        }

        /** A linked node reports where it reaches others. */
        record Heard(NodeId from, AddressNews news) implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** Outputs, which the shell carries out. */
    public sealed interface Effect {
        /** Send this report. */
        record Send(NodeId to, AddressNews news) implements Effect {}

        /**
         * Report these addresses to the peer table.
         *
         * @param ownTurn whether this node dials at once; the other node gets the same hint and waits for a moment
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
        sendDue(nodes, nowNanos, effects);
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
        if (same.isPresent()) { // nothing new for the others, but the node may have restarted without any addresses
            nodes.put(node, same.get().withAllPending(others, now));
            return;
        }
        nodes.put(node, Known.linked(addresses, others, now));
        nodes.replaceAll((other, known) -> known.linked() && !other.equals(node) ? known.withPending(node) : known);
    }

    private static void together(NavigableMap<NodeId, Known> nodes, Set<NodeId> members) {
        for (NodeId node : new TreeSet<>(nodes.keySet())) {
            if (members.contains(node)) {
                nodes.replaceAll((other, known) -> known.linked() && members.contains(other) && !other.equals(node)
                        ? known.withPending(node)
                        : known);
            }
        }
    }

    private void heard(
            NavigableMap<NodeId, Known> nodes, NodeId from, AddressNews news, long now, List<Effect> effects) {
        Known sender = nodes.get(from);
        if (sender == null || !sender.linked()) {
            return; // the message was in flight when the link ended
        }
        Known counted = sender.heard(now);
        nodes.put(from, counted);
        if (counted.news() > NEWS_PER_SECOND) {
            return; // an honest node sends it again
        }
        for (Reached reached : news.reached()) {
            List<PeerAddress> here = reached.addresses().stream()
                    .flatMap(address -> Reach.heard(address, sender.latest()).stream())
                    .distinct()
                    .toList();
            if (!reached.node().equals(self) && !here.isEmpty()) {
                effects.add(new Effect.Hint(new Reached(reached.node(), here), self.compareTo(reached.node()) < 0));
            }
        }
    }

    private static void sendDue(NavigableMap<NodeId, Known> nodes, long now, List<Effect> effects) {
        for (Map.Entry<NodeId, Known> entry : new TreeMap<>(nodes).entrySet()) {
            Known known = entry.getValue();
            if (!known.linked() || now - known.dueNanos() < 0) {
                continue;
            }
            if (now - known.repeatNanos() >= REPEAT_NANOS) {
                SortedSet<NodeId> others = new TreeSet<>(nodes.keySet());
                others.remove(entry.getKey());
                known = known.withAllPending(others, now);
            }
            List<Reached> all = news(nodes, known);
            for (int from = 0; from < all.size(); from += AddressNews.NODES_MAX) {
                effects.add(new Effect.Send(
                        entry.getKey(),
                        new AddressNews(all.subList(from, Math.min(all.size(), from + AddressNews.NODES_MAX)))));
            }
            nodes.put(entry.getKey(), known.sent(now));
        }
    }

    /** The pending addresses for a node, as far as it can use them. */
    private static List<Reached> news(NavigableMap<NodeId, Known> nodes, Known listener) {
        var news = new ArrayList<Reached>();
        for (NodeId node : listener.pending()) {
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

    /** Makes room by forgetting the node whose link was lost longest ago. */
    private static boolean evict(NavigableMap<NodeId, Known> nodes, long now) {
        Optional<NodeId> away = nodes.entrySet().stream()
                .filter(entry -> !entry.getValue().linked())
                .max(Comparator.comparingLong(entry -> now - entry.getValue().sinceNanos()))
                .map(Map.Entry::getKey);
        away.ifPresent(nodes::remove);
        return away.isPresent();
    }
}
