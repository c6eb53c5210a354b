package io.hearth.topology;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.topology.plan.LinkMatrix;
import io.hearth.topology.plan.RingPlanner;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jgrapht.Graph;
import org.jgrapht.graph.AsUnmodifiableGraph;
import org.jgrapht.graph.SimpleDirectedWeightedGraph;
import org.jspecify.annotations.Nullable;

/**
 * The nodes and the measured connections between them: an immutable value over a directed graph, weighted by round-trip time
 * in nanoseconds. All iteration is in node order, so that equal values give equal plans on every node.
 *
 * <p>Each heartbeat of a peer changes a link. A changed topology copies the links that begin at the same node and shares the others with
 * the former one. JGraphT's graph of them is made when it is first asked for.
 */
public final class ClusterTopology {
    /** Most nodes of a topology. */
    public static final int NODES_MAX = 1_024;

    private static final ClusterTopology EMPTY =
            new ClusterTopology(Collections.emptySortedMap(), Collections.emptySortedMap());

    private final SortedMap<NodeId, NodeProfile> profiles;
    private final SortedMap<NodeId, SortedMap<NodeId, ConnectionProfile>> links; // by both ends, no inner map is empty
    private volatile @Nullable Graph<NodeId, ConnectionProfile> graph; // made by any thread, and equal if two make it

    /** With maps that do not change after this call. */
    private ClusterTopology(
            SortedMap<NodeId, NodeProfile> profiles, SortedMap<NodeId, SortedMap<NodeId, ConnectionProfile>> links) {
        this.profiles = Collections.unmodifiableSortedMap(profiles);
        this.links = links;
    }

    /** A topology without nodes. */
    public static ClusterTopology empty() {
        return EMPTY;
    }

    /**
     * A topology of nodes whose profiles are unknown, with the given links.
     *
     * @throws IllegalArgumentException if there are too many nodes, or a link has an end that is not among them
     */
    public static ClusterTopology of(Collection<NodeId> nodes, Collection<ConnectionProfile> links) {
        var profiles = new TreeMap<NodeId, NodeProfile>();
        nodes.forEach(node -> profiles.put(node, NodeProfile.UNKNOWN));
        if (profiles.size() > NODES_MAX) {
            throw new IllegalArgumentException("a topology holds at most " + NODES_MAX + " nodes, got " + nodes.size());
        }
        var byEnds = new TreeMap<NodeId, SortedMap<NodeId, ConnectionProfile>>();
        for (ConnectionProfile link : links) {
            requireEnds(link, profiles);
            byEnds.computeIfAbsent(link.from(), _ -> new TreeMap<>()).put(link.to(), link);
        }
        return new ClusterTopology(profiles, byEnds);
    }

    /** With this node; a node that is already in gets the new profile and keeps its links. */
    public ClusterTopology with(NodeId node, NodeProfile profile) {
        if (profiles.size() >= NODES_MAX && !profiles.containsKey(node)) {
            throw new IllegalStateException("a topology holds at most " + NODES_MAX + " nodes");
        }
        var more = new TreeMap<>(profiles);
        more.put(node, profile);
        return new ClusterTopology(more, links);
    }

    /** Without this node and its links; the same if it is not in. */
    public ClusterTopology without(NodeId node) {
        var fewer = new TreeMap<>(profiles);
        fewer.remove(node);
        var others = new TreeMap<>(links);
        others.remove(node);
        others.replaceAll((_, there) -> without(there, node));
        others.values().removeIf(Map::isEmpty);
        return new ClusterTopology(fewer, others);
    }

    /**
     * With this link in place of any former one of the same direction.
     *
     * @throws IllegalArgumentException if one of its ends is not in
     */
    public ClusterTopology with(ConnectionProfile link) {
        requireEnds(link, profiles);
        var there = new TreeMap<>(from(link.from()));
        there.put(link.to(), link);
        var changed = new TreeMap<>(links);
        changed.put(link.from(), there);
        return new ClusterTopology(profiles, changed);
    }

    /** Without the link of this direction; the same if there is none. */
    public ClusterTopology without(NodeId from, NodeId to) {
        var changed = new TreeMap<>(links);
        changed.computeIfPresent(from, (_, there) -> without(there, to));
        changed.values().removeIf(Map::isEmpty);
        return new ClusterTopology(profiles, changed);
    }

    private static SortedMap<NodeId, ConnectionProfile> without(SortedMap<NodeId, ConnectionProfile> links, NodeId to) {
        if (!links.containsKey(to)) {
            return links;
        }
        var fewer = new TreeMap<>(links);
        fewer.remove(to);
        return fewer;
    }

