package io.hearth.topology.export;

import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A topology in the DOT language of Graphviz. Nodes are numbered in node order, so no text of a peer becomes an id; labels are quoted
 * strings. In them a backslash begins an escape and an ampersand begins a character of HTML, so both are escaped with the quote.
 */
public final class TopologyDot {
    private TopologyDot() {}

    /** A directed graph; links that lead only one way are dashed. */
    public static String of(ClusterTopology topology) {
        Map<NodeId, String> names = NodeNames.of(topology);
        var numbers = new TreeMap<NodeId, String>();
        var dot = new StringBuilder("digraph hearth {\n  rankdir=LR;\n  node [shape=box];\n");
        names.forEach((node, name) -> {
            String number = "n" + numbers.size();
            numbers.put(node, number);
            dot.append("  ")
                    .append(number)
                    .append(" [label=\"")
                    .append(label(Facts.node(topology, node, name)))
                    .append("\"];\n");
        });
        for (ConnectionProfile link : topology.links()) {
            dot.append("  ")
                    .append(numbers.get(link.from()))
                    .append(" -> ")
                    .append(numbers.get(link.to()))
                    .append(" [label=\"")
                    .append(label(Facts.link(topology, link)))
                    .append(Facts.back(topology, link) == Facts.Back.ONE_WAY ? "\", style=dashed];\n" : "\"];\n");
        }
        return dot.append("}\n").toString();
    }

    private static String label(List<String> lines) {
        return lines.stream().map(TopologyDot::escaped).collect(Collectors.joining("\\n"));
    }

    static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("&", "&amp;");
    }
}
