package io.hearth.cli;

import io.hearth.bench.ConvergenceBench;
import io.hearth.bench.ConvergenceCodec;
import io.hearth.bench.ConvergenceLine;
import io.hearth.bench.ConvergencePlan;
import io.hearth.bench.ConvergenceSummary;
import io.hearth.bench.Interval;
import io.hearth.bench.MnistImages;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Table;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.Clock;
import io.hearth.core.HearthException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hearth bench convergence}: what compression of gradients costs in accuracy, on real images. */
@Command(
        name = "convergence",
        description = {
            "Train a network of 784-128-10 units on the handwritten digits of MNIST with compressed gradients, and compare.",
            "Four nodes, ranks of a group over loopback in this process, 32 images each per step; rate 0.1, in the last quarter of the epochs 0.01; momentum 0.9.",
            "Of the images, four fifths are trained on and the others tested; the seed chooses which, the first weights and the order.",
            "Sent: bytes that a node sends for an uncompressed ring all-reduce, over those that the busiest node sent."
                    + " Intervals are of 95 %% (Student's t)."
        })
final class BenchConvergenceCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private @Nullable CommandSpec command;

    @Option(
            names = "--data",
            required = true,
            paramLabel = "IMAGES",
            description = "IDX file of 28 x 28 images, gzip or plain: t10k-images-idx3-ubyte.gz of MNIST.")
    private Path data = Path.of("");

    @Option(
            names = "--labels",
            required = true,
            paramLabel = "LABELS",
            description = "IDX file of their labels: t10k-labels-idx1-ubyte.gz.")
    private Path labels = Path.of("");

    @Option(
            names = "--codecs",
            paramLabel = "CODEC,...",
            description = {
                "What to compare, as for --compression (default: none,int8,topk:0.01,topk:0.01,residual=none,dgc:0.001).",
                "Differences are to 'none'."
            })
    private String codecs = "none,int8,topk:0.01,topk:0.01,residual=none,dgc:0.001";

    @Option(names = "--seeds", paramLabel = "N,...|A..B", description = "One training for each (default: 1,2,3).")
    private String seeds = "1,2,3";

    @Option(names = "--epochs", paramLabel = "N", description = "Passes over the images (default: 20).")
    private int epochs = 20;

    @Option(names = "--parallel", paramLabel = "N", description = "Trainings at once (default: 1).")
    private int threads = 1;

    @Option(names = "--json", description = "A line of JSON for each training, then one for each codec.")
    private boolean json;

    BenchConvergenceCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        ConvergencePlan plan = plan();
        MnistImages images = MnistImages.read(data, labels);
        var progress = new Progress(plan.runs());
        List<ConvergenceLine> lines = ConvergenceBench.run(plan, images, progress::say, line -> {
            if (json) {
                terminal.print(line.toJson());
            }
        });
        List<ConvergenceSummary> summaries = ConvergenceSummary.of(lines);
        if (json) {
            summaries.forEach(summary -> terminal.print(summary.toJson()));
        } else {
            show(lines, summaries);
        }
        return Exit.OK;
    }

    private ConvergencePlan plan() {
        try {
            return new ConvergencePlan(
                    ConvergenceCodec.parseList(codecs), ConvergencePlan.seeds(seeds), epochs, threads);
        } catch (IllegalArgumentException refused) {
            String why = String.valueOf(refused.getMessage());
            throw command == null ? refused : new ParameterException(command.commandLine(), why, refused);
        }
    }

    /** A line for each training as it ends; called by several threads. */
    private final class Progress {
        private final int runs;
        private final long beginNanos = Clock.system().nanoTime();
        private final AtomicInteger done = new AtomicInteger(); // counted up by the threads of the trainings

        Progress(int runs) {
            this.runs = runs;
        }

        void say(ConvergenceLine line) {
            double seconds = (Clock.system().nanoTime() - beginNanos) / 1e9;
            terminal.err()
                    .printf(
                            Locale.ROOT,
                            "%d of %d after %.0f s: %s seed %d, %.2f %%%n",
                            done.incrementAndGet(),
                            runs,
                            seconds,
                            line.codec(),
                            line.seed(),
                            line.accuracy());
        }
    }

    private void show(List<ConvergenceLine> lines, List<ConvergenceSummary> summaries) {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("codec", "seed", "accuracy %", "sent"));
        for (ConvergenceLine line : lines) {
            rows.add(List.of(
                    line.codec(),
                    String.valueOf(line.seed()),
                    number("%.2f", line.accuracy()),
                    ratio(line.sentRatio())));
        }
        Table.lines(rows).forEach(terminal.out()::println);
        terminal.out().println();
        rows.clear();
        rows.add(List.of("codec", "seeds", "accuracy %", "to none", "sent"));
        for (ConvergenceSummary summary : summaries) {
            rows.add(List.of(
                    summary.codec(),
                    String.valueOf(summary.seeds()),
                    interval("%.2f", summary.accuracy()),
                    summary.difference()
                            .map(interval -> interval("%+.2f", interval))
                            .orElse("-"),
                    ratio(summary.sentRatio())));
        }
        Table.lines(rows).forEach(terminal.out()::println);
    }

    private static String interval(String format, Interval interval) {
        String mean = number(format, interval.mean());
        return Double.isNaN(interval.half()) ? mean : mean + " ± " + number("%.2f", interval.half());
    }

    private static String ratio(double ratio) {
        return number(ratio < 100 ? "%.2fx" : "%.0fx", ratio);
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
