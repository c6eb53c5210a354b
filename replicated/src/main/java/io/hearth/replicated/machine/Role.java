package io.hearth.replicated.machine;

import io.hearth.election.Ballot;
import io.hearth.identity.NodeId;
import io.hearth.replicated.ReplicaMessage;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a replica is to the others. */
sealed interface Role {
    /** Follows a primary, if there is one; it does not try to become one before {@code notBeforeNanos}. */
    record Follower(long notBeforeNanos) implements Role {}

    /**
     * Asks for promises.
     *
     * @param ticket of the write of its own promise
     */
    record Candidate(Ballot ballot, long ticket, long untilNanos, SortedMap<NodeId, ReplicaMessage.Promise> promises)
            implements Role {
        public Candidate {
            promises = Collections.unmodifiableSortedMap(new TreeMap<>(promises));
        }
    }

    /**
     * Orders commands.
     *
     * @param begin number of its first entry; it is active once that is committed
     * @param followers the progress of each node that fetches from it
     * @param round number of the newest question whether it is still the primary
     * @param askedNanos when that was asked
     * @param reads in the order in which they came
     */
    record Primary(
            Ballot ballot,
            long begin,
            SortedMap<NodeId, Progress> followers,
            long round,
            long askedNanos,
            List<PendingRead> reads)
            implements Role {
        public Primary {
            followers = Collections.unmodifiableSortedMap(new TreeMap<>(followers));
            reads = List.copyOf(reads);
        }

        Primary follower(NodeId node, Progress progress) {
            var more = new TreeMap<>(followers);
            more.put(node, progress);
            return new Primary(ballot, begin, more, round, askedNanos, reads);
        }
    }

    /**
     * How far a follower is.
     *
     * @param matched everything up to here is on its disk
     * @param waiting its request, while there is nothing new
     * @param waitsSinceNanos since when
     * @param still the newest question to which it said that the primary still is one
     */
    record Progress(
            long seat, long matched, Optional<ReplicaMessage.Fetch> waiting, long waitsSinceNanos, long still) {}

    /** A read that question {@code round} confirms, or a later one. */
    record PendingRead(long id, long round) {}
}
