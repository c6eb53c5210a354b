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
 * What a person should know of the roster of this machine.
 *
 * @param told of the machine's own standing, or of a secret; empty if nothing
 * @param undone machines that were removed and are members again, each with a line
 * @param founders linked machines whose roster another machine founded, with that machine
 */
record Notes(String told, SortedMap<PeerId, String> undone, SortedMap<PeerId, PeerId> founders) {
    static final Notes NONE = new Notes("", Collections.emptySortedMap(), Collections.emptySortedMap());

    /** Machines of another roster that are named. */
    private static final int FOUNDERS_MAX = 8;

    /** Removals that are named; a person who mends those sees the next ones in 'hearth peers'. */
    private static final int UNDONE_MAX = 8;

    Notes telling(String line) {
        return new Notes(line, undone, founders);
    }

    /** After a change of the roster: a removal counts no more where the charter that lives on marks its signer as removed. */
    Notes changed(PeerId self, Roster before, Roster after) {
        var next = new TreeMap<>(undone);
        for (RosterEntry.Removal removal : before.removals()) {
            PeerId machine = removal.subject();
            if (!after.isRemoved(machine) && after.isMember(machine) && !machine.equals(self)) {
                String by = removal.by().shortText();
                next.put(
                        machine,
                        "the removal of " + machine.shortText() + " by " + by + " counts no more because " + by
                                + (after.isRemoved(removal.by()) ? " was removed" : " is not on the roster any more")
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
        return new Notes(told, next, others);
    }

    /** After a page that came: whether its founder is another one. Two rosters of one namespace know nothing of one another's removals. */
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
        return new Notes(told, undone, others);
    }

    /** Whether that machine was of another founder's roster when it was heard. */
    boolean isElsewhere(PeerId machine) {
        return founders.containsKey(machine);
    }

    /** That machine has the roster of this one now. */
    Notes agreed(PeerId machine) {
        var others = new TreeMap<>(founders);
        others.remove(machine);
        return new Notes(told, undone, others);
    }

    /** All of it in one line; empty if there is nothing to say. */
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
        if (!told.isEmpty()) {
            parts.add(told);
        }
        parts.addAll(undone.values());
        return String.join("; ", parts);
    }
}
