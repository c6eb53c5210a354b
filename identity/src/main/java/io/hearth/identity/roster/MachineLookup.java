package io.hearth.identity.roster;

import io.hearth.core.SetupException;
import io.hearth.identity.Labels;
import io.hearth.identity.PeerId;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Finds a machine by its id, a part of its id, or its label. Pure. */
public final class MachineLookup {
    private static final int CHARACTERS_MIN = 4;

    private MachineLookup() {}

    /**
     * Finds the one machine for {@code text}: its whole id, else the beginning or the end of its id (at least four characters), else its
     * label.
     *
     * @param known all candidates, with their labels
     * @throws SetupException if no machine or several machines match; names the remedy
     */
    public static PeerId find(String text, Map<PeerId, String> known) throws SetupException {
        SortedMap<PeerId, String> machines = new TreeMap<>(known);
        try {
            PeerId whole = PeerId.parse(text);
            if (machines.containsKey(whole)) {
                return whole;
            }
            throw unknown(text);
        } catch (IllegalArgumentException notWhole) {
            SortedSet<PeerId> found = matching(text, machines);
            if (found.size() == 1) {
                return found.first();
            }
            if (found.isEmpty()) {
                throw unknown(text, notWhole);
            }
            throw new SetupException("'" + Labels.clean(text) + "' means several machines (" + names(found, machines)
                    + "): give more of the id");
        }
    }

    private static SortedSet<PeerId> matching(String text, SortedMap<PeerId, String> machines) {
        var found = new TreeSet<PeerId>();
        for (PeerId machine : machines.keySet()) {
            boolean isPart = text.length() >= CHARACTERS_MIN
                    && (machine.text().startsWith(text) || machine.text().endsWith(text));
            if (isPart) {
                found.add(machine);
            }
        }
        if (found.isEmpty()) {
            machines.forEach((machine, label) -> {
                if (!label.isEmpty() && label.toLowerCase(Locale.ROOT).equals(text.toLowerCase(Locale.ROOT))) {
                    found.add(machine);
                }
            });
        }
        return found;
    }

    /** A list of machines for people: short id and label of each. */
    public static String names(Collection<PeerId> machines, Map<PeerId, String> labels) {
        return String.join(
                ", ",
                machines.stream()
                        .map(machine -> {
                            String label = labels.getOrDefault(machine, "");
                            return label.isEmpty() ? machine.shortText() : machine.shortText() + " " + label;
                        })
                        .toList());
    }

    private static SetupException unknown(String text) {
        return new SetupException("no machine '" + Labels.clean(text) + "' is known here: 'hearth peers' lists them");
    }

    private static SetupException unknown(String text, Throwable cause) {
        return new SetupException(
                "no machine '" + Labels.clean(text) + "' is known here: 'hearth peers' lists them", cause);
    }
}
