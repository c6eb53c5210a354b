package io.hearth.cli.namespace;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Table;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.BlockFile;
import io.hearth.identity.roster.RosterEntry;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hearth peers}: the machines of a namespace, from this machine's files, and from its agent if one runs. */
@Command(
        name = "peers",
        description = {
            "List the machines of the namespace, with the machine that paired each, the time, and when each was last seen.",
            "This works without an agent; with an agent it also shows which machines are linked now."
        })
public final class PeersCommand implements Callable<Integer> {
    private static final List<String> HEAD = List.of("MACHINE", "NAME", "STANDING", "BY", "SINCE", "LAST SEEN", "");

    private final Terminal terminal;

    @Mixin
    private RosterOptions options = new RosterOptions();

    @Option(names = "--json", description = "Print one line of JSON: schema, namespace, generation, key_id, peers[].")
    private boolean json;

    public PeersCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** One row of the table. */
    private record Row(
            PeerId peer,
            String label,
            String standing,
            Optional<PeerId> by,
            Optional<Long> sinceMillis,
            Optional<Long> seenMillis,
            Optional<RosterOptions.Linked> linked,
            boolean isSelf,
            boolean isBlocked) {}

    @Override
    public Integer call() throws HearthException {
        RosterOptions.Known known = options.read(terminal);
        List<Row> rows = rows(known);
        if (json) {
            terminal.print(json(known, rows));
            return Exit.OK;
        }
        terminal.out()
                .println("namespace " + known.book().current().name() + ", secret generation "
                        + known.book().current().generation() + " (key "
                        + known.book().keyId().hex() + ")");
        var lines = new ArrayList<List<String>>();
        lines.add(HEAD);
        rows.forEach(row -> lines.add(line(row, known.labels())));
        Table.lines(lines).forEach(terminal.out()::println);
        return Exit.OK;
    }

    private static List<Row> rows(RosterOptions.Known known) throws HearthException {
        var machines = new TreeSet<PeerId>(known.labels().keySet());
        machines.add(known.self().peer());
        SortedSet<PeerId> blocked = BlockFile.in(known.home()).read();
        machines.addAll(blocked);
        var rows = new ArrayList<Row>();
        for (PeerId machine : machines) {
            rows.add(row(known, machine, blocked.contains(machine)));
        }
        return rows;
    }

    private static Row row(RosterOptions.Known known, PeerId machine, boolean isBlocked) {
        Optional<RosterEntry> entry = known.roster().isRemoved(machine)
                ? known.roster().removal(machine).map(RosterEntry.class::cast)
                : known.roster().grant(machine).map(RosterEntry.class::cast);
        String standing = known.roster().isRemoved(machine)
                ? "removed"
                : known.roster().isMember(machine)
                        ? known.roster()
                                .grant(machine)
                                .map(grant -> grant.how().word())
                                .orElse("member")
                        : "by secret";
        boolean isSelf = machine.equals(known.self().peer());
        return new Row(
                machine,
                known.labels().getOrDefault(machine, ""),
                standing,
                entry.map(RosterEntry::by).filter(by -> !by.equals(machine)),
                entry.map(RosterEntry::epochMillis),
                Optional.ofNullable(known.seen().get(machine)).map(seen -> seen.epochMillis()),
                Optional.ofNullable(known.linked().get(machine)),
                isSelf,
                isBlocked);
    }

    private static List<String> line(Row row, SortedMap<PeerId, String> labels) {
        String by = row.by()
                .map(signer -> {
                    String label = labels.getOrDefault(signer, "");
                    return label.isEmpty() ? signer.shortText() : label;
                })
                .orElse("");
        String now = row.isSelf()
                ? "(this machine)"
                : row.linked().map(RosterOptions.Linked::health).orElse("");
        return List.of(
                row.peer().shortText(),
                row.label(),
                row.standing() + (row.isBlocked() ? ", blocked here" : ""),
                by,
                row.sinceMillis().map(PeersCommand::time).orElse(""),
                row.linked().isPresent()
                        ? "now"
                        : row.seenMillis().map(PeersCommand::time).orElse(""),
                now);
    }

    private static JsonObject json(RosterOptions.Known known, List<Row> rows) {
        var peers = new JsonArray();
        for (Row row : rows) {
            var peer = new JsonObject();
            peer.addProperty("id", row.peer().text());
            peer.addProperty("short", row.peer().shortText());
            peer.addProperty("label", row.label());
            peer.addProperty("standing", row.standing());
            row.by().ifPresent(by -> peer.addProperty("by", by.text()));
            row.sinceMillis().ifPresent(since -> peer.addProperty("since", time(since)));
            row.seenMillis().ifPresent(seen -> peer.addProperty("last_seen", time(seen)));
            peer.addProperty("self", row.isSelf());
            peer.addProperty("blocked", row.isBlocked());
            row.linked().ifPresent(linked -> {
                peer.addProperty("health", linked.health());
                linked.address().ifPresent(address -> peer.addProperty("address", address));
            });
            peers.add(peer);
        }
        var data = new JsonObject();
        data.addProperty("schema", 1);
        data.addProperty("namespace", known.book().current().name());
        data.addProperty("generation", known.book().current().generation());
        data.addProperty("key_id", known.book().keyId().hex());
        data.add("peers", peers);
        return data;
    }

    /** The time as text. It is clamped, because the clock of a signer may be wrong by any amount. */
    private static String time(long epochMillis) {
        long sane = Math.clamp(epochMillis, 0, 253_402_300_799_000L);
        return Instant.ofEpochMilli(sane).truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
