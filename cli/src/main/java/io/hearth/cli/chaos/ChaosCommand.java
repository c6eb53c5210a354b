package io.hearth.cli.chaos;

import com.google.gson.JsonObject;
import io.hearth.cli.chaos.plan.ChaosDrill;
import io.hearth.cli.chaos.plan.ChaosReport;
import io.hearth.cli.option.EngineOption;
import io.hearth.cli.process.LabNetwork;
import io.hearth.cli.terminal.Durations;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.UntilSignal;
import io.hearth.cli.terminal.Usage;
import io.hearth.core.HearthException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code hearth chaos}: trains on hosts in network namespaces and injects faults. */
@Command(
        name = "chaos",
        description = {
            "Train on hosts that are network namespaces of this machine (Linux, root). Unplug, kill, pause and split hosts at"
                    + " random moments. Check that the other hosts go on, and that all end with the same weights.",
            "With --only, repeat one kind of fault:",
            "  silent, killed, master, pause: measure the time until the next sum of 16 MiB",
            "  switch:  all links go down and come back one by one",
            "  one-way: a host receives but cannot send, or the reverse",
            "  away:    a host is unplugged for the time of --away",
            "  disk:    the disk of one host is slow, while other hosts are killed",
            "  process: all workers share one machine and one home, and one worker is killed",
            "Ctrl-C ends the run and prints the report of the finished rounds."
        })
