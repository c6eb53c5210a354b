package io.hearth.cli.node;

import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.ChromeTrace;
import io.hearth.agent.HearthConfig;
import io.hearth.cli.option.NetworkOptions;
import io.hearth.cli.option.NodesRange;
import io.hearth.cli.option.SumOptions;
import io.hearth.cli.process.ParentPipe;
import io.hearth.cli.terminal.Durations;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.UntilSignal;
import io.hearth.cli.terminal.Usage;
import io.hearth.collective.CollectiveMetrics;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.RankBounds;
import io.hearth.core.CollectiveException;
import io.hearth.core.HearthException;
import io.hearth.discovery.HostPort;
import io.hearth.examples.DigitsRecipe;
import io.hearth.examples.DigitsTraining;
import io.hearth.examples.Mlp;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hearth train}: trains the digits example together with the other machines of the namespace. */
@Command(
        name = "train",
        description = {
            "Train a classifier of handwritten digits together with other machines that run the same command.",
            "Training begins when --peers other trainers are there. A node that comes later waits until the job ends.",
            "A node trains with at least the number of nodes that it waited for, and at least MIN of --min-nodes."
        })
public final class TrainCommand implements Callable<Integer> {
    private static final String PEER = "peer "; // begins a line on standard input

    private final Terminal terminal;

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Mixin
    private final SumOptions sums = new SumOptions();

    @Option(
            names = "--peers",
            paramLabel = "N",
            description = "Number of other trainers to wait for (default: MIN - 1 of --min-nodes, else 1).")
    private @Nullable Integer peers;

    @Option(
            names = "--min-nodes",
            paramLabel = NodesRange.LABEL,
            converter = NodesRange.class,
            description = {
                "Train with MIN to MAX nodes; set the same range on all nodes (default: 1).",
                "With fewer than MIN, all nodes wait, and end with an error after 5 minutes. With more than MAX, the"
                        + " others are spares: each waits until a node leaves."
            })
    private @Nullable RankBounds nodes;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long to wait for the other trainers (default: 60s).")
    private Duration timeout = Duration.ofSeconds(60);

    @Option(names = "--group", paramLabel = "NAME", description = "Name of the training job (default: default).")
    private String group = HearthConfig.DEFAULT_GROUP;

    @Option(names = "--epochs", paramLabel = "N", description = "Passes over the images (default: ${DEFAULT-VALUE}).")
    private int epochs = DigitsRecipe.EPOCHS;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the initial weights, the same on all nodes (default: 1).")
    private long seed = 1;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Write a trace of this node's first collectives to FILE, for chrome://tracing, Perfetto or docs/trace.html.")
    private @Nullable Path trace;

    @Option(names = "--json", description = "Print progress as JSON lines on standard output.")
    private boolean json;

    @Option(
            names = "--from-stdin",
            hidden = true,
            description = "Read lines 'peer HOST:PORT' from standard input, and end when it ends.")
    private boolean fromStdin;

