package io.hearth.election.view.state;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.identity.NodeId;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Whether this node's data threads run; once stopped for an epoch, only a successor of it lets them run again. */
public sealed interface Freeze {
    record Thawed() implements Freeze {}

    /** The shell was asked to stop them. {@code asked} holds the newest ballot of each proposer that waits for the answer. */
    record Freezing(SortedMap<NodeId, Ballot> asked) implements Freeze {
        public Freezing asked(Ballot ballot) {
            var more = new TreeMap<>(asked);
            more.merge(ballot.proposer(), ballot, (one, other) -> one.compareTo(other) > 0 ? one : other);
            return new Freezing(more);
        }
    }

    /** They stopped, and then the collectives took their status. */
    record Frozen(Optional<Bytes> status, long sinceNanos) implements Freeze {}

    Freeze THAWED = new Thawed();
}
