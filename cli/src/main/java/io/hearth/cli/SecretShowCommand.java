package io.hearth.cli;

import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceLookup;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.SecretText;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code hearth secret show}: the secret, for a person to copy to another machine. */
@Command(
        name = "show",
        description = {
            "Print a namespace's secret on the terminal. Whoever has it is a member.",
            "On the other machine: hearth init NAME --secret-file -"
        })
final class SecretShowCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            converter = NamespaceName.class,
            description = "Default: the only namespace of this machine, else " + NetworkNamespace.DEFAULT_NAME + ".")
    private String name = "";

    SecretShowCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws SetupException {
        if (!terminal.interactive()) {
            throw new SetupException(
                    "the secret is not shown: input or output is not a terminal, and what goes through a"
                            + " pipe ends up in files and logs; run this in a terminal, or copy the secret's line of namespace.toml");
        }
        var lookup = new NamespaceLookup(HearthHome.open(terminal.environment()), terminal.environment());
        NetworkNamespace namespace = name.isEmpty() ? lookup.preferred() : lookup.named(name);
        terminal.out().println(SecretText.of(namespace));
        return Exit.OK;
    }
}
