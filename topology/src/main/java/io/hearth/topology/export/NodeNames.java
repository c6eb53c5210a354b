package io.hearth.topology.export;

import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.NodeProfile;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Names of nodes for people: the label, with as much of the id as makes it unique. */
public final class NodeNames {
    private NodeNames() {}

    /** The names of all nodes. A node without a label has its short id. */
    public static SortedMap<NodeId, String> of(ClusterTopology topology) {
        var bearers = new TreeMap<String, Integer>();
        topology.nodes().forEach(node -> bearers.merge(name(topology, node), 1, Integer::sum));
        var names = new TreeMap<NodeId, String>();
        for (NodeId node : topology.nodes()) {
            String name = name(topology, node);
            names.put(node, bearers.getOrDefault(name, 1) == 1 ? name : name + " (" + node.shortText() + ")");
        }
        return Collections.unmodifiableSortedMap(names);
    }

    private static String name(ClusterTopology topology, NodeId node) {
        String label = topology.profile(node).map(NodeProfile::label).orElse("");
        if (label.isEmpty()) {
            return node.shortText();
        }
        return node.slot().equals(NodeId.AGENT) ? label : label + "/" + node.slot();
    }
}
