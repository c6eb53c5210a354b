package io.hearth.cli.bench;

import io.hearth.bench.BenchCipher;
import io.hearth.bench.RankBench;
import io.hearth.bench.SizeSpec;
import io.hearth.cli.option.Converters;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.Usage;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.ring.DistributedConfig;
import io.hearth.collective.ring.RingBackend;
import io.hearth.core.HearthException;
import io.hearth.identity.NamespaceKeys;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hearth bench rank}: runs one rank of a measurement, with the protocol of {@code lab/peers}. */
@Command(
        name = "rank",
        description = {
            "Run one rank of a measurement among the given addresses. Input and output follow the protocol of lab/peers.",
            "Each size is warmed up before it is timed: 20,000 calls, 1 GiB or 5 s, and up to 30 s while Java still compiles.",
            "Without HEARTH_SECRET or HEARTH_SECRET_FILE the ranks use a published key."
                    + " A rank connects only to hosts of the given addresses and accepts only their connections."
        })
public final class BenchRankCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Mixin
    private final BenchOptions measured = new BenchOptions();

    @Option(
            names = "--rank",
            required = true,
            paramLabel = "R",
            description = "Index of this process in --peers, from 0.")
    private int rank;

    @Option(
            names = "--peers",
            required = true,
            paramLabel = "HOST:PORT,...",
            description = "Addresses of all ranks, in the order of the ranks.")
    private String peers = "";

    @Option(
            names = "--sizes",
            required = true,
            paramLabel = "BYTES:ITERATIONS,...",
            description = "Sizes of the vectors.")
    private String sizes = "";

    @Option(names = "--iface", paramLabel = "IF", description = "Ignored; accepted for compatibility with lab/peers.")
    @SuppressWarnings("UnusedVariable") // lab/peers passes it to every program; the addresses are enough here
    private String networkInterface = "";

    @Option(
            names = "--on-loss",
            paramLabel = "retry|fail-fast",
            converter = Converters.OnLoss.class,
            description =
                    "Whether a rank keeps what it needs to repeat a call after a loss (retry), or a loss ends the call"
                            + " (fail-fast); to measure the cost of retry (default: retry).")
    private LossPolicy onLoss = LossPolicy.RETRY;

    public BenchRankCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        DistributedConfig config;
        List<SizeSpec> wanted;
        try {
            config = measured.config(BenchHosts.parse(peers), rank, onLoss, terminal);
            wanted = SizeSpec.parseList(sizes);
        } catch (IllegalArgumentException wrong) {
            throw Usage.mistake(command, String.valueOf(wrong.getMessage()));
        }
        if (rank == 0 && measured.cipher == BenchCipher.COPY) {
            terminal.err()
                    .println("hearth: --cipher copy sends the vectors as plain text: use it for measurements only");
        }
        try (NamespaceKeys keys = BenchHosts.namespace(terminal, rank == 0).keys();
                RingBackend backend = measured.cipher.open(config, keys)) {
            RankBench bench = measured.bench(backend);
            bench.run(wanted, times -> terminal.print(times.toJson()));
            measured.writeTrace(bench);
        }
        return Exit.OK;
    }
}
