package io.hearth.identity.roster.machine;

import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Roster;
import io.hearth.identity.roster.RosterEntry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Notices for a person about the roster of this machine.
 *
 * @param message a line about the machine's own standing, or about a secret; empty if there is none
 * @param undone machines that were removed and are members again, each with a line
 * @param founders linked machines whose roster has another founder, with that founder
 */
record Notes(String message, SortedMap<PeerId, String> undone, SortedMap<PeerId, PeerId> founders) {
    static final Notes NONE = new Notes("", Collections.emptySortedMap(), Collections.emptySortedMap());

    /** Most machines of another roster to name. */
    private static final int FOUNDERS_MAX = 8;

    /** Most removals to name; after repeating those, a person sees the next ones in 'hearth peers'. */
    private static final int UNDONE_MAX = 8;

    Notes withMessage(String line) {
        return new Notes(line, undone, founders);
    }

    /**
     * Updates the notices after a change of the roster: a removal no longer counts if the charter that stays marks its signer as removed.
     */
    Notes changed(PeerId self, Roster before, Roster after) {
        var next = new TreeMap<>(undone);
        for (RosterEntry.Removal removal : before.removals()) {
            PeerId machine = removal.subject();
            if (!after.isRemoved(machine) && after.isMember(machine) && !machine.equals(self)) {
                String by = removal.by().shortText();
                next.put(
                        machine,
                        "the removal of " + machine.shortText() + " by " + by + " no longer counts because " + by
                                + (after.isRemoved(removal.by()) ? " was removed" : " is no longer on the roster")
                                + "; run 'hearth remove " + machine.shortText() + "' again");
            }
        }
        next.keySet().removeIf(machine -> !after.isMember(machine));
        while (next.size() > UNDONE_MAX) {
            next.pollLastEntry();
        }
        var others = new TreeMap<>(founders);
        others.entrySet()
                .removeIf(other -> after.isRemoved(other.getKey())
                        || after.isRemoved(other.getValue())
                        || after.root().equals(Optional.of(other.getValue())));
        return new Notes(message, next, others);
    }

    /**
     * Updates the notices after a page arrived: it may show another founder. Two rosters of one namespace do not know one another's
     * removals.
     */
    Notes heard(Roster here, PeerId from, List<RosterEntry> page) {
        Optional<PeerId> other = page.stream()
                .filter(entry -> entry instanceof RosterEntry.Grant grant && grant.isRoot())
                .map(RosterEntry::subject)
                .filter(machine ->
                        here.root().isPresent() && !here.root().get().equals(machine) && !here.isRemoved(machine))
                .findFirst();
        if (other.isEmpty() || (founders.size() >= FOUNDERS_MAX && !founders.containsKey(from))) {
            return this;
        }
        var others = new TreeMap<>(founders);
        others.put(from, other.get());
        return new Notes(message, undone, others);
    }

    /** Whether the last page of that machine showed another founder. */
    boolean isElsewhere(PeerId machine) {
        return founders.containsKey(machine);
    }

    /** Notes that the machine now has the same roster as this one. */
    Notes agreed(PeerId machine) {
        var others = new TreeMap<>(founders);
        others.remove(machine);
        return new Notes(message, undone, others);
    }

    /** All notices in one line; empty if there are none. */
    String line(Roster roster) {
        var parts = new ArrayList<String>();
        if (!founders.isEmpty() && roster.root().isPresent()) {
            parts.add("two machines founded a roster of namespace " + roster.namespace() + ", "
                    + roster.root().get().shortText() + " the one of this machine and "
                    + founders.firstEntry().getValue().shortText() + " that of "
                    + String.join(
                            ", ",
                            founders.keySet().stream().map(PeerId::shortText).toList())
                    + ": a removal in one does not reach machines of the other; choose one, and bring each machine of the"
                    + " other over: 'hearth pair' on a machine of the one that stays, 'hearth join CODE' there");
        }
        if (!message.isEmpty()) {
            parts.add(message);
        }
        parts.addAll(undone.values());
        return String.join("; ", parts);
    }
}
