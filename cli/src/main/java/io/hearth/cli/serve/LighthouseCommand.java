package io.hearth.cli.serve;

import io.hearth.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code hearth lighthouse}: a lighthouse for the clients of torchft, on this machine alone. */
@Command(
        name = "lighthouse",
        description = {
            "Serve quorums to torchft's own client, in place of its lighthouse: set TORCHFT_LIGHTHOUSE to the address that"
                    + " this prints.",
            "The number of the last quorum is kept in the home folder and never used again, also after a crash."
        })
public final class LighthouseCommand extends AloneCommand {
    @Mixin
    private LighthouseOptions options = new LighthouseOptions();

    public LighthouseCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    ServiceOptions options() {
        return options;
    }
}
