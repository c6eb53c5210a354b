package io.hearth.cli.service;

import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hearth install}: makes the agent a service of this machine. */
@Command(
        name = "install",
        description = {
            "Make the agent a service that starts with this machine, and start it: of launchd on macOS, of systemd on Linux.",
            "May be called again, for example after an upgrade. The service reads its settings from config.toml; see"
                    + " 'hearth config'."
        })
public final class InstallCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final ServiceOptions options = new ServiceOptions();

    public InstallCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        ServicePlan plan = options.plan(terminal);
        var service = new Service(plan, terminal);
        if (options.dryRun) {
            service.show(plan.start());
            return Exit.OK;
        }
        service.install();
        terminal.err()
                .println(
                        "the agent runs as a service; see it with 'hearth status', its log with '" + plan.logs() + "'");
        return Exit.OK;
    }
}