    public TrainCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        HearthConfig config = config();
        long jvmMillis = System.currentTimeMillis()
                - ManagementFactory.getRuntimeMXBean().getStartTime();
        try (var _ = new UntilSignal();
                AutoDiscoveryBackend hearth = AutoDiscoveryBackend.start(config, terminal.environment());
                var reports = new NodeReporter(hearth, terminal, json)) {
            if (fromStdin) {
                ParentPipe.follow(terminal.in(), line -> addPeer(hearth, line));
            }
            reports.started(jvmMillis);
            hearth.progress(now -> reports.tell(new NodeReport.Note(System.currentTimeMillis(), now.text())));
            train(hearth, reports);
        } catch (InterruptedException interrupted) {
            return Exit.INTERRUPTED;
        }
        return Exit.OK;
    }

    private static void addPeer(AutoDiscoveryBackend hearth, String line) {
        if (line.startsWith(PEER)) {
            hearth.addPeer(HostPort.parse(line.substring(PEER.length())));
        }
    }

    private void train(AutoDiscoveryBackend hearth, NodeReporter reports) throws HearthException, InterruptedException {
        @Nullable ChromeTrace spans = null;
        try {
            hearth.waitForPeers(peers(), timeout);
            DistributedContext cluster = hearth.context();
            if (!cluster.isInGroup()) {
                throw new HearthException("group '" + group
                        + "' runs another program, one with steps; choose another group with --group");
            }
            spans = new ChromeTrace(cluster.rank());
            if (trace != null) {
                hearth.trace(spans);
            }
            reports.tell(new NodeReport.Training(System.currentTimeMillis(), cluster.rank(), cluster.worldSize()));
            var outcome = DigitsTraining.train(
                    cluster,
                    epochs,
                    seed,
                    sums.compression.momentumLeft(Mlp.MOMENTUM),
                    (epoch, steps, loss) -> epochDone(hearth, reports, cluster, epoch, steps, loss));
            done(reports, hearth, cluster, outcome);
        } catch (CollectiveException failed) {
            if (Thread.interrupted()) { // closing in order needs a thread whose interrupt flag is clear
                var interrupted = new InterruptedException(failed.getMessage());
                interrupted.initCause(failed);
                throw interrupted;
            }
            throw failed;
        } finally {
            if (spans != null && trace != null) {
                hearth.trace(CollectiveTrace.NONE);
                write(spans, trace);
            }
        }
    }

    /** Writes the trace. A failure is only reported, because the training itself succeeded. */
    private void write(ChromeTrace spans, Path file) {
        try {
            spans.write(file);
        } catch (IOException failed) {
            terminal.err()
                    .println("hearth: cannot write the trace to " + file + ": " + failed
                            + "; name a file in a folder of yours");
        }
    }

    private void epochDone(
            AutoDiscoveryBackend hearth,
            NodeReporter reports,
            DistributedContext cluster,
            int epoch,
            long steps,
            double loss) {
        hearth.report(steps - 1, steps * epochs / epoch, loss);
        CollectiveMetrics metrics = cluster.metricsSnapshot();
        reports.tell(new NodeReport.EpochDone(
                System.currentTimeMillis(),
                epoch,
                epochs,
                steps,
                loss,
                cluster.worldSize(),
                metrics.wireBytes(),
                metrics.denseBytes()));
    }

    private void done(
            NodeReporter reports,
            AutoDiscoveryBackend hearth,
            DistributedContext cluster,
            DigitsTraining.Outcome outcome) {
        CollectiveMetrics metrics = cluster.metricsSnapshot();
        reports.tell(new NodeReport.Done(
                System.currentTimeMillis(),
                cluster.worldSize(),
                hearth.status().view().master().text(),
                outcome.steps(),
                outcome.rightImages(),
                outcome.testImages(),
                metrics.wireBytes(),
                metrics.denseBytes(),
                outcome.weightsSha256()));
        if (!json) {
            terminal.out()
                    .printf(
                            Locale.ROOT,
                            "%d of %d test images right after %d steps with %d nodes; weights %s%n",
                            outcome.rightImages(),
                            outcome.testImages(),
                            outcome.steps(),
                            cluster.worldSize(),
                            outcome.weightsSha256());
        }
    }

    /** Without {@code --peers}, the number follows from {@code --min-nodes}. */
    private int peers() {
        return peers != null ? peers : nodes != null ? nodes.least() - 1 : 1;
    }

    private HearthConfig config() {
        return network.checked(() -> {
            if (trace != null) {
                Usage.requireWritable("--trace", trace);
            }
            if (peers() < 0 || epochs < 1) {
                throw new IllegalArgumentException(
                        "--peers must be 0 or more and --epochs 1 or more, got " + peers() + " and " + epochs);
            }
            RankBounds bounds = nodes == null ? RankBounds.ANY : nodes;
            if (peers() >= bounds.most()) {
                throw new IllegalArgumentException(
                        "--peers must be below MAX of --min-nodes, which is " + bounds.most() + ", got " + peers());
            }
            return network.applyTo(HearthConfig.defaults()
                    .group(group)
                    .minimumRanks(bounds.least())
                    .maximumRanks(bounds.most())
                    .compression(sums.compression)
                    .transport(sums.transport)
                    .engine(sums.engine.name));
        });
    }
}
