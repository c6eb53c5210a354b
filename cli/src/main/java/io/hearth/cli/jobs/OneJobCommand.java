package io.hearth.cli.jobs;

import io.hearth.cli.option.ServiceLibraries;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.client.SchedulerClient;
import io.hearth.scheduler.client.SchedulerException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command about one job, which it shows afterwards. */
public abstract sealed class OneJobCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private SchedulerAddress scheduler = new SchedulerAddress();

    @Parameters(paramLabel = "NAME", description = "Name of the job.")
    private String name = "";

    @Option(names = "--json", description = "Print one line of JSON: schema, job, state, epoch, nodes[], ...")
    private boolean json;

    private OneJobCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    abstract JobView ask(SchedulerClient client, String job) throws SchedulerException;

    @Override
    public Integer call() throws HearthException {
        ServiceLibraries.require();
        JobView job = scheduler.ask(client -> ask(client, name));
        if (json) {
            terminal.print(JobLines.json(job));
        } else {
            JobLines.table(List.of(job)).forEach(terminal.out()::println);
            JobLines.nodes(job).forEach(terminal.out()::println);
        }
        return Exit.OK;
    }

    /** {@code hearth jobs show}. */
    @Command(name = "show", description = "Show a job with its nodes: progress, rates, stragglers.")
    public static final class Show extends OneJobCommand {
        public Show(Terminal terminal) {
            super(terminal);
        }

        @Override
        JobView ask(SchedulerClient client, String job) throws SchedulerException {
            return client.show(job);
        }
    }

    /** {@code hearth jobs cancel}. */
    @Command(name = "cancel", description = "End a job. Its shards are given to no node any more.")
    public static final class Cancel extends OneJobCommand {
        public Cancel(Terminal terminal) {
            super(terminal);
        }

        @Override
        JobView ask(SchedulerClient client, String job) throws SchedulerException {
            return client.cancel(job);
        }
    }
}
