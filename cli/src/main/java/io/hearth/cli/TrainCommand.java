package io.hearth.cli;

import io.hearth.accel.EngineName;
import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.ChromeTrace;
import io.hearth.agent.HearthConfig;
import io.hearth.cli.terminal.Durations;
import io.hearth.cli.terminal.EngineConverter;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.UntilSignal;
import io.hearth.collective.CollectiveMetrics;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.RankBounds;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.HearthException;
import io.hearth.examples.DigitsRecipe;
import io.hearth.examples.DigitsTraining;
import io.hearth.examples.Mlp;
import io.hearth.transport.DataTransport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hearth train}: the digits example, trained together with the other machines of the namespace. */
@Command(
        name = "train",
        description = {
            "Train a classifier of handwritten digits together with other machines that run the same command.",
            "Waits for --peers other trainers, then begins; a node that comes later waits until the job ends.",
            "No node trains with fewer than it waited for, or than --min-nodes says."
        })
final class TrainCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Option(
            names = "--peers",
            paramLabel = "N",
            description = "Other trainers to wait for (default: MIN - 1 of --min-nodes, else 1).")
    private @Nullable Integer peers;

    @Option(
            names = "--min-nodes",
            paramLabel = NodesRange.LABEL,
            converter = NodesRange.class,
            description = {
                "Train with MIN to MAX nodes, the same on all of them (default: 1).",
                "Below MIN all wait, and end with an error after 5 minutes. Above MAX a node is a spare: it waits for a place."
            })
    private @Nullable RankBounds nodes;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long to wait for them (default: 60s).")
    private Duration timeout = Duration.ofSeconds(60);

    @Option(names = "--group", paramLabel = "NAME", description = "The training job to join (default: default).")
    private String group = HearthConfig.DEFAULT_GROUP;

    @Option(names = "--epochs", paramLabel = "N", description = "Passes over the images (default: ${DEFAULT-VALUE}).")
    private int epochs = DigitsRecipe.EPOCHS;

    @Option(
            names = "--compression",
            paramLabel = "CODEC",
            converter = Compression.class,
            description = Compression.CHOICES + ", the same on all nodes (default: none).")
    private CompressionStrategy compression = CompressionStrategy.NONE;

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
            names = "--seed",
            paramLabel = "N",
            description = "Of the first weights, the same on all nodes (default: 1).")
    private long seed = 1;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Write where the time of this node's first collectives went, for chrome://tracing, Perfetto or docs/trace.html.")
    private @Nullable Path trace;

    @Option(names = "--json", description = "Reports as lines of JSON on standard output.")
    private boolean json;

    @Option(
            names = "--from-stdin",
            hidden = true,
            description = "Take 'peer HOST:PORT' lines from standard input, and end when it ends.")
    private boolean fromStdin;

    TrainCommand(Terminal terminal) {
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
                ParentPipe.follow(terminal.in(), hearth);
            }
            reports.started(jvmMillis);
            hearth.progress(now -> reports.tell(new NodeReport.Note(System.currentTimeMillis(), now.text())));
            train(hearth, reports);
        } catch (InterruptedException interrupted) {
            return Exit.INTERRUPTED;
        }
        return Exit.OK;
    }

    private void train(AutoDiscoveryBackend hearth, NodeReporter reports) throws HearthException, InterruptedException {
        @Nullable ChromeTrace spans = null;
        try {
            hearth.waitForPeers(peers(), timeout);
            DistributedContext cluster = hearth.context();
            if (!cluster.isInGroup()) {
                throw new HearthException("group '" + group
                        + "' runs another program, one with steps; name a group of your own with --group");
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
                    compression.momentumLeft(Mlp.MOMENTUM),
                    (epoch, steps, loss) -> epochDone(reports, cluster, epoch, steps, loss));
            done(reports, hearth, cluster, outcome);
        } catch (CollectiveException failed) {
            if (Thread.interrupted()) { // to close in order takes a thread that may wait
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

    /** Says so where it fails: what was trained counts all the same. */
    private void write(ChromeTrace spans, Path file) {
        try {
            spans.write(file);
        } catch (IOException failed) {
            terminal.err()
                    .println("hearth: cannot write the trace to " + file + ": " + failed
                            + "; name a file in a folder of yours");
        }
    }

    private void epochDone(NodeReporter reports, DistributedContext cluster, int epoch, long steps, double loss) {
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

    /** What is not said follows from how many nodes there have to be. */
    private int peers() {
        return peers != null ? peers : nodes != null ? nodes.least() - 1 : 1;
    }

    private HearthConfig config() {
        return network.checked(() -> {
            if (trace != null && !Files.isWritable(trace.toAbsolutePath().getParent())) {
                throw new IllegalArgumentException("--trace: the folder of " + trace
                        + " is not there or not writable; name a file in a folder of yours");
            }
            if (peers() < 0 || epochs < 1) {
                throw new IllegalArgumentException(
                        "--peers must be 0 or more and --epochs 1 or more, got " + peers() + " and " + epochs);
            }
            RankBounds bounds = nodes == null ? RankBounds.ANY : nodes;
            if (peers() >= bounds.most()) {
                throw new IllegalArgumentException("--peers " + peers() + " and this node are more than the "
                        + bounds.most() + " nodes of --min-nodes");
            }
            return network.applyTo(HearthConfig.defaults()
                    .group(group)
                    .minimumRanks(bounds.least())
                    .maximumRanks(bounds.most())
                    .compression(compression)
                    .transport(transport)
                    .engine(engine));
        });
    }
}
