package io.hearth.replicated;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import java.util.List;
import java.util.Optional;

/** What replicas tell one another, over links that prove who the sender is. */
public sealed interface ReplicaMessage {
    /**
     * What a member holds. Sent to all members of the view after each change, and now and then.
     *
     * @param seat of the sender's folder
     */
    record Announce(long seat, Optional<Held> held) implements ReplicaMessage {
        public Announce {
            ReplicaId.requireSeat(seat);
        }
    }

    /**
     * A copy.
     *
     * @param promised its promise
     * @param primary the ballot in which the sender is the primary
     * @param isActive whether it has committed an entry in it
     * @param into the better store into which this one ended, once that is committed
     */
    record Held(
            StoreId store,
            Optional<Ballot> promised,
            Optional<Ballot> primary,
            boolean isActive,
            Optional<StoreId> into) {}

    /** Asks for a promise; {@code lineage} and {@code epoch} are of the sender's view. */
    record Prepare(StoreId store, Ballot ballot, Lineage lineage, long epoch) implements ReplicaMessage {}

    /** The sender follows no lower ballot; {@code committed} is the highest number that it knows as committed. */
    record Promise(StoreId store, Ballot ballot, long seat, Position last, long committed) implements ReplicaMessage {
        public Promise {
            ReplicaId.requireSeat(seat);
        }
    }

    /** The sender has promised a higher ballot. */
    record Refuse(StoreId store, Ballot ballot, Ballot promised) implements ReplicaMessage {}

    /**
     * Asks for what follows.
     *
     * @param ballot of the primary or candidate; empty where a store that ended is read
     * @param seat of the sender
     * @param after everything up to here is on the sender's disk; empty if it has no copy
     * @param committed the highest number that the sender knows as committed
     * @param part the next part of a snapshot that the sender is reading
     * @param leaving a store that the sender would give up for this one
     */
    record Fetch(
            StoreId store,
            Optional<Ballot> ballot,
            long seat,
            Optional<Position> after,
            long committed,
            Optional<PartAt> part,
            Optional<StoreId> leaving)
            implements ReplicaMessage {
        public Fetch {
            ReplicaId.requireSeat(seat);
        }
    }

    /** A place in a snapshot: {@code offset} is in bytes. */
    record PartAt(Position snapshot, int offset) {}

    /**
     * Entries that follow {@code after}.
     *
     * @param isKnown whether {@code after} is in the sender's log; without it there are no entries, and the receiver asks again from the
     *     last entry that it knows as committed
     * @param last number of the sender's last entry
     * @param committed the highest number that the sender knows as committed
     */
    record Entries(
            StoreId store,
            Ballot ballot,
            Position after,
            boolean isKnown,
            List<Entry> entries,
            long last,
            long committed)
            implements ReplicaMessage {
        public Entries {
            entries = List.copyOf(entries);
        }
    }

    /**
     * A part of a snapshot.
     *
     * @param total bytes of the whole state
     * @param offset of {@code bytes} in it
     */
    record Part(
            StoreId store,
            Optional<Ballot> ballot,
            Position snapshot,
            Replicas replicas,
            int total,
            int offset,
            Bytes bytes)
            implements ReplicaMessage {}

    /** Asks whether the sender is still the primary. */
    record Ask(StoreId store, Ballot ballot, long round) implements ReplicaMessage {}

    /** The sender has promised no higher ballot. */
    record Still(StoreId store, Ballot ballot, long seat, long round) implements ReplicaMessage {
        public Still {
            ReplicaId.requireSeat(seat);
        }
    }
}
