package io.hearth.cli;

import io.hearth.accel.EngineName;
import io.hearth.accel.select.Engines;
import io.hearth.agent.CalibrationFile;
import io.hearth.bench.AllReduceBench;
import io.hearth.bench.BenchCipher;
import io.hearth.bench.BenchLine;
import io.hearth.bench.BenchPlace;
import io.hearth.bench.BenchPlan;
import io.hearth.bench.HostsBench;
import io.hearth.bench.RankBench;
import io.hearth.bench.RankTimes;
import io.hearth.bench.SizeSpec;
import io.hearth.cli.process.SelfProcess;
import io.hearth.cli.terminal.Durations;
import io.hearth.cli.terminal.EngineConverter;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.ring.DistributedConfig;
import io.hearth.collective.ring.RingBackend;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.transport.DataTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hearth bench allreduce}: times all-reduce among processes of this machine, of a lab's hosts, or of hosts where people run it. */
@Command(
        name = "allreduce",
        description = {
            "Time the all-reduce of float32 vectors among several processes of this machine.",
            "Each size is warmed up before it is timed: 20,000 calls, 1 GiB or 5 s, and for up to 30 s while Java still compiles.",
            "An iteration lasts until its slowest rank is done; every sum is verified.",
            "Extra: the most native memory that one rank's engine held beside the vector."
        })
