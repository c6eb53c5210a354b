package io.hearth.cli.namespace;

import com.google.gson.JsonObject;
import io.hearth.cli.option.Converters;
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
import io.hearth.topology.local.LocalProfile;
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
            "The machine that creates the namespace also creates its roster; other machines join with 'hearth pair'.",
            "Prints the name and the key id of the namespace, never its secret."
        })
public final class InitCommand implements Callable<Integer> {
    private static final String PIPE = "-";

    private final Terminal terminal;

    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            defaultValue = NetworkNamespace.DEFAULT_NAME,
            converter = Converters.NamespaceName.class,
            description = "Name of the namespace, 1 to 63 of a-z, 0-9 and '-' (default: ${DEFAULT-VALUE}).")
    private String name = NetworkNamespace.DEFAULT_NAME;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description =
                    "File with the output of 'hearth secret show NAME' of a machine in the namespace; '-' asks for the secret.")
    private String secretFile = "";

    @Option(
            names = "--first",
            description = {
                "Create the roster of a namespace whose secret this machine has, if no machine has a roster of it.",
                "Do this on one machine only: two rosters of one namespace do not share their removals."
            })
    private boolean first;

    @Option(names = "--json", description = "Print one line of JSON: schema, namespace, key_id, new, founded.")
    private boolean json;

    public InitCommand(Terminal terminal) {
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
        if (added
                && RosterFile.in(home, name)
                        .setAsideUnless(namespace)) { // it belonged to a former namespace of this name
            SeenFile.in(home, name).setAside();
        }
        if (founds) {
            found(home, namespace);
        }
        print(namespace, added, founds);
        return Exit.OK;
    }

    private static void found(HearthHome home, NetworkNamespace namespace) throws SetupException {
        var desk = new RosterDesk(home, namespace, IdentityFile.in(home).loadOrCreate(), LocalProfile.label());
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
                    "cannot open " + secretFile + ": this user cannot read it; name a file with the output of"
                            + " 'hearth secret show " + name + "', or - to type the secret",
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