    private static void requireEnds(ConnectionProfile link, SortedMap<NodeId, NodeProfile> profiles) {
        if (!profiles.containsKey(link.from()) || !profiles.containsKey(link.to())) {
            throw new IllegalArgumentException("no link from " + link.from().shortText() + " to "
                    + link.to().shortText() + " while one of them is not in the topology");
        }
    }

    /** The links that begin at a node, by their other ends. */
    private SortedMap<NodeId, ConnectionProfile> from(NodeId node) {
        return links.getOrDefault(node, Collections.emptySortedMap());
    }

    /** All nodes, in node order. */
    public SortedSet<NodeId> nodes() {
        return Collections.unmodifiableSortedSet(new TreeSet<>(profiles.keySet()));
    }

    /** The profile that a node sent of its machine. */
    public Optional<NodeProfile> profile(NodeId node) {
        return Optional.ofNullable(profiles.get(node));
    }

    /** All links, by node order of their ends. */
    public List<ConnectionProfile> links() {
        return links.values().stream().flatMap(there -> there.values().stream()).toList();
    }

    /** The link of one direction. */
    public Optional<ConnectionProfile> link(NodeId from, NodeId to) {
        return Optional.ofNullable(from(from).get(to));
    }

    /** The graph itself, not modifiable, for JGraphT's algorithms; weights are round-trip nanoseconds. */
    public Graph<NodeId, ConnectionProfile> graph() {
        Graph<NodeId, ConnectionProfile> known = graph;
        if (known == null) {
            known = new AsUnmodifiableGraph<>(made());
            graph = known;
        }
        return known;
    }

    private Graph<NodeId, ConnectionProfile> made() {
        var made = new SimpleDirectedWeightedGraph<NodeId, ConnectionProfile>(null, null); // nodes and edges are given
        profiles.keySet().forEach(made::addVertex);
        for (ConnectionProfile link : links()) {
            made.addEdge(link.from(), link.to(), link);
            made.setEdgeWeight(link, (double) link.roundTripNanos());
        }
        return made;
    }

    /** The link with the longest round trip. */
    public Optional<ConnectionProfile> slowestLink() {
        return links().stream().max(Comparator.comparingLong(ConnectionProfile::roundTripNanos));
    }

    /** As {@link #ringOrder(List)} with all nodes, in node order. */
    public List<NodeId> ringOrder() {
        return ringOrder(List.copyOf(profiles.keySet()));
    }

    /**
     * The ring order of these nodes, whose slowest hop is as fast as possible. Each node sends to the next, the last to the first.
     * Bandwidth counts if it was measured on all links among the nodes, else round-trip time. Equal choices, and nodes without known links,
     * follow rank order.
     *
     * @param byRank distinct nodes; one that is not in the topology has unknown links
     * @return a permutation that starts with the first
     */
    public List<NodeId> ringOrder(List<NodeId> byRank) {
        if (new TreeSet<>(byRank).size() != byRank.size()) {
            throw new IllegalArgumentException("a ring has every node once, got " + byRank.size() + " with repeats");
        }
        if (byRank.isEmpty()) {
            return List.of();
        }
        LinkMatrix links = linkMatrix(byRank);
        return RingPlanner.order(links.isMeasured() ? links : links.withoutRates()).stream()
                .map(byRank::get)
                .toList();
    }

    /**
     * The known links among these nodes, by rank, for a plan. Nodes of one identity are on one machine. A pair without a link here
     * is unknown, not unreachable: the topology holds measurements only.
     *
     * @param byRank distinct nodes, at least one; one that is not in the topology has unknown links
     */
    public LinkMatrix linkMatrix(List<NodeId> byRank) {
        LinkMatrix.Builder links = LinkMatrix.builder(byRank.size());
        var machines = new TreeMap<PeerId, Integer>();
        for (int from = 0; from < byRank.size(); from++) {
            int machine = machines.size();
            links.machine(from, machines.computeIfAbsent(byRank.get(from).peer(), _ -> machine));
            for (int to = 0; to < byRank.size(); to++) {
                Optional<ConnectionProfile> link =
                        from == to ? Optional.empty() : link(byRank.get(from), byRank.get(to));
                if (link.isPresent()) {
                    links.roundTrip(from, to, link.get().roundTripNanos());
                    links.rate(from, to, link.get().bytesPerSecond().orElse(0));
                }
            }
        }
        return links.build();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClusterTopology that && profiles.equals(that.profiles) && links.equals(that.links);
    }

    @Override
    public int hashCode() {
        return 31 * profiles.hashCode() + links.hashCode();
    }

    @Override
    public String toString() {
        return "ClusterTopology[nodes=" + profiles.size() + ", links=" + links().size() + "]";
    }
}
