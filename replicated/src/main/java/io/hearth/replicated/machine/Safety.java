package io.hearth.replicated.machine;

import io.hearth.election.Ballot;
import io.hearth.replicated.Entry;
import io.hearth.replicated.Position;
import io.hearth.replicated.ReplicaId;
import io.hearth.replicated.Replicas;
import io.hearth.replicated.StoreId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The decisions on which the proof rests, in one place. The product uses {@link #PROVEN}; the simulator overrides one decision at a
 * time, to show that its checks would find the fault.
 */
public interface Safety {
    /** As the proof has them. */
    Safety PROVEN = new Safety() {};

    /** Whether these replicas are a quorum of every configuration in force. */
    default boolean isQuorum(List<Replicas> inForce, Set<ReplicaId> who) {
        return inForce.stream().allMatch(replicas -> replicas.isQuorum(who));
    }

    /** Whether a replica with this promise may promise {@code asked}. */
    default boolean mayPromise(Optional<Ballot> promised, Ballot asked) {
        return promised.isEmpty() || promised.get().compareTo(asked) < 0;
    }

    /** Whether a replica with this promise may store entries of this ballot's primary. */
    default boolean mayStore(Optional<Ballot> promised, Ballot ballot) {
        return promised.isEmpty() || promised.get().compareTo(ballot) <= 0;
    }

    /** Whether a candidate has to take the log that ends at {@code other}. */
    default boolean isBetter(Position other, Position own) {
        return other.compareTo(own) > 0;
    }

    /** Whether a quorum for this entry commits it and all before it. */
    default boolean commits(Entry entry, Ballot own) {
        return entry.ballot().equals(own);
    }

    /** Number of the newest own entry that counts as stored. */
    default long stored(long stable, long last) {
        return stable;
    }

    /** Whether a command that was applied before is not applied again. */
    default boolean skipsRepeated() {
        return true;
    }

    /** Whether a replica may give its store up for one that absorbed these. */
    default boolean mayLeave(StoreId mine, Set<StoreId> absorbed) {
        return absorbed.contains(mine);
    }

    /** Whether a command that was first sent to {@code first} may be applied in {@code mine}. */
    default boolean isOf(StoreId mine, Set<StoreId> absorbed, StoreId first) {
        return mine.equals(first) || absorbed.contains(first);
    }

    /** Whether a read waits for a quorum that still follows this primary. */
    default boolean asksForReads() {
        return true;
    }
}
