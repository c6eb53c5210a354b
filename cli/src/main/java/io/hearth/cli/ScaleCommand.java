package io.hearth.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Table;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.Usage;
import io.hearth.core.Clock;
import io.hearth.simulation.scale.ChangeCost;
import io.hearth.simulation.scale.GeneratedNetwork;
import io.hearth.simulation.scale.Growth;
import io.hearth.simulation.scale.NetworkKind;
import io.hearth.simulation.scale.PlannedSum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code hearth simulate scale}: how plans, sums and views grow with the number of nodes. */
@Command(
        name = "scale",
        description = {
            "Show how plans, sums and views grow: for each size, the planner's choice on generated networks, the predicted and the"
                    + " played time of a sum, and what a join and a loss cost. All in virtual time; the largest clusters take a minute."
        })
final class ScaleCommand implements Callable<Integer> {
    private static final String NETWORKS =
            Arrays.stream(NetworkKind.values()).map(NetworkKind::text).collect(Collectors.joining(", "));

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Option(
            names = "--sizes",
            paramLabel = "N",
            split = ",",
            description = "Numbers of nodes, 2 to 1024 (default: 4,8,16,32,64,128,256,512,1024).")
    private List<Integer> sizes = Growth.SIZES;

    @Option(
            names = "--networks",
            paramLabel = "KIND",
            split = ",",
            converter = KindName.class,
            description = "Kinds of networks: racks, wifi, sites (default: all).")
    private List<NetworkKind> networks = List.of(NetworkKind.values());

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the networks (default: 1).")
    private long seed = 1;

    @Option(names = "--json", description = "Print the result as one line of JSON.")
    private boolean json;

    /** Reads the name of a kind. */
    static final class KindName implements ITypeConverter<NetworkKind> {
        @Override
        public NetworkKind convert(String text) {
            return NetworkKind.named(text)
                    .orElseThrow(() -> new TypeConversionException(
                            "there is no kind of network '" + text + "': give some of " + NETWORKS));
        }
    }

    ScaleCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        for (int size : sizes) {
            if (size < GeneratedNetwork.NODES_MIN || size > GeneratedNetwork.NODES_MAX) {
                throw Usage.mistake(
                        command,
                        "--sizes must be " + GeneratedNetwork.NODES_MIN + " to " + GeneratedNetwork.NODES_MAX
                                + " nodes, got " + size);
            }
        }
        var sums = new ArrayList<Growth.Sums>();
        var members = new ArrayList<Growth.Membership>();
        for (int size : sizes) {
            terminal.err().println("simulating " + size + " nodes");
            networks.forEach(kind -> sums.add(Growth.sums(kind, size, seed, Clock.system()::nanoTime)));
            members.add(Growth.membership(size, seed));
        }
        if (json) {
            terminal.print(json(sums, members));
        } else {
            show(sums, members);
        }
        return Exit.OK;
    }

    private void show(List<Growth.Sums> sums, List<Growth.Membership> members) {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of(
                "NETWORK",
                "NODES",
                "PLANNED",
                "64 MiB",
                "PREDICTED",
                "PLAYED",
                "RATIO",
                "MESSAGES",
                "SENT",
                "64 KiB",
                "PREDICTED",
                "PLAYED"));
        sums.forEach(row -> rows.add(List.of(
                row.kind().text(),
                "" + row.nodes(),
                millis((double) row.plannedNanos()),
                row.large().algorithmText(),
                millis(row.large().predictedNanos()),
                millis(row.large().playedNanos()),
                ratio(row.large()),
                "" + row.large().messages(),
                mebibytes(row.large().bytesSent()),
                row.small().algorithmText(),
                millis(row.small().predictedNanos()),
                millis(row.small().playedNanos()))));
        Table.lines(rows).forEach(terminal.out()::println);
        terminal.out().println();
        var views = new ArrayList<List<String>>();
        views.add(List.of(
                "MEMBERS",
                "VIEW",
                "RECORD",
                "FORMED",
                "JOIN",
                "MESSAGES",
                "SENT",
                "WRITTEN",
                "LOSS",
                "MESSAGES",
                "SENT",
                "WRITTEN"));
        var limits = new ArrayList<String>();
        for (Growth.Membership row : members) {
            if (row.join().isPresent() && row.loss().isPresent()) {
                var cells = new ArrayList<String>(List.of(
                        "" + row.nodes(), kibibytes(row.viewBytes()), kibibytes(row.recordBytes()), millis((double)
                                row.formNanos())));
                cells.addAll(cells(row.join().get()));
                cells.addAll(cells(row.loss().get()));
                views.add(cells);
            } else {
                limits.add(row.nodes() + " nodes: " + row.limit());
            }
        }
        Table.lines(views).forEach(terminal.out()::println);
        limits.forEach(terminal.out()::println);
    }

    private static List<String> cells(ChangeCost cost) {
        return List.of(
                millis((double) cost.nanos()),
                "" + cost.messages(),
                kibibytes(cost.bytes()),
                kibibytes(cost.writtenBytes()));
    }

    private static String ratio(PlannedSum sum) {
        return String.format(Locale.ROOT, "%.2f", sum.playedNanos() / sum.predictedNanos());
    }

    private static String millis(double nanos) {
        return String.format(Locale.ROOT, nanos < 10e6 ? "%.1f ms" : "%.0f ms", nanos / 1e6);
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.0f MiB", (double) bytes / (1 << 20));
    }

    private static String kibibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f KiB", (double) bytes / 1024);
    }

    private JsonObject json(List<Growth.Sums> sums, List<Growth.Membership> members) {
        var data = new JsonObject();
        data.addProperty("schema", 1);
        data.addProperty("seed", seed);
        data.add("sums", array(sums, row -> {
            var each = new JsonObject();
            each.addProperty("network", row.kind().text());
            each.addProperty("nodes", row.nodes());
            each.addProperty("planned_ms", row.plannedNanos() / 1e6);
            each.add("large", json(row.large()));
            each.add("small", json(row.small()));
            return each;
        }));
        data.add("views", array(members, row -> {
            var each = new JsonObject();
            each.addProperty("members", row.nodes());
            if (row.limit().isEmpty()) {
                each.addProperty("view_bytes", row.viewBytes());
                each.addProperty("record_bytes", row.recordBytes());
                each.addProperty("formed_ms", row.formNanos() / 1e6);
            } else {
                each.addProperty("limit", row.limit());
            }
            json(row.join()).ifPresent(cost -> each.add("join", cost));
            json(row.loss()).ifPresent(cost -> each.add("loss", cost));
            return each;
        }));
        return data;
    }

    private static <T> JsonArray array(List<T> rows, Function<T, JsonObject> each) {
        var array = new JsonArray();
        rows.forEach(row -> array.add(each.apply(row)));
        return array;
    }

    private static JsonObject json(PlannedSum sum) {
        var json = new JsonObject();
        json.addProperty("bytes", sum.bytes());
        json.addProperty("algorithm", sum.algorithmText());
        json.addProperty("predicted_ms", sum.predictedNanos() / 1e6);
        json.addProperty("played_ms", sum.playedNanos() / 1e6);
        json.addProperty("messages", sum.messages());
        json.addProperty("bytes_sent", sum.bytesSent());
        json.addProperty("bytes_of_all", sum.bytesOfAll());
        return json;
    }

    private static Optional<JsonObject> json(Optional<ChangeCost> known) {
        return known.map(cost -> {
            var json = new JsonObject();
            json.addProperty("ms", cost.nanos() / 1e6);
            json.addProperty("messages", cost.messages());
            json.addProperty("bytes", cost.bytes());
            json.addProperty("messages_of_all", cost.messagesOfAll());
            json.addProperty("bytes_of_all", cost.bytesOfAll());
            json.addProperty("written_bytes", cost.writtenBytes());
            return json;
        });
    }
}
