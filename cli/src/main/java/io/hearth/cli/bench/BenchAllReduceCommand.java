package io.hearth.cli.bench;

import io.hearth.bench.AllReduceBench;
import io.hearth.bench.BenchCipher;
import io.hearth.bench.BenchLine;
import io.hearth.bench.BenchPlace;
import io.hearth.bench.BenchPlan;
import io.hearth.bench.HostsBench;
import io.hearth.bench.RankBench;
import io.hearth.bench.RankTimes;
import io.hearth.bench.SizeSpec;
import io.hearth.cli.option.Loopback;
import io.hearth.cli.process.SelfProcess;
import io.hearth.cli.terminal.Durations;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.Usage;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.ring.DistributedConfig;
import io.hearth.collective.ring.RingBackend;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.transport.DataTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hearth bench allreduce}: times all-reduce among processes of this machine, hosts of a lab, or hosts on which users start it. */
@Command(
        name = "allreduce",
        description = {
            "Time the all-reduce of float32 vectors among several processes of this machine.",
            "Each size is warmed up before it is timed: 20,000 calls, 1 GiB or 5 s, and up to 30 s while Java still compiles.",
            "An iteration ends when its slowest rank has finished. Each rank verifies every sum.",
            "Column 'extra': most native memory that the engine of one rank used besides the vector."
        })
public final class BenchAllReduceCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Mixin
    private final BenchOptions measured = new BenchOptions();

    @Option(names = "--ranks", paramLabel = "P", description = "Number of processes, 2 to 16 (default: 2).")
    private @Nullable Integer ranksAsked;

    @Option(
            names = "--hosts",
            paramLabel = "HOST:PORT,...",
            description =
                    "Run as one rank among these hosts. Start the same command with the same list on each of them;"
                            + " every rank prints the results.")
    private @Nullable String hosts;

    @Option(
            names = "--rank",
            paramLabel = "R",
            description =
                    "Index of this host in --hosts, from 0 (default: the host that has an address of this machine).")
    private @Nullable Integer rankAsked;

    @Option(
            names = "--sizes",
            paramLabel = "BYTES[:ITERATIONS],...",
            description = "Sizes of the vectors (default: 4KiB,256KiB,4MiB,64MiB).")
    private String sizes = "4KiB,256KiB,4MiB,64MiB";

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description =
                    "Longest time for the whole run; with --hosts, longest wait for the other ranks (default: 10m).")
    private Duration timeout = Duration.ofMinutes(10);

    @Option(
            names = "--lab",
            paramLabel = "ID",
            description =
                    "Run rank R on host R of this lab, which lab/lan has created (default: all ranks on loopback).")
    private @Nullable String labId;

    @Option(names = "--json", description = "One line of JSON for each size.")
    private boolean json;

    public BenchAllReduceCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        List<SizeSpec> wanted = sizes();
        if (measured.cipher == BenchCipher.COPY && measured.sums.transport != DataTransport.TCP) {
            throw wrong("--cipher copy compares with encrypted TCP, not with shared memory: add --transport tcp");
        }
        if (hosts != null) {
            return asRank(hosts, wanted);
        }
        @Nullable BenchLab lab = labId == null ? null : lab(labId);
        BenchPlan plan = plan(place(lab), wanted);
        var _ = measured.sums.engine.chosen(terminal); // once, not by all ranks at once
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
                place,
                wanted,
                measured.algorithm,
                measured.sums.compression,
                measured.sums.transport,
                measured.sums.engine.name,
                measured.cipher,
                timeout,
                measured.trace);
    }

    /** Takes part as the rank of this host. */
    private int asRank(String list, List<SizeSpec> wanted) throws HearthException, InterruptedException {
        DistributedConfig config;
        BenchPlan plan;
        try {
            List<InetSocketAddress> nodes = BenchHosts.parse(list);
            int rank = rankAsked == null ? BenchHosts.rank(nodes) : rankAsked;
            config = measured.config(nodes, rank, LossPolicy.RETRY, terminal).connectWithin(timeout);
            plan = plan(BenchPlace.hosts(List.of(list.split(",", -1))), wanted);
        } catch (IllegalArgumentException wrong) {
            throw Usage.mistake(command, String.valueOf(wrong.getMessage()));
        }
        try (NamespaceKeys keys = BenchHosts.namespace(terminal, true).keys();
                RingBackend backend = measured.cipher.open(config, keys)) {
            RankBench bench = measured.bench(backend);
            var own = new ArrayList<RankTimes>();
            bench.run(wanted, own::add);
            List<BenchLine> lines = HostsBench.lines(backend, plan, own);
            title();
            lines.forEach(this::show);
            measured.writeTrace(bench);
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
            throw new HearthException("a sum was wrong: this is a bug in Hearth; report it with the lines above");
        }
    }

    private BenchLab lab(String id) throws SetupException {
        if (!BenchLab.isId(id)) {
            throw wrong("--lab must be 1 to 20 lower-case letters and digits, as given to lab/lan, got '" + id + "'");
        }
        if (measured.sums.transport == DataTransport.SHM) {
            throw wrong("--transport shm works within one host, and --lab gives each rank a host of its own:"
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
            throw wrong("--hosts sets the number and the addresses of the ranks: leave out --ranks and --lab");
        }
        if (hosts == null && rankAsked != null) {
            throw wrong("--rank is an index in --hosts: give both");
        }
        if (ranks() < 2 || ranks() > AllReduceBench.RANKS_MAX) {
            throw wrong("--ranks must be 2 to " + AllReduceBench.RANKS_MAX + ", got " + ranks());
        }
        return Usage.checked(command, () -> {
            List<SizeSpec> wanted = SizeSpec.parseList(sizes);
            measured.trace.ifPresent(file -> Usage.requireWritable("--trace", file));
            return wanted;
        });
    }

    private int ranks() {
        return ranksAsked == null ? 2 : ranksAsked;
    }

    private ParameterException wrong(String why) {
        return Usage.mistake(command, why);
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
