package io.hearth.cli.node;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.hearth.agent.LocalAgent;
import io.hearth.agent.api.LocalApiClient;
import io.hearth.agent.api.TopologyAnswers;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Table;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.Clock;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
    private static final List<String> LINK_HEAD = List.of("FROM", "TO", "CLASS", "RTT", "MBIT/S", "AGE", "PATH", "");

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
        HearthHome home = HearthHome.open(terminal.environment());
        if (form.json) {
            terminal.print(ask(home, TopologyAnswers.JSON));
        } else if (form.dot) {
            terminal.out().print(text(ask(home, TopologyAnswers.DOT), TopologyAnswers.TEXT));
        } else if (form.mermaid) {
            terminal.out().print(text(ask(home, TopologyAnswers.MERMAID), TopologyAnswers.TEXT));
        } else {
            show(ask(home, TopologyAnswers.JSON), Clock.system().epochMillis());
        }
        return Exit.OK;
    }

    private static JsonObject ask(HearthHome home, String question) throws HearthException {
        JsonObject answer = LocalApiClient.answer(home.socket(LocalAgent.SOCKET), question, ANSWER_MAX)
                .orElseThrow(() -> new SetupException(
                        "no agent runs here for " + home + ": start one with 'hearth agent' in another terminal"));
        if (answer.has("error")) {
            throw new SetupException("the agent does not know the request '" + question
                    + "': it is of another version; start it again with this one");
        }
        return answer;
    }

    void show(JsonObject topology, long epochMillis) {
        var nodes = new ArrayList<List<String>>();
        nodes.add(NODE_HEAD);
        for (JsonElement node : topology.getAsJsonArray("nodes")) {
            nodes.add(node(node.getAsJsonObject(), text(topology, "self")));
        }
        Table.lines(nodes).forEach(terminal.out()::println);
        terminal.out().println();
        var links = new ArrayList<List<String>>();
        links.add(LINK_HEAD);
        for (JsonElement link : topology.getAsJsonArray("links")) {
            for (JsonElement path : link.getAsJsonObject().getAsJsonArray("paths")) {
                links.add(path(link.getAsJsonObject(), path.getAsJsonObject()));
            }
        }
        if (links.size() == 1) {
            terminal.out().println("no link is measured yet");
        } else {
            Table.lines(links).forEach(terminal.out()::println);
        }
        JsonArray history = topology.getAsJsonArray("history");
        for (int i = Math.max(0, history.size() - CHANGES_SHOWN); i < history.size(); i++) {
            JsonObject change = history.get(i).getAsJsonObject();
            long seconds = (epochMillis - change.get("at_ms").getAsLong()) / 1_000;
            terminal.out().println("changed " + age(Math.max(0, seconds)) + " ago: " + text(change, "change"));
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

    private static List<String> path(JsonObject link, JsonObject path) {
        return List.of(
                text(link, "from_name"),
                text(link, "to_name"),
                text(path, "class"),
                text(path, "rtt_ms") + " ms",
                path.has("bytes_per_second")
                        ? megabits(path.get("bytes_per_second").getAsLong())
                        : "not measured",
                age(path.get("age_s").getAsLong()),
                text(path, "path"),
                (text(link, "back").equals("one_way") ? "one way" : "")
                        + (path.has("loss_permille") ? " loss " + text(path, "loss_permille") + " per thousand" : ""));
    }

    static String megabits(long bytesPerSecond) {
        double megabits = bytesPerSecond * 8 / 1e6;
        return String.format(Locale.ROOT, megabits >= 100 ? "%.0f" : "%.1f", megabits);
    }

    /** A time in its largest whole unit: measurements are as old as seconds or as months. */
    static String age(long seconds) {
        if (seconds < 120) {
            return seconds + " s";
        }
        if (seconds < 2 * 3_600) {
            return seconds / 60 + " min";
        }
        return seconds < 2 * 86_400 ? seconds / 3_600 + " h" : seconds / 86_400 + " d";
    }

    private static String text(JsonObject json, String key) {
        return json.has(key) ? json.get(key).getAsString() : "";
    }
}
