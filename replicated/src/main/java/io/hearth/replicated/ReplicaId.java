package io.hearth.replicated;

import io.hearth.identity.PeerId;
import java.util.Comparator;

/**
 * One copy of a store. A machine that lost its folder is another replica.
 *
 * @param machine the machine that holds it
 * @param seat random, made with the folder of the copy; not zero
 */
public record ReplicaId(PeerId machine, long seat) implements Comparable<ReplicaId> {
    private static final Comparator<ReplicaId> ORDER =
            Comparator.comparing(ReplicaId::machine).thenComparingLong(ReplicaId::seat);

    public ReplicaId {
        requireSeat(seat);
    }

    static void requireSeat(long seat) {
        if (seat == 0) {
            throw new IllegalArgumentException("a seat is not zero");
        }
    }

    @Override
    public int compareTo(ReplicaId other) {
        return ORDER.compare(this, other);
    }

    /** Text for people and logs. */
    public String shortText() {
        return machine.shortText();
    }
}
