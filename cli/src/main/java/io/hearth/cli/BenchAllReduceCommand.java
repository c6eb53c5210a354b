package io.hearth.cli;

import io.hearth.bench.AllReduceBench;
import io.hearth.bench.BenchLine;
import io.hearth.bench.SizeSpec;
import io.hearth.core.HearthException;
import io.hearth.transport.DataTransport;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hearth bench allreduce}: times all-reduce among processes of this machine. */
@Command(
        name = "allreduce",
        description = {
            "Time the all-reduce of float32 vectors among several processes of this machine.",
            "An iteration lasts until its slowest rank is done; every sum is verified."
        })
final class BenchAllReduceCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private @org.jspecify.annotations.Nullable CommandSpec command;

    @Option(names = "--ranks", paramLabel = "P", description = "Processes, 2 to 16 (default: 2).")
    private int ranks = 2;

    @Option(
            names = "--sizes",
            paramLabel = "BYTES[:ITERATIONS],...",
            description = "Vectors to time (default: 4KiB,256KiB,4MiB,64MiB).")
    private String sizes = "4KiB,256KiB,4MiB,64MiB";

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "For the whole run (default: 10m).")
    private Duration timeout = Duration.ofMinutes(10);

    @Option(
            names = "--transport",
            paramLabel = "auto|shm|tcp",
            converter = Transport.class,
            description =
                    "Between nodes of this machine: shared memory, or encrypted TCP as between all others (default: auto).")
    private DataTransport transport = DataTransport.AUTO;

    @Option(names = "--json", description = "One line of JSON for each size.")
    private boolean json;

    BenchAllReduceCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        List<SizeSpec> wanted = sizes();
        var bench = new AllReduceBench(arguments -> SelfProcess.of(arguments)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
        if (!json) {
            terminal.out().println("     bytes  iterations  median ms     p95 ms  bus GB/s  cpu s/GB  sums");
        }
        boolean[] right = {true};
        bench.run(ranks, wanted, transport, timeout, line -> {
            right[0] &= line.ok();
            show(line);
        });
        if (!right[0]) {
            throw new HearthException("a sum was wrong: this is a fault in Hearth, report it with the lines above");
        }
        return Exit.OK;
    }

    private List<SizeSpec> sizes() {
        try {
            if (ranks < 2 || ranks > AllReduceBench.RANKS_MAX) {
                throw new IllegalArgumentException(
                        "--ranks must be 2 to " + AllReduceBench.RANKS_MAX + ", got " + ranks);
            }
            return SizeSpec.parseList(sizes);
        } catch (IllegalArgumentException wrong) {
            if (command == null) {
                throw wrong;
            }
            throw new ParameterException(command.commandLine(), String.valueOf(wrong.getMessage()), wrong);
        }
    }

    private void show(BenchLine line) {
        if (json) {
            terminal.print(line.toJson());
        } else {
            terminal.out()
                    .printf(
                            Locale.ROOT,
                            "%10d  %10d  %9.3f  %9.3f  %8.3f  %8.3f  %s%n",
                            line.bytes(),
                            line.iterations(),
                            line.medianSeconds() * 1e3,
                            line.p95Seconds() * 1e3,
                            line.busBandwidthGbPerSecond(),
                            line.cpuSecondsPerGb(),
                            line.ok() ? "right" : "WRONG");
        }
    }
}
