package io.hearth.cli.serve;

import io.hearth.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hearth parameterserver}: a parameter server, on this machine alone. */
@Command(
        name = "parameterserver",
        description = {
            "Keep parameters, apply gradients, write checkpoints. Prints the address.",
            "Checkpoints are in the home folder."
        })
public final class ParameterServerCommand extends AloneCommand {
    @Mixin
    private ParameterServerOptions options = new ParameterServerOptions();

    public ParameterServerCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    ServiceOptions options() {
        return options;
    }
}
