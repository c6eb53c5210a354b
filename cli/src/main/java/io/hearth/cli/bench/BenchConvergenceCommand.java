package io.hearth.cli.bench;

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
import io.hearth.cli.terminal.Usage;
import io.hearth.core.Clock;
import io.hearth.core.HearthException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hearth bench convergence}: measures the accuracy that compressed gradients cost, on real images. */
@Command(
        name = "convergence",
        description = {
            "Train a network of 784-128-10 units on the MNIST digits with each codec, and compare the test accuracies.",
            "Four ranks train in this process over loopback, with 32 images each per step. The learning rate is 0.1,"
                    + " in the last quarter of the epochs 0.01; the momentum is 0.9.",
            "Four fifths of the images are for training, the others for testing. The seed sets this split, the initial"
                    + " weights and the order of the images.",
            "Column 'sent': bytes per node of an uncompressed ring all-reduce, divided by the bytes that the busiest node"
                    + " sent. The intervals are 95 %% confidence intervals (Student's t)."
        })
public final class BenchConvergenceCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

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
                "Codecs to compare (default: none,int8,topk:0.01,topk:0.01,residual=none,dgc:0.001).",
                "Each difference is to codec 'none' with the same seed."
            })
    private String codecs = "none,int8,topk:0.01,topk:0.01,residual=none,dgc:0.001";

    @Option(
            names = "--seeds",
            paramLabel = "N,...|A..B",
            description = "Seeds; each codec is trained once with each (default: 1,2,3).")
    private String seeds = "1,2,3";

    @Option(names = "--epochs", paramLabel = "N", description = "Passes over the images (default: 20).")
    private int epochs = 20;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            description = "Number of trainings that run at the same time (default: 1).")
    private int threads = 1;

    @Option(names = "--json", description = "Print one line of JSON for each training, then one for each codec.")
    private boolean json;

    public BenchConvergenceCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        ConvergencePlan plan = Usage.checked(
                command,
                () -> new ConvergencePlan(
                        ConvergenceCodec.parseList(codecs), ConvergencePlan.seeds(seeds), epochs, threads));
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

    /** Prints a line when a training ends. Several threads call it. */
    private final class Progress {
        private final int runs;
        private final long beginNanos = Clock.system().nanoTime();
        private final AtomicInteger done = new AtomicInteger(); // the threads of the trainings increment it

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
