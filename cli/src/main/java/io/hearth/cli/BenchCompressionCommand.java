package io.hearth.cli;

import io.hearth.bench.CodecBench;
import io.hearth.bench.CodecBenchPlan;
import io.hearth.bench.CodecLine;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.HearthException;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hearth bench compression}: how fast codecs are, how much smaller they make a gradient, and how wrong a sum. */
@Command(
        name = "compression",
        description = {
            "Judge codecs on this machine: speed on one core, size, and the error of a sum over several nodes.",
            "Errors are of one sum, without error feedback; the same on every machine, as all but the speeds is.",
            "Bias: mean error over mean magnitude. Speed: GB of float32 in, decoding includes adding."
        })
final class BenchCompressionCommand implements Callable<Integer> {
    private static final String CODEC = "codec"; // heading

    private final Terminal terminal;

    @Spec
    private @Nullable CommandSpec command;

    @Option(
            names = "--codecs",
            paramLabel = "CODEC,...",
            description = "Codecs (default: none,fp16,bf16,int8,int4,topk,randomk).")
    private String codecs = "none,fp16,bf16,int8,int4,topk,randomk";

    @Option(names = "--nodes", paramLabel = "N,...", description = "Contributors of the sums (default: 2,4,8,16).")
    private String nodes = "2,4,8,16";

    @Option(names = "--values", paramLabel = "N", description = "Values of each gradient (default: 1048576).")
    private int values = 1 << 20;

    @Option(names = "--json", description = "One line of JSON for each codec, number of nodes and distribution.")
    private boolean json;

    BenchCompressionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        CodecBenchPlan plan = plan();
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

    private CodecBenchPlan plan() {
        try {
            return CodecBenchPlan.parse(codecs, nodes, values);
        } catch (IllegalArgumentException refused) {
            String why = String.valueOf(refused.getMessage());
            throw command == null
                    ? new IllegalArgumentException(why, refused)
                    : new ParameterException(command.commandLine(), why, refused);
        }
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
