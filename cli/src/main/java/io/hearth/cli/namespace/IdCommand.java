package io.hearth.cli.namespace;

import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.PeerId;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth id}: prints the id of this machine. */
@Command(name = "id", description = "Print the id of this machine. If the machine has no identity yet, it gets one.")
public final class IdCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(names = "--json", description = "Print one line of JSON: schema, id, short, home.")
    private boolean json;

    public IdCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws SetupException {
        HearthHome home = HearthHome.open(terminal.environment());
        PeerId peer = IdentityFile.in(home).loadOrCreate().peer();
        if (json) {
            var data = new JsonObject();
            data.addProperty("schema", 1);
            data.addProperty("id", peer.text());
            data.addProperty("short", peer.shortText());
            data.addProperty("home", home.folder().toString());
            terminal.print(data);
        } else {
            terminal.out().println(peer.text());
        }
        return Exit.OK;
    }
}
