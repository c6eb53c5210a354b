package io.hearth.cli.namespace;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.Clock;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.MachineLookup;
import io.hearth.identity.roster.RosterBook;
import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hearth remove}: removes a machine from the namespace for ever. */
@Command(
        name = "remove",
        description = {
            "Remove a lost machine from the namespace, at once and for ever, and give all others a new secret.",
            "Machines that only the lost one paired, and machines that are not on the roster, need --keep or --drop."
        })
public final class RemoveCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private RosterOptions options = new RosterOptions();

    @Parameters(paramLabel = "WHO", description = "The machine: its id, at least 4 characters of it, or its name.")
    private String who = "";

    @Mixin
    private RosterChoice choice = new RosterChoice();

    @Option(
            names = "--json",
            description = "Print one line of JSON: schema, removed[], generation, key_id, waiting, pair_again[].")
    private boolean json;

    public RemoveCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        RosterOptions.Known known = options.read(terminal);
        PeerId machine = known.find(who);
        checkNotLast(known, machine);
        if (known.roster().isRemoved(machine) && !known.book().isRotationDue()) {
            print(known, new TreeSet<>(Set.of(machine)), known.book(), true, Collections.emptySortedSet());
            return Exit.OK;
        }
        SortedSet<PeerId> open = known.bySecret();
        open.remove(machine);
        RosterChoice.Decided decided = decide(known, machine, open);
        var out = new TreeSet<>(decided.dropped());
        out.removeAll(open); // they get no new secret; a removal entry for each would only fill the roster
        out.add(machine);
        long now = Clock.system().epochMillis();
        RosterBook after = known.desk().remove(out, decided.kept(), now);
        print(known, out, after, false, RosterOptions.lockedOut(known, after, now));
        return Exit.OK;
    }

    /** The user decides about each machine that only {@code machine} paired, then about those that only a dropped machine paired, and so on. */
    private RosterChoice.Decided decide(RosterOptions.Known known, PeerId machine, SortedSet<PeerId> bySecret)
            throws SetupException {
        String command = "hearth remove " + machine.shortText();
        PeerId self = known.self().peer();
        var reach = new TreeSet<>(Set.of(machine));
        boolean grew = true;
        while (grew) { // follows the chains of grants to their ends
            grew = reach.addAll(known.roster().introducedBy(reach, Set.of(self)));
        }
        reach.remove(machine);
        reach.addAll(bySecret);
        RosterChoice.Decided said = choice.said(known, reach);
        var sure = new TreeSet<>(said.kept().keySet());
        sure.add(self);
        var out = new TreeSet<>(Set.of(machine));
        var open = new TreeSet<>(bySecret);
        while (true) {
            SortedSet<PeerId> resting = known.roster().introducedBy(out, sure);
            open.addAll(resting);
            resting.retainAll(said.dropped());
            if (!out.addAll(resting)) {
                return RosterChoice.complete(known, open, said, command);
            }
        }
    }

    private static void checkNotLast(RosterOptions.Known known, PeerId machine) throws SetupException {
        if (!machine.equals(known.self().peer())) {
            return;
        }
        boolean isAlone = known.roster().members().size() <= 1;
        throw new SetupException(
                isAlone
                        ? "this is the only machine on the roster: no other can be removed; to leave the namespace, delete"
                                + " its table from namespace.toml"
                        : "this machine cannot remove itself: run 'hearth remove " + machine.shortText()
                                + "' on another machine");
    }

    private void print(
            RosterOptions.Known known,
            SortedSet<PeerId> out,
            RosterBook after,
            boolean already,
            SortedSet<PeerId> lockedOut) {
        if (json) {
            var removed = new JsonArray();
            out.forEach(each -> removed.add(each.text()));
            var data = new JsonObject();
            data.addProperty("schema", 1);
            data.add("removed", removed);
            RosterOptions.addTo(data, known, after, lockedOut);
            terminal.print(data);
            return;
        }
        terminal.out()
                .println((already ? "nothing to do, removed already: " : "removed ")
                        + MachineLookup.names(out, known.labels())
                        + "; secret generation "
                        + after.current().generation() + " (key "
                        + after.keyId().hex() + ")");
        RosterOptions.say(terminal, known, after, lockedOut);
    }
}
