package io.hearth.cli.namespace;

import io.hearth.core.SetupException;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.MachineLookup;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import picocli.CommandLine.Option;

/** The options {@code --keep} and {@code --drop}: they decide which of the machines that no other member paired stay. */
public final class RosterChoice {
    /** Names all machines that need a decision. */
    private static final String ALL = "all";

    @Option(
            names = "--keep",
            paramLabel = "WHO",
            description = "Keep this machine; 'all' keeps all that need a decision. Repeatable.")
    private List<String> keep = new ArrayList<>();

    @Option(
            names = "--drop",
            paramLabel = "WHO",
            description = "Remove this machine too; 'all' removes all that need a decision. Repeatable.")
    private List<String> drop = new ArrayList<>();

    /** The machines that stay, with their labels, and the machines that go. */
    record Decided(SortedMap<PeerId, String> kept, SortedSet<PeerId> dropped) {}

    /**
     * Sorts the machines of {@code open} by {@code --keep} and {@code --drop}.
     *
     * @throws SetupException the options leave some machines undecided; the message lists them
     */
    Decided decide(RosterOptions.Known known, SortedSet<PeerId> open, String command) throws SetupException {
        return complete(known, open, said(known, open), command);
    }

    /** The decisions that the options name; they can name machines of {@code choice} only. */
    Decided said(RosterOptions.Known known, SortedSet<PeerId> choice) throws SetupException {
        SortedMap<PeerId, String> labels = known.labels();
        var kept = new TreeMap<PeerId, String>();
        for (PeerId machine : named(choice, labels, keep)) {
            kept.put(machine, labels.getOrDefault(machine, ""));
        }
        var dropped = new TreeSet<>(named(choice, labels, drop));
        dropped.removeAll(kept.keySet());
        return new Decided(kept, dropped);
    }

    /**
     * The decisions of {@code said} about the machines of {@code open}.
     *
     * @throws SetupException {@code said} leaves some machines undecided; the message lists them
     */
    static Decided complete(RosterOptions.Known known, SortedSet<PeerId> open, Decided said, String command)
            throws SetupException {
        SortedMap<PeerId, String> labels = known.labels();
        var kept = new TreeMap<>(said.kept());
        kept.keySet().retainAll(open);
        var dropped = new TreeSet<>(said.dropped());
        dropped.retainAll(open);
        var left = new TreeSet<>(open);
        left.removeAll(kept.keySet());
        left.removeAll(dropped);
        if (!left.isEmpty()) {
            throw new SetupException("no other member paired " + MachineLookup.names(left, labels)
                    + ": decide about each, '" + command
                    + " --keep ID --drop ID', or --keep all, --drop all;"
                    + " nothing was changed");
        }
        return new Decided(kept, dropped);
    }

    private static SortedSet<PeerId> named(SortedSet<PeerId> open, SortedMap<PeerId, String> labels, List<String> texts)
            throws SetupException {
        var found = new TreeSet<PeerId>();
        var choice = new TreeMap<PeerId, String>();
        open.forEach(machine -> choice.put(machine, labels.getOrDefault(machine, "")));
        for (String text : texts) {
            if (text.equals(ALL)) {
                found.addAll(open);
            } else {
                found.add(MachineLookup.find(text, choice));
            }
        }
        return found;
    }
}
