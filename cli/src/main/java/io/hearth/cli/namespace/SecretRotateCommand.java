package io.hearth.cli.namespace;

import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.Clock;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.MachineLookup;
import io.hearth.identity.roster.RosterBook;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hearth secret rotate}: makes a new secret for all machines on the roster. */
@Command(
        name = "rotate",
        description = {
            "Give all machines on the roster a new secret. After that the former secret admits no machine.",
            "Machines that are not on the roster, but know the secret, need --keep or --drop."
        })
public final class SecretRotateCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private RosterOptions options = new RosterOptions();

    @Mixin
    private RosterChoice choice = new RosterChoice();

    @Option(
            names = "--force",
            description =
                    "Rotate even if some machines have not fetched the present secret; they must be paired again.")
    private boolean force;

    @Option(
            names = "--json",
            description = "Print one line of JSON: schema, generation, key_id, waiting, pair_again[].")
    private boolean json;

    public SecretRotateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        RosterOptions.Known known = options.read(terminal);
        SortedSet<PeerId> open = known.bySecret();
        RosterChoice.Decided decided = choice.decide(known, open, "hearth secret rotate");
        long now = Clock.system().epochMillis();
        requireNobodyBehind(known, decided.kept().keySet(), now);
        RosterBook after = known.desk().rotate(decided.kept(), now); // a dropped machine does not get the new secret
        print(known, after, RosterOptions.lockedOut(known, after, now));
        return Exit.OK;
    }

    private void requireNobodyBehind(RosterOptions.Known known, Set<PeerId> kept, long nowMillis)
            throws SetupException {
        var members = new TreeSet<>(known.roster().members());
        members.addAll(kept);
        SortedSet<PeerId> behind = RosterOptions.behind(known, members, nowMillis);
        if (!force && !behind.isEmpty()) {
            throw new SetupException(
                    "these machines have not fetched the present secret yet, as far as this machine saw: "
                            + MachineLookup.names(behind, known.labels())
                            + "; after one more change they must be paired again: start Hearth there, so that it links with the agent"
                            + " of this machine, or 'hearth remove' a machine that is gone, or add --force; nothing was changed");
        }
    }

    private void print(RosterOptions.Known known, RosterBook after, SortedSet<PeerId> lockedOut) throws SetupException {
        if (json) {
            var data = new JsonObject();
            data.addProperty("schema", 1);
            RosterOptions.addTo(data, known, after, lockedOut);
            terminal.print(data);
            return;
        }
        terminal.out()
                .println("secret generation " + after.current().generation() + " (key "
                        + after.keyId().hex() + ") for "
                        + after.roster().members().size() + " machines");
        RosterOptions.say(terminal, known, after, lockedOut);
    }
}
