package io.hearth.cli.show;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.hearth.agent.api.LocalApi;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Spans;
import io.hearth.cli.terminal.Table;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.Clock;
import io.hearth.core.HearthException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth topology}: shows the machines and measured links that this machine's agent knows. */
@Command(
        name = "topology",
        description = "Show the machines and measured links that this machine's agent knows: processor, load, battery;"
                + " class, round trip, throughput, age and path of each link. An agent measures its own links.")
public final class TopologyCommand implements Callable<Integer> {
    private static final List<String> NODE_HEAD =
            List.of("NODE", "NAME", "CORES", "CHIP", "ACCELERATOR", "LOAD", "BATTERY", "");
    /** Battery, load, chip, accelerator: what one misses least on a narrow terminal comes first. */
    private static final List<Integer> NODE_SPARE = List.of(6, 5, 3, 4);

    /** With the start of this program, the command takes at most two seconds. */
    private static final Duration ANSWER_MAX = Duration.ofMillis(1_500);

    /** Changes that are shown; {@code --json} has all that the agent keeps. */
    private static final int CHANGES_SHOWN = 5;

    private final Terminal terminal;

    @ArgGroup
    private Form form = new Form();

    /** At most one form; without one, tables for people. */
    private static final class Form {
        @Option(names = "--json", description = "Print one line of JSON: schema, self, nodes[], links[], history[].")
        private boolean json;

        @Option(names = "--dot", description = "Print a graph in the language of Graphviz.")
        private boolean dot;

        @Option(names = "--mermaid", description = "Print a flow chart of Mermaid.")
        private boolean mermaid;
    }

    public TopologyCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        var agent = new RunningAgent(terminal, ANSWER_MAX);
        if (form.json) {
            terminal.print(agent.get(LocalApi.TOPOLOGY));
        } else if (form.dot) {
            terminal.out().print(agent.text(LocalApi.TOPOLOGY_DOT));
        } else if (form.mermaid) {
            terminal.out().print(agent.text(LocalApi.TOPOLOGY_MERMAID));
        } else {
            show(agent.get(LocalApi.TOPOLOGY), Clock.system().epochMillis());
        }
        return Exit.OK;
    }

    void show(JsonObject topology, long epochMillis) {
        var nodes = new ArrayList<List<String>>();
        nodes.add(NODE_HEAD);
        for (JsonElement node : topology.getAsJsonArray("nodes")) {
            nodes.add(node(node.getAsJsonObject(), text(topology, "self")));
        }
        int width = terminal.columns().orElse(Integer.MAX_VALUE);
        Table.lines(nodes, width, NODE_SPARE).forEach(terminal.out()::println);
        terminal.out().println();
        List<String> links = LinkText.lines(topology, width);
        if (links.isEmpty()) {
            terminal.out().println("no link is measured yet");
        } else {
            links.forEach(terminal.out()::println);
        }
        JsonArray history = topology.getAsJsonArray("history");
        for (int i = Math.max(0, history.size() - CHANGES_SHOWN); i < history.size(); i++) {
            JsonObject change = history.get(i).getAsJsonObject();
            long millis = epochMillis - change.get("at_ms").getAsLong();
            terminal.out().println("changed " + Spans.text(millis) + " ago: " + text(change, "change"));
        }
        if (topology.has("stuck")) {
            terminal.out().println("STUCK: " + text(topology, "stuck"));
        }
    }

    private static List<String> node(JsonObject node, String self) {
        String battery = text(node, "battery_percent");
        return List.of(
                text(node, "short_id"),
                text(node, "name"),
                text(node, "cores"),
                node.get("profile").getAsBoolean() ? text(node, "chip") : "no profile yet",
                text(node, "accelerator"),
                node.has("load_percent") ? text(node, "load_percent") + " %" : "",
                battery.isEmpty() ? "" : battery + " %" + (node.get("on_mains").getAsBoolean() ? ", on mains" : ""),
                text(node, "id").equals(self) ? "(this node)" : "");
    }

    private static String text(JsonObject json, String key) {
        return json.has(key) ? json.get(key).getAsString() : "";
    }
}
