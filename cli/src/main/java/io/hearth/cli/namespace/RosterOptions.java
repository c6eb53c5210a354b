package io.hearth.cli.namespace;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.hearth.agent.LocalAgent;
import io.hearth.agent.api.LocalApiClient;
import io.hearth.cli.option.Converters;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NamespaceLookup;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.BlockFile;
import io.hearth.identity.roster.MachineLookup;
import io.hearth.identity.roster.Roster;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterDesk;
import io.hearth.identity.roster.SeenFile;
import io.hearth.topology.local.LocalProfile;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import picocli.CommandLine.Option;

/** The option {@code --namespace} of the commands for the roster, and the machines of that namespace. */
public final class RosterOptions {
    /** With the start of this program, a command takes at most two seconds. */
    private static final Duration ANSWER_MAX = Duration.ofMillis(1_500);

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            converter = Converters.NamespaceName.class,
            description = "Namespace (default: the only one that this machine has).")
    private String namespace = "";

    /** A machine that has a link with this machine's agent now. */
    record Linked(String label, String health, Optional<String> address) {}

    /** All that this machine knows about the namespace. */
    record Known(
            HearthHome home,
            NodeIdentity self,
            RosterDesk desk,
            RosterBook book,
            SortedMap<PeerId, SeenFile.Seen> seen,
            SortedMap<PeerId, Linked> linked,
            SortedSet<PeerId> blocked,
            boolean hasAgent) {
        Roster roster() {
            return book.roster();
        }

        /** The label of each known machine; empty if it has none. */
        SortedMap<PeerId, String> labels() {
            var labels = new TreeMap<PeerId, String>();
            seen.forEach((machine, at) -> labels.put(machine, at.label()));
            linked.forEach((machine, now) -> labels.put(machine, now.label()));
            for (PeerId member : roster().members()) {
                labels.putIfAbsent(member, "");
                roster().grant(member)
                        .ifPresent(grant -> labels.merge(
                                member, grant.label(), (known, granted) -> granted.isEmpty() ? known : granted));
            }
            roster().removals().forEach(removal -> labels.putIfAbsent(removal.subject(), ""));
            blocked.forEach(machine -> labels.putIfAbsent(machine, ""));
            return labels;
        }

        /** Machines that had a link because they know the secret, but are not on the roster. */
        SortedSet<PeerId> bySecret() {
            var found = new TreeSet<PeerId>();
            found.addAll(seen.keySet());
            found.addAll(linked.keySet());
            found.removeIf(machine ->
                    machine.equals(self.peer()) || roster().isMember(machine) || roster().isRemoved(machine));
            return found;
        }

        PeerId find(String text) throws SetupException {
            var labels = labels();
            labels.put(self.peer(), "");
            try {
                return MachineLookup.find(text, labels);
            } catch (SetupException unknown) {
                Optional<PeerId> whole = whole(text);
                if (whole.isPresent()) {
                    return whole.get(); // a full id names even a machine that was never seen here
                }
                throw unknown;
            }
        }

        private static Optional<PeerId> whole(String text) {
            try {
                return Optional.of(PeerId.parse(text));
            } catch (IllegalArgumentException part) {
                return Optional.empty();
            }
        }
    }

    Known read(Terminal terminal) throws HearthException {
        HearthHome home = HearthHome.open(terminal.environment());
        var lookup = new NamespaceLookup(home, terminal.environment());
        NetworkNamespace given = NamespaceChoice.find(lookup, namespace, home, terminal.environment());
        NodeIdentity self = IdentityFile.in(home).loadOrCreate();
        var desk = new RosterDesk(home, given, self, LocalProfile.label());
        Optional<JsonObject> status = status(terminal, home, given.name());
        return new Known(
                home,
                self,
                desk,
                desk.book(),
                SeenFile.in(home, given.name()).read(),
                status.map(RosterOptions::linked).orElseGet(TreeMap::new),
                blocked(terminal, home),
                status.isPresent());
    }

    /** Those of {@code machines} that may lack the present secret, as far as this machine saw. One more rotation locks them out. */
    static SortedSet<PeerId> behind(Known known, SortedSet<PeerId> machines, long nowMillis) {
        SortedSet<PeerId> behind = known.book().behind(machines, known.seen(), nowMillis);
        behind.removeAll(known.linked().keySet());
        behind.remove(known.self().peer());
        return behind;
    }

    /** Members that may now have neither of the two newest secrets. */
    static SortedSet<PeerId> lockedOut(Known known, RosterBook after, long nowMillis) {
        boolean isFormerGone = !after.keyId().equals(known.book().keyId())
                && !after.formerKeyId().equals(known.book().formerKeyId());
        return isFormerGone ? behind(known, after.roster().members(), nowMillis) : Collections.emptySortedSet();
    }

    /** Adds the new secret, the machines that wait for it and those that have to be paired again. */
    static void addTo(JsonObject data, Known known, RosterBook after, SortedSet<PeerId> lockedOut) {
        data.addProperty("generation", after.current().generation());
        data.addProperty("key_id", after.keyId().hex());
        missing(known, after, lockedOut).ifPresent(line -> data.addProperty("waiting", line));
        var again = new JsonArray();
        lockedOut.forEach(each -> again.add(each.text()));
        data.add("pair_again", again);
    }

    /** Prints which machines wait for the new secret and which have to be paired again. */
    static void say(Terminal terminal, Known known, RosterBook after, SortedSet<PeerId> lockedOut) {
        missing(known, after, lockedOut).ifPresent(line -> terminal.err().println(line));
        toPairAgain(known, lockedOut).ifPresent(line -> terminal.err().println(line));
    }

    /** The message about {@code lockedOut}; empty if there are none. */
    private static Optional<String> toPairAgain(Known known, SortedSet<PeerId> lockedOut) {
        return lockedOut.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "these machines did not fetch the former secret, as far as this machine saw, and cannot get the new one: "
                                + MachineLookup.names(lockedOut, known.labels())
                                + "; pair again: 'hearth pair' here, 'hearth join CODE' there");
    }

    /** The message about members that are not linked now and so do not have the new secret yet; empty if there are none. */
    private static Optional<String> missing(Known known, RosterBook after, SortedSet<PeerId> lockedOut) {
        var away = new TreeSet<>(after.roster().members());
        away.remove(known.self().peer());
        away.removeAll(known.linked().keySet());
        away.removeAll(lockedOut);
        if (away.isEmpty()) {
            return Optional.empty();
        }
        String names = MachineLookup.names(away, known.labels());
        return Optional.of(
                known.hasAgent()
                        ? "not reachable now: " + names
                                + "; they get the new secret when they return, unless it changes once more before"
                        : "no agent runs here: " + names
                                + " get the new secret when a node of this machine runs ('hearth agent')");
    }

    /** The block list. A damaged list does not prevent a removal; commands that change the list fail with their own message. */
    private static SortedSet<PeerId> blocked(Terminal terminal, HearthHome home) {
        try {
            return BlockFile.in(home).read();
        } catch (SetupException damaged) {
            terminal.error(String.valueOf(damaged.getMessage()));
            return Collections.emptySortedSet();
        }
    }

    private static Optional<JsonObject> status(Terminal terminal, HearthHome home, String name) {
        try {
            return LocalApiClient.status(home.socket(LocalAgent.SOCKET), ANSWER_MAX)
                    .filter(status -> status.getAsJsonObject("namespace")
                            .get("name")
                            .getAsString()
                            .equals(name));
        } catch (SetupException silent) {
            terminal.error(silent.getMessage() + "; going on with the files of this machine only");
            return Optional.empty();
        } catch (HearthException unreadable) {
            return Optional.empty();
        }
    }

    private static SortedMap<PeerId, Linked> linked(JsonObject status) {
        var linked = new TreeMap<PeerId, Linked>();
        for (JsonElement element : status.getAsJsonArray("nodes")) {
            JsonObject node = element.getAsJsonObject();
            if (node.has("address")) {
                linked.put(
                        NodeId.parse(node.get("id").getAsString()).peer(),
                        new Linked(
                                node.get("label").getAsString(),
                                node.get("health").getAsString(),
                                Optional.of(node.get("address").getAsString())));
            }
        }
        return linked;
    }
}