final class BenchAllReduceCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private @Nullable CommandSpec command;

    @Option(names = "--ranks", paramLabel = "P", description = "Processes, 2 to 16 (default: 2).")
    private @Nullable Integer ranksAsked;

    @Option(
            names = "--hosts",
            paramLabel = "HOST:PORT,...",
            description =
                    "Be one rank: run the same command on each of these hosts, with the same list; all print the figures.")
    private @Nullable String hosts;

    @Option(
            names = "--rank",
            paramLabel = "R",
            description = "Which of --hosts this is, from 0 (default: the one with an address of this machine).")
    private @Nullable Integer rankAsked;

    @Option(
            names = "--sizes",
            paramLabel = "BYTES[:ITERATIONS],...",
            description = "Vectors to time (default: 4KiB,256KiB,4MiB,64MiB).")
    private String sizes = "4KiB,256KiB,4MiB,64MiB";

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "For the whole run; with --hosts, to wait for the others (default: 10m).")
    private Duration timeout = Duration.ofMinutes(10);

    @Option(
            names = "--transport",
            paramLabel = "auto|shm|tcp",
            converter = Transport.class,
            description =
                    "Between nodes of this machine: shared memory, or encrypted TCP as between all others (default: auto).")
    private DataTransport transport = DataTransport.AUTO;

    @Option(
            names = "--engine",
            paramLabel = EngineConverter.LABEL,
            converter = EngineConverter.class,
            description = EngineConverter.DESCRIPTION)
    private EngineName engine = EngineName.AUTO;

    @Option(
            names = "--cipher",
            paramLabel = "aead|copy",
            converter = Ciphering.class,
            hidden = true,
            description = {
                "copy leaves encryption out, to measure what it costs (default: aead).",
                "For measuring only: sends plain text, on loopback or in a lab, with --transport tcp."
            })
    private BenchCipher cipher = BenchCipher.AEAD;

    @Option(
            names = "--lab",
            paramLabel = "ID",
            description = "Rank R runs on host R of this lab, made by lab/lan (default: all ranks on loopback).")
    private @Nullable String labId;

    @Option(
            names = "--algorithm",
            paramLabel = "auto|ring|direct|tree|centralized",
            converter = Algorithm.class,
            description = "Which way the sums take (default: auto).")
    private AllReduceStrategy algorithm = AllReduceStrategy.AUTO;

    @Option(
            names = "--compression",
            paramLabel = "CODEC",
            converter = Compression.class,
            description = "Sum gradients as " + Compression.CHOICES + " (default: none).")
    private CompressionStrategy compression = CompressionStrategy.NONE;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Write what happened to each segment in one more call of each size, for chrome://tracing or Perfetto: a process for each rank.")
    private @Nullable Path trace;

    @Option(names = "--json", description = "One line of JSON for each size.")
    private boolean json;

    BenchAllReduceCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        List<SizeSpec> wanted = sizes();
        if (trace != null && !Files.isWritable(trace.toAbsolutePath().getParent())) {
            throw wrong("--trace: the folder of " + trace
                    + " is not there or not writable; name a file in a folder of yours");
        }
        if (cipher == BenchCipher.COPY && transport != DataTransport.TCP) {
            throw wrong("--cipher copy compares with encrypted TCP, not with shared memory: add --transport tcp");
        }
        if (hosts != null) {
            return asRank(hosts, wanted);
        }
        @Nullable BenchLab lab = labId == null ? null : lab(labId);
        BenchPlan plan = plan(place(lab), wanted);
        Engines.chosen(engine, CalibrationFile.in(terminal.environment())); // once, not by all ranks at once
        var bench = new AllReduceBench((rank, arguments) -> {
            ProcessBuilder builder = SelfProcess.of(arguments);
            if (lab != null) {
                builder.command(lab.on(rank, builder.command()));
            }
            return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        });
        title();
        boolean[] right = {true};
        bench.run(plan, line -> {
            right[0] &= line.ok();
            show(line);
        });
        requireRight(right[0]);
        return Exit.OK;
    }

    private BenchPlan plan(BenchPlace place, List<SizeSpec> wanted) {
        return new BenchPlan(
                place, wanted, algorithm, compression, transport, engine, cipher, timeout, Optional.ofNullable(trace));
    }

    /** Takes part as the rank of this host. */
    private int asRank(String list, List<SizeSpec> wanted) throws HearthException, InterruptedException {
        DistributedConfig config;
        BenchPlan plan;
        try {
            List<InetSocketAddress> nodes = BenchHosts.parse(list);
            config = new DistributedConfig(nodes, rankAsked == null ? BenchHosts.rank(nodes) : rankAsked)
                    .with(EngineOptions.DEFAULTS.as(compression))
                    .connectWithin(timeout)
                    .transport(transport)
                    .reducer(Engines.chosen(engine, CalibrationFile.in(terminal.environment())));
            cipher.check(config);
            plan = plan(BenchPlace.hosts(List.of(list.split(",", -1))), wanted);
        } catch (IllegalArgumentException refused) {
            throw wrong(String.valueOf(refused.getMessage()));
        }
        try (NamespaceKeys keys = BenchHosts.namespace(terminal, true).keys();
                RingBackend backend = cipher.open(config, keys)) {
            var bench = new RankBench(backend, algorithm, compression);
            var own = new ArrayList<RankTimes>();
            bench.run(wanted, own::add);
            List<BenchLine> lines = HostsBench.lines(backend, plan, own);
            title();
            lines.forEach(this::show);
            if (trace != null) {
                BenchRankCommand.write(bench, trace);
            }
            requireRight(lines.stream().allMatch(BenchLine::ok));
        }
        return Exit.OK;
    }

    private void title() {
        if (!json) {
            terminal.out()
                    .println(
                            "     bytes  iterations  median ms     p95 ms    cold ms  bus GB/s  cpu s/GB  extra MiB  sums   over   algorithm");
        }
    }

    private static void requireRight(boolean right) throws HearthException {
        if (!right) {
            throw new HearthException("a sum was wrong: this is a fault in Hearth, report it with the lines above");
        }
    }

    private BenchLab lab(String id) throws SetupException {
        if (!BenchLab.isId(id)) {
            throw wrong("--lab is 1 to 20 small letters and digits, as given to lab/lan, got '" + id + "'");
        }
        if (transport == DataTransport.SHM) {
            throw wrong("--transport shm joins processes of one host, and --lab gives each rank its own;"
                    + " leave one of them out");
        }
        return BenchLab.of(id);
    }

    private BenchPlace place(@Nullable BenchLab lab) throws HearthException, InterruptedException {
        if (lab != null) {
            return BenchPlace.lab(lab.addresses(ranks()));
        }
        try {
            return BenchPlace.loopback(ranks(), Loopback.name());
        } catch (IOException failed) {
            throw new SetupException("no port is free on loopback: " + failed.getMessage() + "; try again", failed);
        }
    }

    private List<SizeSpec> sizes() {
        if (hosts != null && (ranksAsked != null || labId != null)) {
            throw wrong("--hosts says how many ranks there are and where: leave out --ranks and --lab");
        }
        if (hosts == null && rankAsked != null) {
            throw wrong("--rank is a place among --hosts: give both");
        }
        if (ranks() < 2 || ranks() > AllReduceBench.RANKS_MAX) {
            throw wrong("--ranks must be 2 to " + AllReduceBench.RANKS_MAX + ", got " + ranks());
        }
        try {
            return SizeSpec.parseList(sizes);
        } catch (IllegalArgumentException refused) {
            throw wrong(String.valueOf(refused.getMessage()));
        }
    }

    private int ranks() {
        return ranksAsked == null ? 2 : ranksAsked;
    }

    private RuntimeException wrong(String why) {
        return command == null ? new IllegalArgumentException(why) : new ParameterException(command.commandLine(), why);
    }

    private void show(BenchLine line) {
        if (json) {
            terminal.print(line.toJson());
        } else {
            terminal.out()
                    .printf(
                            Locale.ROOT,
                            "%10d  %10d  %9.3f  %9.3f  %9.3f  %8.3f  %8.3f  %9.1f  %-5s  %-5s  %s%n",
                            line.bytes(),
                            line.iterations(),
                            line.medianSeconds() * 1e3,
                            line.p95Seconds() * 1e3,
                            line.coldSeconds() * 1e3,
                            line.busBandwidthGbPerSecond(),
                            line.cpuSecondsPerGb(),
                            line.extraMebibytes(),
                            line.ok() ? "right" : "WRONG",
                            line.transport(),
                            line.way());
        }
    }
}
