package io.hearth.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Table;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.Clock;
import io.hearth.simulation.Delays;
import io.hearth.simulation.FaultKind;
import io.hearth.simulation.Outcome;
import io.hearth.simulation.PlantedBug;
import io.hearth.simulation.Simulation;
import io.hearth.simulation.Sweep;
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
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code hearth simulate}: plays clusters in virtual time and looks for broken rules. */
@Command(
        name = "simulate",
        description = {
            "Play whole clusters in virtual time with every fault there is, and check the rules of membership and",
            "collectives after each event. A seed is one cluster; the same seed gives the same cluster, always."
        })
final class SimulateCommand implements Callable<Integer> {
    private static final int VIOLATIONS_MAX = 20;
    private static final List<Double> QUANTILES = List.of(0.5, 0.9, 0.99, 1.0);
    private static final long SAY_NANOS = 5_000_000_000L;

    private final Terminal terminal;

    @Spec
    private @org.jspecify.annotations.Nullable CommandSpec command;

    @Option(names = "--seeds", paramLabel = "N", description = "How many seeds to play (default: 1000).")
    private long seeds = 1_000;

    @Option(names = "--first-seed", paramLabel = "N", description = "The first of them (default: 0).")
    private long firstSeed;

    @Option(names = "--seed", paramLabel = "N", description = "Play this seed only.")
    private Optional<Long> seed = Optional.empty();

    @Option(names = "--trace", description = "With --seed: print everything that happens there.")
    private boolean trace;

    @Option(
            names = "--plant",
            paramLabel = "NAME",
            converter = PlantName.class,
            description = "Spoil the nodes on purpose and see that it is found.")
    private Optional<PlantedBug> plant = Optional.empty();

    @Option(names = "--plants", description = "Print the names of all plants and what each does wrong.")
    private boolean plants;

    @Option(names = "--threads", paramLabel = "N", description = "Worlds played at once (default: all processors).")
    private int threads = Math.min(Sweep.THREADS_MAX, Runtime.getRuntime().availableProcessors());

    @Option(names = "--json", description = "One line of JSON.")
    private boolean json;

    /** The name of a plant. */
    static final class PlantName implements ITypeConverter<PlantedBug> {
        @Override
        public PlantedBug convert(String text) {
            return PlantedBug.of(text)
                    .orElseThrow(() -> new TypeConversionException(
                            "'" + text + "' is none; 'hearth simulate --plants' prints them"));
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
            throw usage("--trace needs --seed and prints text only: add --seed N, leave out --json");
        }
        Outcome outcome = Simulation.trace(seed.get(), plant, terminal.out()::println);
        return outcome.violation().isEmpty() == plant.isEmpty() ? Exit.OK : Exit.FAILED;
    }

    private Sweep.Request request() {
        try {
            int violationsMax = plant.isPresent() ? 1 : VIOLATIONS_MAX;
            return seed.isPresent()
                    ? new Sweep.Request(seed.get(), 1, plant, 1, violationsMax)
                    : new Sweep.Request(firstSeed, seeds, plant, threads, violationsMax);
        } catch (IllegalArgumentException wrong) {
            throw usage(String.valueOf(wrong.getMessage()));
        }
    }

    private RuntimeException usage(String what) {
        return command == null
                ? new IllegalArgumentException(what)
                : new ParameterException(command.commandLine(), what);
    }

    /** A line now and then, so that nobody wonders; called by one thread at a time. */
    private final class Progress {
        private final long seedsMax;
        private final long begin;
        private long played;
        private long saidNanos;

        Progress(long seedsMax, long begin) {
            this.seedsMax = seedsMax;
            this.begin = begin;
            this.saidNanos = begin;
        }

        void say(Outcome outcome) {
            played++;
            if (outcome.violation().isPresent() && plant.isEmpty()) {
                terminal.err().println("seed " + outcome.seed() + ": " + firstLine(outcome));
            }
            long now = Clock.system().nanoTime();
            if (now - saidNanos >= SAY_NANOS) {
                saidNanos = now;
                long left = (long) ((seedsMax - played) * ((now - begin) / 1e9) / played);
                terminal.err().println(played + " of " + seedsMax + " seeds, about " + left + " s left");
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

    /** By the name that a person reads. */
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
