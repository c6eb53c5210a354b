package io.hearth.topology.export;

import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.NodeLoad;
import io.hearth.topology.NodeProfile;
import io.hearth.topology.PathProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;

/** What the pictures say about nodes and links, line by line and not escaped. */
final class Facts {
    private Facts() {}

    /** What is known about the opposite direction of a link. */
    enum Back {
        /** It was measured too. */
        MEASURED("measured"),
        /** The node at the other end has measured links, and none back to this one. */
        ONE_WAY("one_way"),
        /** The node at the other end reported no links at all, so nothing is known. */
        NOT_REPORTED("not_reported");

        private final String text;

        Back(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    static Back back(ClusterTopology topology, ConnectionProfile link) {
        if (topology.link(link.to(), link.from()).isPresent()) {
            return Back.MEASURED;
        }
        return topology.graph().outDegreeOf(link.to()) > 0 ? Back.ONE_WAY : Back.NOT_REPORTED;
    }

    /** Name, id, processor, accelerator, load and battery of a node. */
    static List<String> node(ClusterTopology topology, NodeId node, String name) {
        NodeProfile profile = topology.profile(node).orElse(NodeProfile.UNKNOWN);
        var lines = new ArrayList<String>();
        lines.add(name);
        if (!name.contains(node.shortText())) {
            lines.add(node.shortText());
        }
        if (profile.equals(NodeProfile.UNKNOWN)) {
            lines.add("no profile yet");
            return lines;
        }
        lines.add(profile.cores()
                + (profile.cores() == 1 ? " core" : " cores")
                + (profile.chip().isEmpty() ? "" : ", " + profile.chip()));
        if (!profile.accelerator().isEmpty()) {
            lines.add(profile.accelerator());
        }
        if (profile.load().percent() != NodeLoad.UNKNOWN) {
            lines.add("load " + profile.load().percent() + " %");
        }
        profile.load()
                .battery()
                .ifPresent(battery ->
                        lines.add("battery " + battery.percent() + " %" + (battery.isOnMains() ? ", on mains" : "")));
        if (topology.graph().degreeOf(node) == 0) {
            lines.add("no measured link");
        }
        return lines;
    }

    /** Class, round trip, throughput and loss of a link, and its opposite direction unless that is measured too. */
    static List<String> link(ClusterTopology topology, ConnectionProfile link) {
        var lines = new ArrayList<String>();
        lines.add(kinds(link));
        lines.add(millis(link.roundTripNanos()) + " ms");
        lines.add(rate(link.bytesPerSecond()));
        link.paths().stream()
                .flatMapToInt(path -> path.lossPermille().stream())
                .max()
                .ifPresent(loss -> lines.add("loss " + loss + " per thousand"));
        switch (back(topology, link)) {
            case MEASURED -> {}
            case ONE_WAY -> lines.add("one way");
            case NOT_REPORTED -> lines.add("way back not reported");
        }
        return lines;
    }

    /** The classes of all paths. The best path may change with each measurement, and the set does not. */
    static String kinds(ConnectionProfile link) {
        SortedSet<String> kinds = new TreeSet<>();
        for (PathProfile path : link.paths()) {
            kinds.add(path.kind().name());
        }
        return String.join("+", kinds);
    }

    /** A throughput in Mbit/s with about three digits. */
    static String rate(OptionalLong bytesPerSecond) {
        return bytesPerSecond.isPresent() ? megabits(bytesPerSecond.getAsLong()) + " Mbit/s" : "rate not measured";
    }

    static String megabits(long bytesPerSecond) {
        double megabits = bytesPerSecond * 8.0 / 1e6;
        return String.format(Locale.ROOT, megabits >= 100 ? "%.0f" : megabits >= 10 ? "%.1f" : "%.3f", megabits);
    }

    static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e6);
    }
}
