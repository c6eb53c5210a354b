package io.hearth.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Table;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.Usage;
import io.hearth.core.Clock;
import io.hearth.simulation.PlantedBug;
import io.hearth.simulation.Simulation;
import io.hearth.simulation.Sweep;
import io.hearth.simulation.report.Delays;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.report.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code hearth simulate}: simulates clusters in virtual time and looks for broken rules. */
@Command(
        name = "simulate",
        description = {
            "Simulate whole clusters with all kinds of faults in virtual time, and check the rules of membership and"
                    + " collectives after each event. Each seed is one cluster; the same seed always gives the same cluster."
        })
final class SimulateCommand implements Callable<Integer> {
    private static final int VIOLATIONS_MAX = 20;
    private static final List<Double> QUANTILES = List.of(0.5, 0.9, 0.99, 1.0);
    private static final long SAY_NANOS = 5_000_000_000L;

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Option(names = "--seeds", paramLabel = "N", description = "Number of seeds (default: 1000).")
    private long seeds = 1_000;

    @Option(names = "--first-seed", paramLabel = "N", description = "The first seed (default: 0).")
    private long firstSeed;

    @Option(names = "--seed", paramLabel = "N", description = "Simulate this seed only.")
    private Optional<Long> seed = Optional.empty();

    @Option(names = "--trace", description = "With --seed: print every event.")
    private boolean trace;

    @Option(
            names = "--plant",
            paramLabel = "NAME",
            converter = PlantName.class,
            description = "Plant this bug in the nodes, and check that a seed finds it.")
    private Optional<PlantedBug> plant = Optional.empty();

    @Option(names = "--plants", description = "Print the names of all planted bugs and their effects.")
    private boolean plants;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Number of clusters to simulate at the same time (default: one for each processor).")
    private int threads = Math.min(Sweep.THREADS_MAX, Runtime.getRuntime().availableProcessors());

    @Option(names = "--json", description = "Print the result as one line of JSON.")
    private boolean json;

    /** Reads the name of a planted bug. */
    static final class PlantName implements ITypeConverter<PlantedBug> {
        @Override
        public PlantedBug convert(String text) {
            return PlantedBug.of(text)
                    .orElseThrow(() -> new TypeConversionException(
                            "there is no planted bug '" + text + "'; 'hearth simulate --plants' prints all names"));
        }
    }

    SimulateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (plants) {
            Table.lines(Arrays.stream(PlantedBug.values())
                            .map(each -> List.of(each.text(), each.what()))
                            .toList())
                    .forEach(terminal.out()::println);
            return Exit.OK;
        }
        if (trace) {
            return trace();
        }
        Sweep.Request request = request();
        long begin = Clock.system().nanoTime();
        Sweep.Report report = Sweep.run(request, new Progress(request.seeds(), begin)::say);
        double seconds = (Clock.system().nanoTime() - begin) / 1e9;
        if (json) {
            terminal.print(json(report, seconds));
        } else {
            show(report, seconds);
        }
        return report.broken().isEmpty() == plant.isEmpty() ? Exit.OK : Exit.FAILED;
    }

    private int trace() {
        if (seed.isEmpty() || json) {
            throw Usage.mistake(command, "--trace needs --seed and prints text only: add --seed N, leave out --json");
        }
        Outcome outcome = Simulation.trace(seed.get(), plant, terminal.out()::println);
        return outcome.violation().isEmpty() == plant.isEmpty() ? Exit.OK : Exit.FAILED;
    }

    private Sweep.Request request() {
        int violationsMax = plant.isPresent() ? 1 : VIOLATIONS_MAX;
        return Usage.checked(
                command,
                () -> seed.isPresent()
                        ? new Sweep.Request(seed.get(), 1, plant, 1, violationsMax)
                        : new Sweep.Request(firstSeed, seeds, plant, threads, violationsMax));
    }

    /** Prints the progress every five seconds. One thread at a time calls it. */
    private final class Progress {
        private final long seedsMax;
        private final long begin;
        private long done;
        private long saidNanos;

        Progress(long seedsMax, long begin) {
            this.seedsMax = seedsMax;
            this.begin = begin;
            this.saidNanos = begin;
        }

        void say(Outcome outcome) {
            done++;
            if (outcome.violation().isPresent() && plant.isEmpty()) {
                terminal.err().println("seed " + outcome.seed() + ": " + firstLine(outcome));
            }
            long now = Clock.system().nanoTime();
            if (now - saidNanos >= SAY_NANOS) {
                saidNanos = now;
                long left = (long) ((seedsMax - done) * ((now - begin) / 1e9) / done);
                terminal.err().println(done + " of " + seedsMax + " seeds, about " + left + " s left");
            }
        }
    }

    private static String firstLine(Outcome outcome) {
        return outcome.violation().orElse("").lines().findFirst().orElse("");
    }

    private String replay(Outcome outcome) {
        return "hearth simulate --seed " + outcome.seed()
                + plant.map(planted -> " --plant " + planted.text()).orElse("") + " --trace";
    }

    void show(Sweep.Report report, double seconds) {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("seeds", String.valueOf(report.seeds())));
        rows.add(List.of("events", String.valueOf(report.events())));
        rows.add(List.of("views", String.valueOf(report.views())));
        rows.add(List.of("collectives", String.valueOf(report.collectives())));
        rows.add(List.of("virtual time", report.virtualNanos() / 1_000_000_000L + " s"));
        report.spans().forEach((name, count) -> rows.add(List.of("spans " + name, String.valueOf(count))));
        new TreeMap<>(report.faults())
                .forEach((kind, count) -> rows.add(List.of("fault " + kind.text(), String.valueOf(count))));
        recoveries(report).forEach((name, delays) -> rows.add(List.of(name, text(delays))));
        Table.lines(rows).forEach(terminal.out()::println);
        terminal.out()
                .printf(
                        Locale.ROOT,
                        "%.1f s, %.0f seeds/s, %.0f events/s%n",
                        seconds,
                        report.seeds() / seconds,
                        report.events() / seconds);
        for (Outcome outcome : report.broken()) {
            terminal.out()
                    .println("seed " + outcome.seed() + ": "
                            + outcome.violation().orElse(""));
            terminal.out().println("  replay: " + replay(outcome));
        }
        plant.ifPresent(planted -> terminal.out()
                .println(
                        report.broken().isEmpty()
                                ? "plant " + planted.text() + " was not found: try more --seeds"
                                : "plant " + planted.text() + " (" + planted.what() + ") found by seed "
                                        + report.broken().getFirst().seed()));
        terminal.out().println(report.broken().size() + " violations");
    }

    /** Recovery times by the name that users read. */
    private static Map<String, Delays> recoveries(Sweep.Report report) {
        var named = new LinkedHashMap<String, Delays>();
        named.put("fault to view", report.recovery().faultToView());
        named.put("fault to number", report.recovery().faultToNumber());
        named.put("peace to one view", report.recovery().peaceToView());
        return named;
    }

    private static String text(Delays delays) {
        return delays.count() == 0
                ? "none"
                : QUANTILES.stream()
                                .map(share -> quantile(share) + " " + delays.quantileMillis(share) + " ms")
                                .collect(Collectors.joining(", "))
                        + " (" + delays.count() + ")";
    }

    private static String quantile(double share) {
        return share == 1 ? "max" : "p" + Math.round(100 * share);
    }

    private static JsonObject json(Delays delays) {
        var data = new JsonObject();
        data.addProperty("count", delays.count());
        QUANTILES.forEach(share -> data.addProperty(quantile(share) + "_ms", delays.quantileMillis(share)));
        return data;
    }

    JsonObject json(Sweep.Report report, double seconds) {
        var data = new JsonObject();
        data.addProperty("schema", 1);
        data.addProperty("first_seed", seed.orElse(firstSeed));
        data.addProperty("seeds", report.seeds());
        data.addProperty("events", report.events());
        data.addProperty("views", report.views());
        data.addProperty("collectives", report.collectives());
        data.addProperty("virtual_s", report.virtualNanos() / 1_000_000_000L);
        var faults = new JsonObject();
        for (Map.Entry<FaultKind, Long> entry : new TreeMap<>(report.faults()).entrySet()) {
            faults.addProperty(entry.getKey().text(), entry.getValue());
        }
        data.add("faults", faults);
        var spans = new JsonObject();
        report.spans().forEach(spans::addProperty);
        data.add("spans", spans);
        recoveries(report).forEach((name, delays) -> data.add(name.replace(' ', '_'), json(delays)));
        data.addProperty("seconds", Math.round(seconds * 1_000) / 1e3);
        data.addProperty("events_per_s", Math.round(report.events() / seconds));
        plant.ifPresent(planted -> data.addProperty("plant", planted.text()));
        data.addProperty("violations", report.broken().size());
        var broken = new JsonArray();
        for (Outcome outcome : report.broken()) {
            var each = new JsonObject();
            each.addProperty("seed", outcome.seed());
            each.addProperty("violation", outcome.violation().orElse(""));
            each.addProperty("replay", replay(outcome));
            broken.add(each);
        }
        data.add("broken", broken);
        return data;
    }
}
