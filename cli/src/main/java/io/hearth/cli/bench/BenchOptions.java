package io.hearth.cli.bench;

import io.hearth.bench.BenchCipher;
import io.hearth.bench.RankBench;
import io.hearth.cli.option.Converters;
import io.hearth.cli.option.SumOptions;
import io.hearth.cli.terminal.Terminal;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.ring.DistributedConfig;
import io.hearth.collective.ring.RingBackend;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that {@code hearth bench allreduce} and {@code hearth bench rank} share. */
public final class BenchOptions {
    @Mixin
    final SumOptions sums = new SumOptions();

    @Option(
            names = "--algorithm",
            paramLabel = "auto|ring|direct|tree|centralized|hierarchical",
            converter = Converters.Algorithm.class,
            description = "Algorithm of the all-reduce, the same on all ranks (default: auto).")
    AllReduceStrategy algorithm = AllReduceStrategy.AUTO;

    @Option(
            names = "--cipher",
            paramLabel = "aead|copy",
            converter = Converters.Ciphering.class,
            hidden = true,
            description = {
                "copy leaves encryption out, to measure what it costs (default: aead).",
                "For measuring only: sends plain text, on loopback or in a lab, with --transport tcp."
            })
    BenchCipher cipher = BenchCipher.AEAD;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description = "Trace one more call of each size, segment by segment, and write the trace to FILE,"
                    + " for chrome://tracing or Perfetto.")
    Optional<Path> trace = Optional.empty();

    /**
     * The set-up of one rank with these options.
     *
     * @throws IllegalArgumentException the options do not fit these nodes
     * @throws SetupException the engine does not exist here
     */
    DistributedConfig config(List<InetSocketAddress> nodes, int rank, LossPolicy onLoss, Terminal terminal)
            throws SetupException {
        DistributedConfig config = new DistributedConfig(nodes, rank)
                .with(EngineOptions.DEFAULTS.as(sums.compression).onLoss(onLoss))
                .transport(sums.transport)
                .reducer(sums.engine.chosen(terminal));
        cipher.check(config);
        return config;
    }

    /** The measurement of one rank with these options. */
    RankBench bench(RingBackend backend) {
        return new RankBench(backend, algorithm, sums.compression);
    }

    /** Writes the trace of {@code bench} if the user asked for one. */
    void writeTrace(RankBench bench) throws HearthException {
        if (trace.isEmpty()) {
            return;
        }
        try {
            bench.writeTrace(trace.get());
        } catch (IOException failed) {
            throw new HearthException(
                    "cannot write the trace to " + trace.get() + ": " + failed + "; name a file in a folder of yours",
                    failed);
        }
    }
}
