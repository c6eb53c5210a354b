package io.hearth.cli.bench;

import io.hearth.bench.BenchCipher;
import io.hearth.bench.RankBench;
import io.hearth.cli.option.Converters;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.core.HearthException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options that {@code hearth bench allreduce} and {@code hearth bench rank} share. */
public final class BenchOptions {
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
