package io.hearth.parameterserver.machine;

import io.hearth.core.Bytes;
import io.hearth.replicated.Application;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What all machines know: the parts, who has them, and the trainers that make a step.
 *
 * @param parts their number; 0 before the first machine has decided
 * @param leases of the trainers, how long they are, in nanoseconds: the machine that is elected next starts each of them again
 */
public record PartLedger(int parts, SortedMap<Integer, Assignment> assignments, SortedMap<String, Long> leases) {
    /** Nothing is decided. */
    public static final PartLedger EMPTY = new PartLedger(0, new TreeMap<>(), new TreeMap<>());

    /** The ledger as replicated state. The answer of a command is one byte: 1 if it changed something. */
    public static final Application<PartLedger> APPLICATION = new LedgerApplication();

    public PartLedger {
        assignments = Collections.unmodifiableSortedMap(new TreeMap<>(assignments));
        leases = Collections.unmodifiableSortedMap(new TreeMap<>(leases));
    }

    /** The trainers that make a step. */
    public SortedSet<String> trainers() {
        return Collections.unmodifiableSortedSet(new TreeSet<>(leases.keySet()));
    }

    /** The command that fixes the number of parts, if there is none yet. */
    public static Bytes found(int parts) {
        return LedgerEncoding.found(parts);
    }

    /** The command that assigns a part, if the term follows the one that is known. */
    public static Bytes assign(Assignment assignment) {
        return LedgerEncoding.assign(assignment);
    }

    /** The command that adds a trainer, or changes how long its lease is. */
    public static Bytes join(String trainer, long leaseNanos) {
        return LedgerEncoding.join(trainer, leaseNanos);
    }

    /** The command that removes a trainer. */
    public static Bytes leave(String trainer) {
        return LedgerEncoding.leave(trainer);
    }
}
