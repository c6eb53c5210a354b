package io.hearth.topology.export;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.NodeLoad;
import io.hearth.topology.NodeProfile;
import io.hearth.topology.PathProfile;
import java.util.Locale;
import java.util.Map;

/**
 * A topology as JSON; {@code schema} rises when a key changes its meaning or is removed. What is not known has no key, so that no number
 * stands for "unknown".
 */
public final class TopologyJson {
    /** The schema that this version writes. */
    public static final int SCHEMA = 1;

    private TopologyJson() {}

    /**
     * One object with schema, nodes, links and history.
     *
     * @param history earlier changes; empty for none
     * @param nowNanos monotonic time, to which ages refer
     */
    public static JsonObject of(ClusterTopology topology, TopologyHistory history, long nowNanos) {
        Map<NodeId, String> names = NodeNames.of(topology);
        var json = new JsonObject();
        json.addProperty("schema", SCHEMA);
        var nodes = new JsonArray();
        names.forEach((node, name) ->
                nodes.add(node(node, name, topology.profile(node).orElse(NodeProfile.UNKNOWN))));
        json.add("nodes", nodes);
        var links = new JsonArray();
        topology.links().forEach(link -> links.add(link(topology, link, names, nowNanos)));
        json.add("links", links);
        var changes = new JsonArray();
        for (TopologyHistory.Entry entry : history.entries()) {
            var change = new JsonObject();
            change.addProperty("at_ms", entry.epochMillis());
            change.addProperty("change", entry.change());
            change.addProperty("nodes", entry.topology().nodes().size());
            change.addProperty("links", entry.topology().links().size());
            changes.add(change);
        }
        json.add("history", changes);
        return json;
    }

    private static JsonObject node(NodeId node, String name, NodeProfile profile) {
        var json = new JsonObject();
        json.addProperty("id", node.text());
        json.addProperty("short_id", node.shortText());
        json.addProperty("name", name);
        json.addProperty("profile", !profile.equals(NodeProfile.UNKNOWN));
        if (profile.equals(NodeProfile.UNKNOWN)) {
            return json;
        }
        json.addProperty("label", profile.label());
        json.addProperty("os", profile.os());
        json.addProperty("arch", profile.arch());
        json.addProperty("cores", profile.cores());
        if (profile.memoryBytes() > 0) {
            json.addProperty("memory_bytes", profile.memoryBytes());
        }
        json.addProperty("accelerator", profile.accelerator());
        json.addProperty("version", profile.version());
        if (!profile.chip().isEmpty()) {
            json.addProperty("chip", profile.chip());
        }
        if (profile.load().percent() != NodeLoad.UNKNOWN) {
            json.addProperty("load_percent", profile.load().percent());
        }
        profile.load().battery().ifPresent(battery -> {
            json.addProperty("battery_percent", battery.percent());
            json.addProperty("on_mains", battery.isOnMains());
        });
        return json;
    }

    private static JsonObject link(
            ClusterTopology topology, ConnectionProfile link, Map<NodeId, String> names, long nowNanos) {
        var json = new JsonObject();
        json.addProperty("from", link.from().text());
        json.addProperty("to", link.to().text());
        json.addProperty("from_name", names.get(link.from()));
        json.addProperty("to_name", names.get(link.to()));
        json.addProperty("class", link.kind().name().toLowerCase(Locale.ROOT));
        json.addProperty("rtt_ms", millis(link.roundTripNanos()));
        link.bytesPerSecond().ifPresent(rate -> json.addProperty("bytes_per_second", rate));
        topology.link(link.to(), link.from())
                .ifPresent(back ->
                        back.bytesPerSecond().ifPresent(rate -> json.addProperty("back_bytes_per_second", rate)));
        json.addProperty("back", Facts.back(topology, link).text());
        var paths = new JsonArray();
        link.paths().forEach(path -> paths.add(path(path, nowNanos)));
        json.add("paths", paths);
        return json;
    }

    private static JsonObject path(PathProfile path, long nowNanos) {
        var json = new JsonObject();
        json.addProperty("path", path.path());
        json.addProperty("class", path.kind().name().toLowerCase(Locale.ROOT));
        json.addProperty("evidence", path.evidence());
        json.addProperty("rtt_ms", millis(path.roundTripNanos()));
        path.bytesPerSecond().ifPresent(rate -> json.addProperty("bytes_per_second", rate));
        path.lossPermille().ifPresent(loss -> json.addProperty("loss_permille", loss));
        json.addProperty("age_s", path.ageNanos(nowNanos) / 1_000_000_000L);
        return json;
    }

    /** Milliseconds with three decimals, because less than a microsecond is noise. */
    private static double millis(long nanos) {
        return Math.round(nanos / 1e3) / 1e3;
    }
}
