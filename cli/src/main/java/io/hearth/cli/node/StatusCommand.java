package io.hearth.cli.node;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.hearth.agent.LocalAgent;
import io.hearth.agent.api.LocalApiClient;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.ShortId;
import io.hearth.cli.terminal.Table;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth status}: shows the state of this machine's agent. */
@Command(
        name = "status",
        description = "Show the cluster as this machine's agent sees it: nodes, health, master, view.")
public final class StatusCommand implements Callable<Integer> {
    private static final List<String> HEAD = List.of("RANK", "NODE", "NAME", "ROLE", "ADDRESS", "HEALTH", "RTT", "");

    /** With the start of this program, the command takes at most two seconds. */
    private static final Duration ANSWER_MAX = Duration.ofMillis(1_500);

    private static final long USUAL_SILENCE_MILLIS = 1_500;

    private final Terminal terminal;

    @Option(
            names = "--json",
            description = "Print one line of JSON: schema, self, namespace, master, view, nodes[] and more.")
    private boolean json;

    public StatusCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        JsonObject status = ask(HearthHome.open(terminal.environment()));
        if (json) {
            terminal.print(status);
        } else {
            show(status);
        }
        return Exit.OK;
    }

    private static JsonObject ask(HearthHome home) throws HearthException {
        return LocalApiClient.status(home.socket(LocalAgent.SOCKET), ANSWER_MAX)
                .orElseThrow(() -> new SetupException(
                        "no agent runs here for " + home + ": start one with 'hearth agent' in another terminal"));
    }

    void show(JsonObject status) {
        JsonObject namespace = status.getAsJsonObject("namespace");
        JsonObject view = status.getAsJsonObject("view");
        terminal.out()
                .println("namespace " + text(namespace, "name") + " (key " + text(namespace, "key_id") + ")"
                        + (namespace.get("open").getAsBoolean() ? " OPEN: every machine of the LAN may join" : ""));
        terminal.out()
                .println("view " + text(view, "epoch") + " of " + text(view, "lineage") + ", "
                        + text(view, "members") + (view.get("members").getAsInt() == 1 ? " member" : " members")
                        + ", master " + ShortId.of(text(status, "master")) + ", this node is "
                        + text(status, "state") + sender(view, text(status, "master")));
        if (status.has("silence") && status.getAsJsonObject("silence").get("ms").getAsLong() != USUAL_SILENCE_MILLIS) {
            terminal.out().println("peers are suspected after " + text(status.getAsJsonObject("silence"), "text"));
        }
        var rows = new ArrayList<List<String>>();
        rows.add(HEAD);
        status.getAsJsonArray("nodes").forEach(node -> rows.add(row(node.getAsJsonObject())));
        Table.lines(rows).forEach(terminal.out()::println);
        status.getAsJsonArray("nodes").forEach(element -> {
            JsonObject node = element.getAsJsonObject();
            if (node.has("apart")) {
                terminal.out().println("apart: " + ShortId.of(text(node, "id")) + " " + text(node, "apart"));
            }
        });
        if (status.has("stuck")) {
            terminal.out().println("STUCK: " + text(status, "stuck"));
        }
        if (status.has("waiting")) {
            terminal.out().println("waiting: " + text(status, "waiting"));
        }
        JsonArray doubled = status.has("doubled") ? status.getAsJsonArray("doubled") : new JsonArray();
        for (JsonElement element : doubled) {
            JsonObject other = element.getAsJsonObject();
            terminal.out().println("DOUBLED: " + text(other, "who") + " " + text(other, "why"));
        }
        for (JsonElement element : status.getAsJsonArray("refused")) {
            JsonObject other = element.getAsJsonObject();
            terminal.out()
                    .println("refused: " + text(other, "address") + " " + text(other, "who") + " ("
                            + text(other, "count") + " times): " + text(other, "why"));
        }
        JsonArray faults = status.has("faults") ? status.getAsJsonArray("faults") : new JsonArray();
        for (JsonElement element : faults) {
            JsonObject fault = element.getAsJsonObject();
            terminal.out()
                    .println("rejected: " + text(fault, "who") + " (" + text(fault, "count") + " times): "
                            + text(fault, "why"));
        }
        JsonArray slow = status.has("slow_links") ? status.getAsJsonArray("slow_links") : new JsonArray();
        slow.forEach(link -> terminal.out().println("slow link: " + text(link.getAsJsonObject(), "text")));
        JsonArray delays = status.has("delays") ? status.getAsJsonArray("delays") : new JsonArray();
        delays.asList().stream()
                .map(late -> text(late.getAsJsonObject(), "text"))
                .distinct()
                .forEach(terminal.out()::println);
        JsonArray mdns = status.has("mdns") ? status.getAsJsonArray("mdns") : new JsonArray();
        mdns.forEach(element -> mdns(element.getAsJsonObject()).ifPresent(terminal.out()::println));
        if (status.has("discovery")) {
            terminal.out().println(text(status, "discovery"));
        }
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

    private static List<String> row(JsonObject node) {
        String group = text(node, "group");
        return List.of(
                text(node, "rank"),
                ShortId.of(text(node, "id")),
                text(node, "label"),
                text(node, "role") + (group.isEmpty() ? "" : " of " + group),
                text(node, "address"),
                text(node, "health"),
                node.has("rtt_mean_ms") ? text(node, "rtt_mean_ms") + " ms" : "",
                node.get("self").getAsBoolean() ? "(this node)" : "");
    }

    private static String text(JsonObject json, String key) {
        return json.has(key) ? json.get(key).getAsString() : "";
    }
}
