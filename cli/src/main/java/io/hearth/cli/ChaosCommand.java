package io.hearth.cli;

import com.google.gson.JsonObject;
import io.hearth.accel.EngineName;
import io.hearth.core.HearthException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code hearth chaos}: a training cluster in network namespaces whose hosts are unplugged, killed, paused and parted. */
@Command(
        name = "chaos",
        description = {
            "Train on hosts that are network namespaces of this machine (Linux, root), unplug, kill, pause and part them at",
            "random moments, and see that the others go on and all end with the same weights. With --only: measure how",
            "soon the next sum of 16 MiB comes after one kind of fault, again and again."
        })
final class ChaosCommand implements Callable<Integer> {
    private static final int HOSTS_MAX = 9;
    private static final int COUNT_MAX = 10_000;

    private final Terminal terminal;

    @Spec
    private @org.jspecify.annotations.Nullable CommandSpec command;

    @Option(
            names = "--hosts",
            paramLabel = "N",
            description = "How many, 3 to " + HOSTS_MAX + " (default: 5; with --only 3).")
    private Optional<Integer> hosts = Optional.empty();

    @Option(names = "--seed", paramLabel = "N", description = "Of what is done when (default: drawn, and told).")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long new faults begin (default: 10m).")
    private Optional<Duration> duration = Optional.empty();

    @Option(
            names = "--only",
            paramLabel = "KIND",
            converter = OnlyKind.class,
            description = "Measure one kind: silent, killed, master or pause.")
    private Optional<ChaosKind> only = Optional.empty();

    @Option(names = "--count", paramLabel = "N", description = "With --only: how many faults (default: 50).")
    private Optional<Integer> count = Optional.empty();

    @Option(
            names = "--engine",
            paramLabel = EngineConverter.LABEL,
            converter = EngineConverter.class,
            description = EngineConverter.DESCRIPTION)
    private EngineName engine = EngineName.AUTO;

    @Option(names = "--logs", paramLabel = "FOLDER", description = "Keep what the workers wrote.")
    private Optional<Path> logs = Optional.empty();

    @Option(
            names = "--json",
            description = "The report as one line of JSON on standard output; the rest on standard error.")
    private boolean json;

    /** A kind that can be measured alone. */
    static final class OnlyKind implements ITypeConverter<ChaosKind> {
        @Override
        public ChaosKind convert(String text) {
            return switch (text) {
                case "silent" -> ChaosKind.SILENT;
                case "killed" -> ChaosKind.KILLED;
                case "master" -> ChaosKind.MASTER;
                case "pause" -> ChaosKind.PAUSE;
                default -> throw new TypeConversionException("'" + text + "' is not silent, killed, master or pause");
            };
        }
    }

    ChaosCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        checkOptions();
        EngineConverter.demand(engine, terminal);
        long drawn = seed.orElseGet(() -> System.nanoTime() & Integer.MAX_VALUE);
        PrintStream people = json ? terminal.err() : terminal.out();
        people.println("seed " + drawn);
        ChaosReport report;
        try (var _ = new UntilSignal()) {
            report = only.isPresent() ? series(only.get(), drawn, people::println) : chaos(drawn, people::println);
        }
        if (json) {
            JsonObject data = report.toJson();
            data.addProperty("seed", drawn);
            terminal.print(data);
        } else {
            report.lines().forEach(terminal.out()::println);
        }
        if (!report.isGood()) {
            throw new HearthException(String.format(
                    Locale.ROOT,
                    "%d hangs, %d divergences, %d removals for a pause of 1 s: a fault in Hearth, or a machine that is too"
                            + " busy; run it again with --seed %d --logs FOLDER",
                    report.hangs(),
                    report.divergences(),
                    report.removalsOfPaused(),
                    drawn));
        }
        return Exit.OK;
    }

    private void checkOptions() {
        int many = hosts.orElse(5);
        int times = count.orElse(50);
        if (many < 3 || many > HOSTS_MAX) {
            throw usage("--hosts must be 3 to " + HOSTS_MAX + ", got " + many);
        }
        if (times < 1 || times > COUNT_MAX) {
            throw usage("--count must be 1 to " + COUNT_MAX + ", got " + times);
        }
        if (only.isPresent() && duration.isPresent()) {
            throw usage("--only takes --count faults, however long that takes: leave out --duration");
        }
        if (only.isEmpty() && count.isPresent()) {
            throw usage("--count needs --only KIND; without it --duration says how long");
        }
    }

    private RuntimeException usage(String what) {
        return command == null
                ? new IllegalArgumentException(what)
                : new ParameterException(command.commandLine(), what);
    }

    private ChaosReport series(ChaosKind kind, long drawn, Consumer<String> say)
            throws HearthException, InterruptedException {
        int many = hosts.orElse(ChaosSeries.HOSTS_DEFAULT);
        try (ChaosStage stage = ChaosStage.open(many, ChaosWorkerCommand.Work.SUMS, engine, logs)) {
            say.accept("lab " + stage.labId());
            return new ChaosSeries(stage, many, kind, drawn, say).run(count.orElse(50));
        }
    }

    private ChaosReport chaos(long drawn, Consumer<String> say) throws HearthException, InterruptedException {
        int many = hosts.orElse(5);
        try (ChaosStage stage = ChaosStage.open(many, ChaosWorkerCommand.Work.DIGITS, engine, logs)) {
            say.accept("lab " + stage.labId());
            return new ChaosRun(stage, many, drawn, say).run(duration.orElse(Duration.ofMinutes(10)));
        }
    }
}
