package io.hearth.cli.bench;

import io.hearth.bench.CodecBench;
import io.hearth.bench.CodecBenchPlan;
import io.hearth.bench.CodecLine;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.Usage;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.HearthException;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hearth bench compression}: measures speed, compression ratio and error of codecs. */
@Command(
        name = "compression",
        description = {
            "Measure codecs on this machine: speed on one core, compression ratio, and the error of a sum over several nodes.",
            "The error is that of one sum, without error feedback. All columns but the speeds are the same on every machine.",
            "Bias: mean error divided by mean magnitude. Speed: GB of float32 values per second; decoding includes adding."
        })
public final class BenchCompressionCommand implements Callable<Integer> {
    private static final String CODEC = "codec"; // heading of the first column

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Option(
            names = "--codecs",
            paramLabel = "CODEC,...",
            description = "Codecs to measure (default: none,fp16,bf16,int8,int4,topk,randomk).")
    private String codecs = "none,fp16,bf16,int8,int4,topk,randomk";

    @Option(names = "--nodes", paramLabel = "N,...", description = "Numbers of nodes to sum over (default: 2,4,8,16).")
    private String nodes = "2,4,8,16";

    @Option(names = "--values", paramLabel = "N", description = "Number of values in each gradient (default: 1048576).")
    private int values = 1 << 20;

    @Option(names = "--json", description = "Print one line of JSON for each codec, number of nodes and distribution.")
    private boolean json;

    public BenchCompressionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        CodecBenchPlan plan = Usage.checked(command, () -> CodecBenchPlan.parse(codecs, nodes, values));
        int width = Stream.concat(Stream.of(CODEC), plan.codecs().stream().map(CompressionStrategy::text))
                .mapToInt(String::length)
                .max()
                .orElseThrow();
        if (!json) {
            terminal.out()
                    .printf(
                            "%-" + width
                                    + "s  nodes  distribution  relative L2       bias    ratio  encode GB/s  decode GB/s%n",
                            CODEC);
        }
        new CodecBench().run(plan, line -> show(line, width));
        return Exit.OK;
    }

    private void show(CodecLine line, int width) {
        if (json) {
            terminal.print(line.toJson());
        } else {
            terminal.out()
                    .printf(
                            Locale.ROOT,
                            "%-" + width + "s  %5d  %-12s  %11.3g  %9.1e  %7.2f  %11.2f  %11.2f%n",
                            line.codec(),
                            line.nodes(),
                            line.distribution().text(),
                            line.relativeL2(),
                            line.bias(),
                            line.ratio(),
                            line.encodeGbPerSecond(),
                            line.decodeGbPerSecond());
        }
    }
}
