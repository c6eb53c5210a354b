package io.hearth.cli.service;

import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hearth uninstall}: stops the service and deletes what {@code hearth install} wrote. */
@Command(
        name = "uninstall",
        description =
                "Stop the service of 'hearth install' and delete its files. Identity, secrets and settings stay in the home"
                        + " folder.")
public final class UninstallCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private final ServiceOptions options = new ServiceOptions();

    public UninstallCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        ServicePlan plan = options.plan(terminal);
        var service = new Service(plan, terminal);
        if (options.dryRun) {
            service.show(plan.stop());
            return Exit.OK;
        }
        boolean wasThere = service.uninstall();
        terminal.err().println(wasThere ? "the service is gone" : "there was no service");
        return Exit.OK;
    }
}
