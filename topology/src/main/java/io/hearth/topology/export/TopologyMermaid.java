package io.hearth.topology.export;

import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A topology as a flow chart of Mermaid. Mermaid looks for directives, HTML and Markdown also inside quoted text. So labels keep letters,
 * digits, blanks and a few signs, and every other character becomes its number ({@code #34;}).
 */
public final class TopologyMermaid {
    private static final String KEPT = " .,:-()+/";

    private TopologyMermaid() {}

    /** A flow chart; links that lead only one way are dotted. */
    public static String of(ClusterTopology topology) {
        Map<NodeId, String> names = NodeNames.of(topology);
        var numbers = new TreeMap<NodeId, String>();
        var chart = new StringBuilder("flowchart LR\n");
        names.forEach((node, name) -> {
            String number = "n" + numbers.size();
            numbers.put(node, number);
            chart.append("  ")
                    .append(number)
                    .append("[\"")
                    .append(label(Facts.node(topology, node, name)))
                    .append("\"]\n");
        });
        for (ConnectionProfile link : topology.links()) {
            boolean isOneWay = Facts.back(topology, link) == Facts.Back.ONE_WAY;
            chart.append("  ")
                    .append(numbers.get(link.from()))
                    .append(isOneWay ? " -.->|\"" : " -->|\"")
                    .append(label(Facts.link(topology, link)))
                    .append("\"| ")
                    .append(numbers.get(link.to()))
                    .append('\n');
        }
        return chart.toString();
    }

    private static String label(List<String> lines) {
        return lines.stream().map(TopologyMermaid::escaped).collect(Collectors.joining("<br/>"));
    }

    static String escaped(String text) {
        var escaped = new StringBuilder();
        text.codePoints().forEach(character -> {
            if (Character.isLetterOrDigit(character) || KEPT.indexOf(character) >= 0) {
                escaped.appendCodePoint(character);
            } else {
                escaped.append('#').append(character).append(';');
            }
        });
        return escaped.toString();
    }
}
