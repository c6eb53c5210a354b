package io.hearth.cli.namespace;

import io.hearth.cli.option.Converters;
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

/** {@code hearth secret show}: prints the secret, so that a user can copy it to another machine. */
@Command(
        name = "show",
        description = {
            "Print the secret of a namespace on the terminal. Any machine that has the secret is a member.",
            "On the other machine: hearth init NAME --secret-file -"
        })
public final class SecretShowCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            converter = Converters.NamespaceName.class,
            description = "Name of the namespace (default: the only one that this machine has, else "
                    + NetworkNamespace.DEFAULT_NAME + ").")
    private String name = "";

    public SecretShowCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws SetupException {
        if (!terminal.interactive()) {
            throw new SetupException(
                    "the secret is not shown: input or output is not a terminal, and data in a pipe can end up in files and"
                            + " logs; run this in a terminal, or copy the line of the secret from namespace.toml");
        }
        HearthHome home = HearthHome.open(terminal.environment());
        var lookup = new NamespaceLookup(home, terminal.environment());
        NetworkNamespace namespace = NamespaceChoice.find(lookup, name, home, terminal.environment());
        terminal.out().println(SecretText.of(namespace));
        return Exit.OK;
    }
}
