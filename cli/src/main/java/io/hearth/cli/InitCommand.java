package io.hearth.cli;

import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NamespaceLookup;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.SecretFile;
import io.hearth.identity.SecretText;
import io.hearth.identity.roster.RosterDesk;
import io.hearth.identity.roster.RosterFile;
import io.hearth.identity.roster.SeenFile;
import io.hearth.topology.LocalProfile;
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
            "The machine that makes the secret founds the roster of the namespace; the others are paired.",
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

    @Option(
            names = "--first",
            description = {
                "Found the roster of a namespace whose secret is here already, and that has none on any machine.",
                "Two rosters of one namespace do not know one another's removals: do it on one machine only."
            })
    private boolean first;

    @Option(names = "--json", description = "One line of JSON: schema, namespace, key_id, new, founded.")
    private boolean json;

    InitCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws SetupException {
        HearthHome home = HearthHome.open(terminal.environment());
        NamespaceFile file = NamespaceFile.in(home);
        Optional<NetworkNamespace> stored = file.find(name);
        var lookup = new NamespaceLookup(home, terminal.environment());
        if (first && secretFile.isEmpty() && lookup.isGiven()) {
            NetworkNamespace given = lookup.named(name);
            found(home, given);
            print(given, false, true);
            return Exit.OK;
        }
        NetworkNamespace namespace =
                secretFile.isEmpty() ? stored.orElseGet(() -> NetworkNamespace.create(name)) : read();
        boolean founds = first || (secretFile.isEmpty() && stored.isEmpty());
        boolean added = file.add(namespace);
        if (added && RosterFile.in(home, name).setAsideUnless(namespace)) { // of a namespace that was given up
            SeenFile.in(home, name).setAside();
        }
        if (founds) {
            found(home, namespace);
        }
        print(namespace, added, founds);
        return Exit.OK;
    }

    private static void found(HearthHome home, NetworkNamespace namespace) throws SetupException {
        var desk = new RosterDesk(
                home,
                namespace,
                IdentityFile.in(home).loadOrCreate(),
                LocalProfile.read("", "").label());
        var _ = desk.found(Clock.system().epochMillis());
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

    private void print(NetworkNamespace namespace, boolean added, boolean founds) {
        if (json) {
            var data = new JsonObject();
            data.addProperty("schema", 1);
            data.addProperty("namespace", namespace.name());
            data.addProperty("key_id", namespace.keyId());
            data.addProperty("new", added);
            data.addProperty("founded", founds);
            terminal.print(data);
        } else {
            terminal.out()
                    .println("namespace " + namespace.name() + ", key id " + namespace.keyId()
                            + (added ? "" : ", here already")
                            + (first ? ", founded on this machine" : ""));
        }
    }
}
