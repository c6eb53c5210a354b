package io.hearth.cli.serve;

import io.hearth.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hearth coordinator}: a coordinator of workers, on this machine alone. */
@Command(
        name = "coordinator",
        description = {
            "Serve ranks and checkpoints to the workers of Zerfoo and of Hearth's coordinator library. Prints the address.",
            "Workers and checkpoints are kept in the home folder and survive a crash."
        })
public final class CoordinatorCommand extends AloneCommand {
    @Mixin
    private CoordinatorOptions options = new CoordinatorOptions();

    public CoordinatorCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    ServiceOptions options() {
        return options;
    }
}
