package io.hearth.cli.jobs;

import io.hearth.cli.option.ServiceLibraries;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.client.SchedulerClient;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hearth jobs list}. */
@Command(name = "list", description = "List the jobs that the scheduler remembers, the newest first.")
public final class JobsListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private SchedulerAddress scheduler = new SchedulerAddress();

    @Option(
            names = "--json",
            description = "Print a line of JSON for each job: schema, job, state, epoch, nodes[], ...")
    private boolean json;

    public JobsListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        ServiceLibraries.require();
        List<JobView> jobs = scheduler.ask(SchedulerClient::jobs);
        if (json) {
            jobs.forEach(job -> terminal.print(JobLines.json(job)));
        } else if (jobs.isEmpty()) {
            terminal.err().println("no jobs: submit one with 'hearth jobs submit NAME'");
        } else {
            JobLines.table(jobs).forEach(terminal.out()::println);
        }
        return Exit.OK;
    }
}
