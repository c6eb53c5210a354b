package io.hearth.topology;

import io.hearth.identity.NodeId;
import java.util.Collections;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The newest report of each node, and what follows from all of them for one direction of a link. Where both ends report, the worse value
 * counts: then a node that claims more than its link carries changes nothing. Mutable, for one thread.
 */
public final class LinkReports {
    private static final LinkReport.Measured UNKNOWN = new LinkReport.Measured(0, 0, 0);

    private final SortedMap<NodeId, LinkReport> byNode = new TreeMap<>();
    private long changes;

    /** Replaces the report of a node; a node beyond {@link ClusterTopology#NODES_MAX} is ignored. */
    public void put(NodeId node, LinkReport report) {
        if (byNode.size() < ClusterTopology.NODES_MAX || byNode.containsKey(node)) {
            LinkReport before = byNode.put(node, report);
            if (before == null || report.differsForPlans(before)) {
                changes++;
            }
        }
    }

    /** Forgets the report of a node. */
    public void remove(NodeId node) {
        if (byNode.remove(node) != null) {
            changes++;
        }
    }

    /** Number of notable changes so far of what plans are made from. */
    public long changes() {
        return changes;
    }

    /** All reports by node; a view of them. */
    public SortedMap<NodeId, LinkReport> all() {
        return Collections.unmodifiableSortedMap(byNode);
    }

    /** Whether the node sent a report. */
    public boolean has(NodeId node) {
        return byNode.containsKey(node);
    }

    /** Bytes per second from one node to another; empty if neither end measured it. */
    public OptionalLong bytesPerSecond(NodeId from, NodeId to) {
        long out = of(from, to).outBytesPerSecond();
        long in = of(to, from).inBytesPerSecond();
        return known(out == 0 ? in : in == 0 ? out : Math.min(out, in));
    }

    /** The round trip between two nodes in nanoseconds; empty if neither end measured it. */
    public OptionalLong roundTripNanos(NodeId one, NodeId other) {
        return known(Math.max(of(one, other).roundTripNanos(), of(other, one).roundTripNanos()));
    }

    /** What the collectives of a node show of the bytes from another one; 0 if they show nothing. */
    public long seenBytesPerSecond(NodeId from, NodeId to) {
        return of(to, from).seenBytesPerSecond();
    }

    /** The share of its time that a node encodes and decodes, in percent; 0 if it says nothing. */
    public int codecPercent(NodeId node) {
        return byNode.getOrDefault(node, LinkReport.NONE).codecPercent();
    }

    private LinkReport.Measured of(NodeId from, NodeId to) {
        LinkReport report = byNode.getOrDefault(from, LinkReport.NONE);
        return report.links().getOrDefault(to, UNKNOWN);
    }

    private static OptionalLong known(long value) {
        return value == 0 ? OptionalLong.empty() : OptionalLong.of(value);
    }
}
