package io.hearth.cli.show;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.hearth.cli.terminal.ShortId;
import io.hearth.cli.terminal.Spans;
import io.hearth.cli.terminal.Table;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/** The status of an agent as lines for people, at most as wide as their terminal. */
final class StatusText {
    private static final List<String> HEAD =
            List.of("RANK", "NAME", "NODE", "ROLE", "HEALTH", "RTT", "ADDRESS", "VERSION", "");

    /** Version, node, role, address: what one misses least on a narrow terminal comes first. */
    private static final List<Integer> SPARE = List.of(7, 2, 3, 6);

    private static final long USUAL_SILENCE_MILLIS = 1_500;
    private static final long HOURS_WITHOUT_DATE = 12;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);

    private final JsonObject status;
    private final int width;
    private final long nowMillis;
    private final List<String> lines = new ArrayList<>();

    /**
     * @param width of the terminal, in characters
     * @param nowMillis wall time
     */
    StatusText(JsonObject status, int width, long nowMillis) {
        this.status = status;
        this.width = width;
        this.nowMillis = nowMillis;
    }

    List<String> lines() {
        head();
        var rows = new ArrayList<List<String>>();
        rows.add(HEAD);
        each("nodes", node -> rows.add(row(node)));
        lines.addAll(Table.lines(rows, width, SPARE));
        each("away", gone -> lines.add(away(gone)));
        each("nodes", node -> {
            if (node.has("apart")) {
                lines.add("apart: " + name(node) + " " + text(node, "apart"));
            }
        });
        each("services", this::service);
        if (status.has("stuck")) {
            lines.add("STUCK: " + text(status, "stuck"));
        }
        if (status.has("waiting")) {
            lines.add("waiting: " + text(status, "waiting"));
        }
        each("doubled", other -> lines.add("DOUBLED: " + text(other, "who") + " " + text(other, "why")));
        each(
                "refused",
                other -> lines.add("refused: " + text(other, "address") + " " + text(other, "who") + " (" + times(other)
                        + "): " + text(other, "why")));
        each(
                "faults",
                fault -> lines.add(
                        "rejected: " + text(fault, "who") + " (" + times(fault) + "): " + text(fault, "why")));
        each("slow_links", link -> lines.add("slow link: " + text(link, "text")));
        list("delays").asList().stream()
                .map(late -> text(late.getAsJsonObject(), "text"))
                .distinct()
                .forEach(lines::add);
        each("mdns", mdns -> mdns(mdns).ifPresent(lines::add));
        if (status.has("discovery")) {
            lines.add(text(status, "discovery"));
        }
        return lines;
    }

    private void head() {
        JsonObject namespace = status.getAsJsonObject("namespace");
        JsonObject view = status.getAsJsonObject("view");
        JsonObject agent = status.has("agent") ? status.getAsJsonObject("agent") : new JsonObject();
        lines.add("namespace " + text(namespace, "name") + " (key " + text(namespace, "key_id") + ")"
                + (namespace.get("open").getAsBoolean() ? " OPEN: every machine of the LAN may join" : "")
                + (agent.has("started_ms")
                        ? ", up "
                                + Spans.text(nowMillis - agent.get("started_ms").getAsLong())
                        : ""));
        String master = text(status, "master");
        lines.add("view " + text(view, "epoch") + " of " + text(view, "lineage") + ", " + text(view, "members")
                + (view.get("members").getAsInt() == 1 ? " member" : " members") + ", master " + named(master)
                + ", this node is " + text(status, "state") + sender(view, master));
        JsonObject silence = status.has("silence") ? status.getAsJsonObject("silence") : new JsonObject();
        boolean isUsual = silence.size() == 0
                || silence.get("ms").getAsLong() == USUAL_SILENCE_MILLIS
                || text(silence, "origin").equals("idle");
        if (!isUsual) {
            lines.add("peers are suspected after " + text(silence, "text"));
        }
    }

    private void service(JsonObject service) {
        lines.add("service " + text(service, "name") + " at " + text(service, "address") + ": "
                + (service.has("answered_by")
                        ? named(text(service, "answered_by")) + " answers, its state is on "
                                + machines(service.get("keepers").getAsInt())
                        : text(service, "vacancy")));
        service.getAsJsonArray("jobs").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .filter(job -> text(job, "state").equals("running"))
                .forEach(job -> lines.add("  job " + text(job, "name") + ": epoch " + text(job, "epoch") + " of "
                        + text(job, "epochs") + ", " + text(job, "parts_done") + " of " + text(job, "parts")
                        + " shards"));
    }

    private static String machines(int number) {
        return number == 1 ? "1 machine" : number + " machines";
    }

    private String named(String id) {
        return list("nodes").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .filter(node -> text(node, "id").equals(id))
                .findFirst()
                .map(StatusText::name)
                .orElse(ShortId.of(id));
    }

    /** The label of a node with its slot, or its short id. */
    private static String name(JsonObject node) {
        String id = text(node, "id");
        String label = text(node, "label");
        int slot = id.indexOf('/');
        return label.isEmpty() ? ShortId.of(id) : label + (slot < 0 ? "" : id.substring(slot));
    }

    private String away(JsonObject gone) {
        String address = text(gone, "address");
        long since = gone.get("since_ms").getAsLong();
        return "away: " + name(gone) + " since " + moment(since) + " (" + Spans.text(nowMillis - since) + "): "
                + text(gone, "why") + (address.isEmpty() ? "" : "; it was at " + address);
    }

    private String moment(long millis) {
        boolean isRecent = nowMillis - millis < HOURS_WITHOUT_DATE * 3_600_000;
        return (isRecent ? TIME : DATE).format(Instant.ofEpochMilli(millis).atZone(ZoneId.systemDefault()));
    }

    private static String times(JsonObject counted) {
        long count = counted.get("count").getAsLong();
        return count + (count == 1 ? " time" : " times");
    }

    private static List<String> row(JsonObject node) {
        String group = text(node, "group");
        return List.of(
                text(node, "rank"),
                text(node, "label"),
                ShortId.of(text(node, "id")),
                text(node, "role") + (group.isEmpty() ? "" : " of " + group),
                text(node, "health"),
                node.has("rtt_mean_ms")
                        ? String.format(
                                Locale.ROOT, "%.1f ms", node.get("rtt_mean_ms").getAsDouble())
                        : "",
                text(node, "address"),
                text(node, "version"),
                node.get("self").getAsBoolean() ? "(this node)" : "");
    }

    /** Names the node that sent the view, unless it is the master, which sends most views. */
    private static String sender(JsonObject view, String master) {
        String sender = text(view, "told_by");
        return sender.isEmpty() || sender.equals("this node") || sender.equals(ShortId.of(master))
                ? ""
                : ", view from " + sender;
    }

    /** Dropped packets and restarts of mDNS on an interface; empty if there were none. */
    static Optional<String> mdns(JsonObject each) {
        long dropped = each.get("dropped").getAsLong();
        long restarted = each.get("restarted").getAsLong();
        if (dropped == 0 && restarted == 0) {
            return Optional.empty();
        }
        return Optional.of("mDNS on " + text(each, "interface") + ": "
                + (dropped == 0 ? "" : dropped + " packets dropped (malformed, too large, too many or off the link)")
                + (dropped == 0 || restarted == 0 ? "" : ", ")
                + (restarted == 0
                        ? ""
                        : "mDNS listener restarted " + restarted + (restarted == 1 ? " time" : " times") + " ("
                                + text(each, "restart_reason") + ", " + text(each, "restarted_s_ago") + " s ago)"));
    }

    private void each(String key, Consumer<JsonObject> action) {
        list(key).forEach(element -> action.accept(element.getAsJsonObject()));
    }

    private JsonArray list(String key) {
        return status.has(key) ? status.getAsJsonArray(key) : new JsonArray();
    }

    private static String text(JsonObject json, String key) {
        return json.has(key) ? json.get(key).getAsString() : "";
    }
}
