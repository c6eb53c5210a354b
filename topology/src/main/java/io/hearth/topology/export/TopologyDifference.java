package io.hearth.topology.export;

import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.NodeLoad;
import io.hearth.topology.NodeProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What changed notably between two topologies, in one line for people. Nodes, links, classes and rates count. Round trips, loads and
 * batteries do not: they vary all the time.
 */
final class TopologyDifference {
    /** Changes that the line names; it counts the others. */
    private static final int NAMED_MAX = 4;

    /** A rate changed if it differs by more than a fifth of the former one. */
    private static final int RATE_SHARE = 5;

    private TopologyDifference() {}

    /** The line; empty if nothing changed notably. */
    static Optional<String> between(ClusterTopology before, ClusterTopology after) {
        Map<NodeId, String> former = NodeNames.of(before);
        Map<NodeId, String> names = NodeNames.of(after);
        var changes = new ArrayList<String>();
        for (NodeId node : after.nodes()) {
            String name = names.getOrDefault(node, "");
            if (before.profile(node).isEmpty()) {
                changes.add(name + " joined");
            } else if (!constant(before, node).equals(constant(after, node))) {
                changes.add(name + ": new profile");
            }
        }
        before.nodes().stream()
                .filter(node -> after.profile(node).isEmpty())
                .forEach(node -> changes.add(former.getOrDefault(node, "") + " left"));
        for (ConnectionProfile link : after.links()) {
            Optional<ConnectionProfile> was = before.link(link.from(), link.to());
            String ends = names.get(link.from()) + " -> " + names.get(link.to()) + ": ";
            change(was, link).ifPresent(change -> changes.add(ends + change));
        }
        for (ConnectionProfile link : before.links()) {
            boolean haveBothStayed = after.profile(link.from()).isPresent()
                    && after.profile(link.to()).isPresent();
            if (haveBothStayed && after.link(link.from(), link.to()).isEmpty()) {
                changes.add(names.get(link.from()) + " -> " + names.get(link.to()) + ": link lost");
            }
        }
        return line(changes);
    }

    private static Optional<NodeProfile> constant(ClusterTopology topology, NodeId node) {
        return topology.profile(node).map(profile -> profile.loaded(NodeLoad.NONE));
    }

    private static Optional<String> change(Optional<ConnectionProfile> before, ConnectionProfile after) {
        if (before.isEmpty()) {
            return Optional.of("new link, " + Facts.kinds(after)
                    + (after.bytesPerSecond().isPresent() ? ", " + Facts.rate(after.bytesPerSecond()) : ""));
        }
        String kinds = Facts.kinds(before.get());
        if (!kinds.equals(Facts.kinds(after))) {
            return Optional.of(kinds + " -> " + Facts.kinds(after));
        }
        OptionalLong was = before.get().bytesPerSecond();
        OptionalLong is = after.bytesPerSecond();
        if (was.isPresent() && is.isPresent()) {
            long former = was.getAsLong();
            return Math.abs(is.getAsLong() - former) > former / RATE_SHARE
                    ? Optional.of(Facts.megabits(former) + " -> " + Facts.rate(is))
                    : Optional.empty();
        }
        return was.isPresent() == is.isPresent() ? Optional.empty() : Optional.of(Facts.rate(is));
    }

    private static Optional<String> line(List<String> changes) {
        if (changes.isEmpty()) {
            return Optional.empty();
        }
        int others = changes.size() - NAMED_MAX;
        return Optional.of(
                others <= 0
                        ? String.join("; ", changes)
                        : String.join("; ", changes.subList(0, NAMED_MAX)) + "; and " + others + " more");
    }
}
