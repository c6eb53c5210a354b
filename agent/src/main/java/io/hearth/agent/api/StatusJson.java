package io.hearth.agent.api;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.discovery.mdns.MdnsCounters;
import io.hearth.election.health.Preset;
import io.hearth.election.health.Silence;
import io.hearth.identity.NodeId;
import io.hearth.topology.Straggler;
import io.hearth.topology.export.SlowLink;
import java.util.Locale;

/** The JSON form of a {@link ClusterStatus}; {@code schema} rises when a key changes its meaning or is removed. */
public final class StatusJson {
    /** The schema that this version writes. */
    public static final int SCHEMA = 1;

    private StatusJson() {}

    /** One object with schema, self, namespace, master, view, nodes and further keys. */
    public static JsonObject of(ClusterStatus status) {
        var json = new JsonObject();
        json.addProperty("schema", SCHEMA);
        json.addProperty("self", status.self().text());
        json.addProperty("port", status.port());
        json.add("namespace", namespace(status.namespace()));
        json.addProperty("state", status.state().name().toLowerCase(Locale.ROOT));
        json.addProperty("master", status.view().master().text());
        json.add("view", view(status.view()));
        json.add("silence", silence(status.silence()));
        var nodes = new JsonArray();
        status.nodes().forEach(node -> nodes.add(node(node)));
        json.add("nodes", nodes);
        var away = new JsonArray();
        status.away().forEach(gone -> away.add(away(gone)));
        json.add("away", away);
        var refused = new JsonArray();
        status.refused().forEach(other -> refused.add(refused(other)));
        json.add("refused", refused);
        var faults = new JsonArray();
        status.faults().forEach(fault -> faults.add(fault(fault)));
        json.add("faults", faults);
        var doubled = new JsonArray();
        status.doubled().forEach(other -> doubled.add(doubled(other)));
        json.add("doubled", doubled);
        var ignored = new JsonObject();
        status.ignored()
                .forEach((reason, count) -> ignored.addProperty(reason.name().toLowerCase(Locale.ROOT), count));
        json.add("ignored_messages", ignored);
        var mdns = new JsonArray();
        status.mdns().forEach(each -> mdns.add(mdns(each)));
        json.add("mdns", mdns);
        var slow = new JsonArray();
        status.slowLinks().forEach(link -> slow.add(slow(link)));
        json.add("slow_links", slow);
        var delays = new JsonArray();
        status.delays().forEach((by, late) -> delays.add(delay(by, late, status)));
        json.add("delays", delays);
        status.waiting().ifPresent(why -> json.addProperty("waiting", why));
        status.discovery().ifPresent(line -> json.addProperty("discovery", line));
        json.addProperty("other_machines", status.otherMachines());
        json.addProperty("explanation", status.explain());
        return json;
    }

    private static JsonObject namespace(ClusterStatus.Namespace namespace) {
        var json = new JsonObject();
        json.addProperty("name", namespace.name());
        json.addProperty("key_id", namespace.keyId());
        json.addProperty("open", namespace.open());
        return json;
    }

    private static JsonObject view(ClusterStatus.ViewSummary view) {
        var json = new JsonObject();
        json.addProperty("lineage", view.lineage());
        json.addProperty("epoch", view.epoch());
        json.addProperty("members", view.members());
        json.addProperty("told_by", view.toldBy());
        return json;
    }

    private static JsonObject silence(ClusterStatus.SilenceSpan silence) {
        var json = new JsonObject();
        json.addProperty("ms", silence.nanos() / 1_000_000);
        Preset.of(silence.nanos())
                .filter(_ -> silence.origin() != Silence.Origin.IDLE)
                .ifPresent(preset -> json.addProperty("preset", preset.text()));
        json.addProperty("origin", silence.origin().name().toLowerCase(Locale.ROOT));
        json.addProperty("text", silence.text());
        return json;
    }

