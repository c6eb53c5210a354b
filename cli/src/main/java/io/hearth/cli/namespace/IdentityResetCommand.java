package io.hearth.cli.namespace;

import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.PeerId;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth identity reset}: makes a new key for this machine and keeps the former key file. */
@Command(
        name = "reset",
        description = {
            "Give this machine a new identity. To other machines it is then a new machine.",
            "The former key file stays beside the new one. Running nodes keep the former identity until they end."
        })
public final class IdentityResetCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(
            names = "--json",
            description = "Print one line of JSON: schema, id, short, kept (the former key file, if any).")
    private boolean json;

    public IdentityResetCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws SetupException {
        IdentityFile file = IdentityFile.in(HearthHome.open(terminal.environment()));
        Optional<Path> kept = file.reset();
        PeerId peer = file.loadOrCreate().peer();
        if (json) {
            var data = new JsonObject();
            data.addProperty("schema", 1);
            data.addProperty("id", peer.text());
            data.addProperty("short", peer.shortText());
            kept.ifPresent(path -> data.addProperty("kept", path.toString()));
            terminal.print(data);
        } else {
            terminal.out().println(peer.text());
            kept.ifPresent(path -> terminal.err().println("the former key file is now " + path));
        }
        return Exit.OK;
    }
}
