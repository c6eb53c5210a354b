package io.hearth.cli;

import io.hearth.accel.EngineName;
import io.hearth.accel.select.Engines;
import io.hearth.agent.CalibrationFile;
import io.hearth.bench.BenchCipher;
import io.hearth.bench.RankBench;
import io.hearth.bench.SizeSpec;
import io.hearth.cli.terminal.EngineConverter;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.ring.DistributedConfig;
import io.hearth.collective.ring.RingBackend;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.HearthException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.transport.DataTransport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hearth bench rank}: one rank of a measurement, in the protocol of {@code lab/peers}. */
@Command(
        name = "rank",
        description = {
            "Be one rank of a measurement among the given addresses, in the protocol of lab/peers.",
            "Each size is warmed up before it is timed: 20,000 calls, 1 GiB or 5 s, and for up to 30 s while Java still compiles.",
            "Without HEARTH_SECRET or HEARTH_SECRET_FILE a published key is used; only hosts of the given addresses are talked and listened to."
        })
final class BenchRankCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private @org.jspecify.annotations.Nullable CommandSpec command;

    @Option(
            names = "--rank",
            required = true,
            paramLabel = "R",
            description = "Which of the addresses is this process.")
    private int rank;

    @Option(names = "--peers", required = true, paramLabel = "HOST:PORT,...", description = "All ranks, by rank.")
    private String peers = "";

    @Option(names = "--sizes", required = true, paramLabel = "BYTES:ITERATIONS,...", description = "Vectors to time.")
    private String sizes = "";

    @Option(
            names = "--iface",
            paramLabel = "IF",
            description = "Accepted for the protocol's sake: addresses say it all.")
    @SuppressWarnings("UnusedVariable") // part of the protocol of lab/peers; the addresses say it all
    private String networkInterface = "";

    @Option(
            names = "--on-loss",
            paramLabel = "retry|fail-fast",
            converter = OnLoss.class,
            description = "To compare what the readiness to repeat costs (default: retry).")
    private LossPolicy onLoss = LossPolicy.RETRY;

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
            names = "--algorithm",
            paramLabel = "auto|ring|direct|tree|centralized",
            converter = Algorithm.class,
            description = "Which way the sums take, the same on all ranks (default: auto).")
    private AllReduceStrategy algorithm = AllReduceStrategy.AUTO;

    @Option(
            names = "--compression",
            paramLabel = "CODEC",
            converter = Compression.class,
            description = "Sum gradients as " + Compression.CHOICES + ", the same on all ranks (default: none).")
    private CompressionStrategy compression = CompressionStrategy.NONE;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Write what happened to each segment in one more call of each size, for chrome://tracing or Perfetto.")
    private @org.jspecify.annotations.Nullable Path trace;

    BenchRankCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        DistributedConfig config;
        List<SizeSpec> wanted;
        try {
            config = new DistributedConfig(BenchHosts.parse(peers), rank)
                    .with(EngineOptions.DEFAULTS.as(compression).onLoss(onLoss))
                    .transport(transport)
                    .reducer(Engines.chosen(engine, CalibrationFile.in(terminal.environment())));
            cipher.check(config);
            wanted = SizeSpec.parseList(sizes);
        } catch (IllegalArgumentException wrong) {
            if (command == null) {
                throw wrong;
            }
            throw new ParameterException(command.commandLine(), String.valueOf(wrong.getMessage()), wrong);
        }
        if (rank == 0 && cipher == BenchCipher.COPY) {
            terminal.err().println("hearth: --cipher copy: the vectors go as plain text, fit for a measurement only");
        }
        try (NamespaceKeys keys = BenchHosts.namespace(terminal, rank == 0).keys();
                RingBackend backend = cipher.open(config, keys)) {
            var bench = new RankBench(backend, algorithm, compression);
            bench.run(wanted, times -> terminal.print(times.toJson()));
            if (trace != null) {
                write(bench, trace);
            }
        }
        return Exit.OK;
    }

    static void write(RankBench bench, Path file) throws HearthException {
        try {
            bench.writeTrace(file);
        } catch (IOException failed) {
            throw new HearthException(
                    "cannot write the trace to " + file + ": " + failed + "; name a file in a folder of yours", failed);
        }
    }
}