    private static JsonObject node(ClusterStatus.Node node) {
        var json = new JsonObject();
        json.addProperty("id", node.id().text());
        json.addProperty("label", node.label());
        json.addProperty("self", node.isSelf());
        if (!node.version().isEmpty()) {
            json.addProperty("version", node.version());
        }
        node.role().ifPresent(role -> json.addProperty("role", role.name().toLowerCase(Locale.ROOT)));
        if (!node.group().isEmpty()) {
            json.addProperty("group", node.group());
        }
        node.rank().ifPresent(rank -> json.addProperty("rank", rank));
        node.address().ifPresent(address -> json.addProperty("address", address));
        json.addProperty("health", node.health().name().toLowerCase(Locale.ROOT));
        node.apart().ifPresent(why -> json.addProperty("apart", why));
        node.roundTripNanos().ifPresent(nanos -> json.addProperty("rtt_ms", millis(nanos)));
        node.meanRoundTripNanos().ifPresent(nanos -> json.addProperty("rtt_mean_ms", millis(nanos)));
        return json;
    }

    private static JsonObject away(ClusterStatus.Away gone) {
        var json = new JsonObject();
        json.addProperty("id", gone.id().text());
        json.addProperty("label", gone.label());
        json.addProperty("address", gone.address());
        json.addProperty("since_ms", gone.sinceMillis());
        json.addProperty("why", gone.why());
        return json;
    }

    private static JsonObject refused(ClusterStatus.Refused other) {
        var json = new JsonObject();
        json.addProperty("address", other.address());
        json.addProperty("who", other.who());
        json.addProperty("why", other.why());
        json.addProperty("count", other.count());
        return json;
    }

    private static JsonObject fault(ClusterStatus.Fault fault) {
        var json = new JsonObject();
        json.addProperty("who", fault.who());
        json.addProperty("why", fault.why());
        json.addProperty("count", fault.count());
        return json;
    }

    private static JsonObject doubled(ClusterStatus.Doubled other) {
        var json = new JsonObject();
        json.addProperty("who", other.who());
        json.addProperty("self", other.isSelf());
        var addresses = new JsonArray();
        other.addresses().forEach(addresses::add);
        json.add("addresses", addresses);
        json.addProperty("why", other.text());
        return json;
    }

    private static JsonObject slow(SlowLink link) {
        var json = new JsonObject();
        json.addProperty("from", link.from().text());
        json.addProperty("to", link.to().text());
        json.addProperty("bytes_per_second", link.bytesPerSecond());
        json.addProperty("former_bytes_per_second", link.formerBytesPerSecond());
        json.addProperty("text", link.text());
        return json;
    }

    private static JsonObject delay(NodeId by, Straggler late, ClusterStatus status) {
        String label = status.label(late.node());
        String name = label.isEmpty() ? late.node().shortText() : label;
        var json = new JsonObject();
        json.addProperty("node", late.node().text());
        json.addProperty("by", by.text());
        json.addProperty("cause", late.cause().name().toLowerCase(Locale.ROOT));
        json.addProperty("text", name + " delays sums: " + late.text());
        return json;
    }

    private static JsonObject mdns(MdnsCounters each) {
        var json = new JsonObject();
        json.addProperty("interface", each.interfaceName());
        json.addProperty("address", each.address());
        json.addProperty("sent", each.sent());
        json.addProperty("send_failures", each.sendFailures());
        json.addProperty("records_heard", each.recordsHeard());
        json.addProperty("dropped", each.dropped());
        json.addProperty("foreign", each.foreign());
        json.addProperty("members", each.members());
        json.addProperty("restarted", each.restarted());
        if (each.restarted() > 0) {
            json.addProperty("restart_reason", each.restartReason());
            json.addProperty("restarted_s_ago", each.sinceRestartNanos() / 1_000_000_000L);
        }
        return json;
    }

    /** Milliseconds with three decimals, because less than a microsecond is noise. */
    private static double millis(long nanos) {
        return Math.round(nanos / 1e3) / 1e3;
    }
}
