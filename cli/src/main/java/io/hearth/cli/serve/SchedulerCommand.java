package io.hearth.cli.serve;

import io.hearth.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hearth scheduler}: a scheduler of jobs, on this machine alone. */
@Command(
        name = "scheduler",
        description = {
            "Run jobs on training nodes: data shards, stragglers, barriers. Prints the address; 'hearth jobs' talks to it.",
            "Jobs and shards are kept in the home folder and survive a crash."
        })
public final class SchedulerCommand extends AloneCommand {
    @Mixin
    private SchedulerOptions options = new SchedulerOptions();

    public SchedulerCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    ServiceOptions options() {
        return options;
    }
}
