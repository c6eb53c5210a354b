package io.hearth.cli;

import com.google.gson.JsonObject;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.SecretFile;
import io.hearth.identity.SecretText;
import io.hearth.identity.roster.RosterFile;
import io.hearth.identity.roster.SeenFile;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hearth init}: puts this machine into a namespace, a new one or one that another machine is in. */
@Command(
        name = "init",
        description = {
            "Put this machine into a namespace: a new one, or with --secret-file one that exists.",
            "Prints the namespace's name and key id, never its secret."
        })
final class InitCommand implements Callable<Integer> {
    private static final String PIPE = "-";

    private final Terminal terminal;

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            defaultValue = NetworkNamespace.DEFAULT_NAME,
            converter = NamespaceName.class,
            description = "1 to 63 of a-z, 0-9 and '-' (default: ${DEFAULT-VALUE}).")
    private String name = NetworkNamespace.DEFAULT_NAME;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description =
                    "Holds what 'hearth secret show NAME' prints on a machine that is in the namespace; - asks for it.")
    private String secretFile = "";

    @Option(names = "--json", description = "One line of JSON: schema, namespace, key_id, new.")
    private boolean json;

    InitCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws SetupException {
        HearthHome home = HearthHome.open(terminal.environment());
        NamespaceFile file = NamespaceFile.in(home);
        Optional<NetworkNamespace> stored = file.find(name);
        NetworkNamespace namespace =
                secretFile.isEmpty() ? stored.orElseGet(() -> NetworkNamespace.create(name)) : read();
        boolean added = file.add(namespace);
        if (added && RosterFile.in(home, name).setAsideUnless(namespace)) { // of a namespace that was given up
            SeenFile.in(home, name).setAside();
        }
        print(namespace, added);
        return Exit.OK;
    }

    private NetworkNamespace read() throws SetupException {
        if (secretFile.equals(PIPE)) {
            return terminal.interactive()
                    ? SecretText.parse(
                            name, terminal.readHidden("secret of " + name + " (not shown): "), "what was typed")
                    : SecretText.read(name, terminal.in(), "standard input");
        }
        try {
            Path file = Path.of(secretFile);
            NetworkNamespace read = SecretFile.read(name, file, secretFile);
            SecretFile.warning(file, secretFile).ifPresent(terminal::error);
            return read;
        } catch (IOException | InvalidPathException broken) {
            throw new SetupException(
                    "cannot open " + secretFile + ": it is not a file that this user can read; name one that holds what"
                            + " 'hearth secret show " + name + "' prints, or - to type it",
                    broken);
        }
    }

    private void print(NetworkNamespace namespace, boolean added) {
        if (json) {
            var data = new JsonObject();
            data.addProperty("schema", 1);
            data.addProperty("namespace", namespace.name());
            data.addProperty("key_id", namespace.keyId());
            data.addProperty("new", added);
            terminal.print(data);
        } else {
            terminal.out()
                    .println("namespace " + namespace.name() + ", key id " + namespace.keyId()
                            + (added ? "" : ", here already"));
        }
    }
}
