package io.hearth.cli.jobs;

import io.hearth.cli.option.ServiceLibraries;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.ShardStrategy;
import io.hearth.scheduler.Topology;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hearth jobs submit}. */
@Command(
        name = "submit",
        description = "Submit a job: its data set is cut into shards, which the nodes of the scheduler work on.")
public final class JobsSubmitCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private SchedulerAddress scheduler = new SchedulerAddress();

    @Parameters(paramLabel = "NAME", description = "Name of the job; no other one has it.")
    private String name = "";

    @Option(names = "--epochs", paramLabel = "N", description = "How often the data set is gone through (default: 1).")
    private int epochs = 1;

    @Option(names = "--batch", paramLabel = "N", description = "Samples in a batch (default: unknown).")
    private int batch;

    @Option(names = "--samples", paramLabel = "N", description = "Samples of the data set (default: unknown).")
    private long samples;

    @Option(names = "--data", paramLabel = "PATH", description = "Path of the data set, as the nodes know it.")
    private String path = "";

    @Option(names = "--size", paramLabel = "BYTES", description = "Size of the data set in bytes (default: 0).")
    private long size;

    @Option(names = "--shards", paramLabel = "N", description = "Number of shards (default: one for each node).")
    private int shards;

    @Option(
            names = "--strategy",
            paramLabel = "round-robin|locality-aware|hash-based|random",
            description = "How shards are placed on nodes (default: locality-aware).")
    private String strategy = "locality-aware";

    @Option(
            names = "--topology",
            paramLabel = "all-reduce|parameter-server|...",
            description = "How the nodes work together: parameter-server, all-reduce, hierarchical, federated-learning,"
                    + " data-parallel or model-parallel (default: all-reduce).")
    private String topology = "all-reduce";

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the random strategy (default: 0).")
    private long seed;

    @Option(names = "--json", description = "Print one line of JSON: schema, job, state, epoch, nodes[], ...")
    private boolean json;

    public JobsSubmitCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        ServiceLibraries.require();
        JobSpec job = job();
        JobView submitted = scheduler.ask(client -> client.submit(job));
        if (json) {
            terminal.print(JobLines.json(submitted));
        } else {
            JobLines.table(List.of(submitted)).forEach(terminal.out()::println);
        }
        return Exit.OK;
    }

    private JobSpec job() {
        try {
            return new JobSpec(
                    UUID.randomUUID().toString(),
                    name,
                    chosen("--topology", Topology.class, topology),
                    chosen("--strategy", ShardStrategy.class, strategy),
                    epochs,
                    batch,
                    samples,
                    path,
                    size,
                    shards,
                    seed);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), String.valueOf(wrong.getMessage()));
        }
    }

    private static <T extends Enum<T>> T chosen(String option, Class<T> kind, String text) {
        try {
            return Enum.valueOf(kind, text.toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException unknown) {
            throw new IllegalArgumentException(
                    option + " has no '" + text + "': see 'hearth jobs submit --help'", unknown);
        }
    }
}