public final class ChaosCommand implements Callable<Integer> {
    private static final int HOSTS_MAX = 9;
    private static final int COUNT_MAX = 10_000;
    private static final Duration AWAY_DEFAULT = Duration.ofMinutes(11);
    private static final Duration AWAY_MAX = Duration.ofHours(24);

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Option(
            names = "--hosts",
            paramLabel = "N",
            description = "Number of hosts, 3 to " + HOSTS_MAX + " (default: 5; with --only 3, with --only switch 5).")
    private Optional<Integer> hosts = Optional.empty();

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the fault schedule (default: random, printed).")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long the run starts new faults (default: 10m).")
    private Optional<Duration> duration = Optional.empty();

    @Option(
            names = {"--only", "--kind"},
            paramLabel = "KIND",
            converter = OnlyKind.class,
            description = "Repeat one kind of fault: " + ChaosOnly.NAMES + ".")
    private Optional<ChaosOnly> only = Optional.empty();

    @Option(names = "--count", paramLabel = "N", description = "With --only: number of faults (default: 50; away 1).")
    private Optional<Integer> count = Optional.empty();

    @Option(
            names = "--away",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "With --only away: how long a host is unplugged (default: 11m).")
    private Optional<Duration> away = Optional.empty();

    @Mixin
    private final EngineOption engine = new EngineOption();

    @Option(
            names = "--logs",
            paramLabel = "FOLDER",
            description = "Folder for the output of the workers (default: removed after the run).")
    private Optional<Path> logs = Optional.empty();

    @Option(
            names = "--json",
            description =
                    "Print the report as one line of JSON on standard output, and everything else on standard error.")
    private boolean json;

    /** Reads a kind of fault that a run can repeat. */
    static final class OnlyKind implements ITypeConverter<ChaosOnly> {
        @Override
        public ChaosOnly convert(String text) {
            return ChaosOnly.of(text)
                    .orElseThrow(
                            () -> new TypeConversionException("must be " + ChaosOnly.NAMES + ", got '" + text + "'"));
        }
    }

    public ChaosCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        checkOptions();
        engine.require(terminal);
        long drawn = seed.orElseGet(() -> System.nanoTime() & Integer.MAX_VALUE);
        PrintStream messages = json ? terminal.err() : terminal.out();
        messages.println("seed " + drawn);
        Optional<ChaosDrill> drill = drill(drawn);
        try (var _ = new UntilSignal();
                ChaosStage stage = open(drill)) {
            messages.println("lab " + stage.labId());
            ChaosPlay play = play(stage, drill, drawn, messages);
            try {
                play.play();
            } catch (HearthException | InterruptedException ended) {
                tell(play.report(), drawn, false, messages);
                if (Thread.interrupted()) { // Ctrl-C also ends the workers and scripts, whose end may be noticed first
                    throw interrupted(ended);
                }
                throw ended;
            }
            ChaosReport report = play.report();
            tell(report, drawn, true, messages);
            if (!report.isGood()) {
                throw new HearthException(String.format(
                        Locale.ROOT,
                        "%d hangs, %d divergences, %d removals after a pause of 1 s, %d broken promises: a bug in Hearth, or"
                                + " this machine is too busy; run it again with --seed %d --logs FOLDER",
                        report.hangs(),
                        report.divergences(),
                        report.removalsOfPaused(),
                        report.brokenPromises(),
                        drawn));
            }
        }
        return Exit.OK;
    }

    private static InterruptedException interrupted(Exception ended) {
        var interrupted = new InterruptedException(ended.getMessage());
        interrupted.initCause(ended);
        return interrupted;
    }

    /** @param isComplete whether the run ended by itself */
    private void tell(ChaosReport report, long drawn, boolean isComplete, PrintStream messages) {
        if (!isComplete) {
            messages.println("ended early: the report covers the finished rounds");
        }
        if (json) {
            JsonObject data = report.toJson();
            data.addProperty("seed", drawn);
            data.addProperty("complete", isComplete);
            terminal.print(data);
        } else {
            report.lines().forEach(terminal.out()::println);
        }
    }

    private ChaosStage open(Optional<ChaosDrill> drill) throws HearthException, InterruptedException {
        if (only.filter(ChaosOnly.ONE_WAY::equals).isPresent()) {
            LabNetwork.require("hearth chaos --only one-way", "nft", "nftables");
        }
        ChaosWorkerCommand.Work work =
                only.isPresent() && drill.isEmpty() ? ChaosWorkerCommand.Work.SUMS : ChaosWorkerCommand.Work.DIGITS;
        boolean isOneMachine = only.filter(ChaosOnly.PROCESS::equals).isPresent();
        var setting =
                new ChaosStage.Setting(isOneMachine, drill.map(ChaosDrill::slow).orElse(OptionalInt.empty()));
        return ChaosStage.open(hosts(), setting, work, engine.name, logs);
    }

    private Optional<ChaosDrill> drill(long drawn) {
        return only.filter(kind -> !kind.isSeries())
                .map(kind -> new ChaosDrill(drawn, hosts(), kind.kinds(), away.orElse(AWAY_DEFAULT)));
    }

    private int hosts() {
        return hosts.orElse(only.isEmpty() || only.get() == ChaosOnly.SWITCH ? 5 : ChaosSeries.HOSTS_DEFAULT);
    }

    private ChaosPlay play(ChaosStage stage, Optional<ChaosDrill> drill, long drawn, PrintStream messages) {
        if (only.isEmpty()) {
            return new ChaosRun(stage, hosts(), drawn, duration.orElse(Duration.ofMinutes(10)), messages::println);
        }
        int rounds = count.orElse(only.get() == ChaosOnly.AWAY ? 1 : 50);
        return drill.isPresent()
                ? new ChaosDrillRun(stage, hosts(), drill.get(), rounds, messages::println)
                : new ChaosSeries(stage, hosts(), only.get().kinds().getFirst(), drawn, rounds, messages::println);
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
            throw usage("--only runs for --count faults, not for a time: leave out --duration");
        }
        if (away.isPresent() && only.filter(ChaosOnly.AWAY::equals).isEmpty()) {
            throw usage("--away needs --only away");
        }
        if (away.isPresent() && (away.get().isZero() || away.get().compareTo(AWAY_MAX) > 0)) {
            throw usage("--away must be more than 0s and at most 24h, got " + away.get());
        }
        if (only.isEmpty() && count.isPresent()) {
            throw usage("--count needs --only KIND; without --only, set --duration");
        }
    }

    private ParameterException usage(String what) {
        return Usage.mistake(command, what);
    }
}
