package io.hearth.replicated.machine;

import io.hearth.election.Ballot;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.replicated.ReplicaId;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.StoreId;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** All that a replica knows. */
public final class ReplicaState<S> {
    final NodeId self;
    final long seat;
    final Optional<Copy<S>> copy;
    final Optional<Sight> sight;
    final SortedMap<NodeId, Neighbour> neighbours;
    final Role role;
    final Optional<Fetching> fetching;
    final long rewound;
    final DiskState disk;
    final Rounds rounds;
    final long vacantNanos;
    final Optional<ReplicaMessage.Announce> announced;
    final long announcedNanos;
    final long wakeNanos;

    ReplicaState(Turn<S> turn) {
        this.self = turn.self;
        this.seat = turn.seat;
        this.copy = turn.copy;
        this.sight = turn.sight;
        this.neighbours = Collections.unmodifiableSortedMap(new TreeMap<>(turn.neighbours));
        this.role = turn.role;
        this.fetching = turn.fetching;
        this.rewound = turn.rewound;
        this.disk = turn.disk;
        this.rounds = turn.rounds;
        this.vacantNanos = turn.vacantNanos;
        this.announced = turn.announced;
        this.announcedNanos = turn.announcedNanos;
        this.wakeNanos = turn.wakeNanos;
    }

    /** The copy, once there is one. */
    public Optional<Copy<S>> copy() {
        return copy;
    }

    /** This machine's id as a replica. */
    public ReplicaId replica() {
        return new ReplicaId(self.peer(), seat);
    }

    /** The ballot in which this replica orders commands, once it has committed an entry in it. */
    public Optional<Ballot> activeBallot() {
        return role instanceof Role.Primary primary && isActive(primary)
                ? Optional.of(primary.ballot())
                : Optional.empty();
    }

    private boolean isActive(Role.Primary primary) {
        return copy.isPresent() && copy.get().committed() >= primary.begin();
    }

    /** Whether this replica orders commands and is a quorum by itself: nothing can be committed without it. */
    public boolean isPrimaryAlone() {
        return activeBallot().isPresent()
                && copy.orElseThrow().inForce().stream().allMatch(replicas -> replicas.isQuorum(Set.of(replica())));
    }

    /** Machines whose copies of this store count, and that have no link or do not announce such a copy; in the order of their ids. */
    public List<PeerId> missing() {
        return copy.stream()
                .flatMap(held -> held.inForce().stream())
                .flatMap(replicas -> replicas.list().stream())
                .filter(replica -> !replica.equals(replica()) && !isHere(replica))
                .map(ReplicaId::machine)
                .distinct()
                .sorted()
                .toList();
    }

    private boolean isHere(ReplicaId replica) {
        return neighbours.entrySet().stream()
                .anyMatch(known -> known.getKey().peer().equals(replica.machine())
                        && known.getValue().holds(copy.orElseThrow().id(), replica.seat()));
    }

    /** Number of machines whose copies of this store count, as far as this one knows; 0 while it has none. */
    public int keepers() {
        return copy.map(held -> held.applied().replicas().list().size()).orElse(0);
    }

    /** Why this machine's last write failed; empty while its disk works. */
    public Optional<String> diskFailure() {
        return disk.failure();
    }

    /** A member that orders the commands of a store. */
    public record Served(NodeId node, StoreId store) {}

    /** The member of the view that orders the commands of the best store, this node included; empty while none is known. */
    public Optional<Served> served() {
        if (sight.isEmpty()) {
            return Optional.empty();
        }
        Optional<Served> best = Optional.empty();
        if (activeBallot().isPresent() && copy.orElseThrow().applied().into().isEmpty()) {
            best = Optional.of(new Served(self, copy.get().id()));
        }
        for (NodeId member : sight.get().members()) {
            Neighbour neighbour = neighbours.get(member);
            Optional<StoreId> store = neighbour == null || !neighbour.isLinked()
                    ? Optional.empty()
                    : neighbour
                            .announced()
                            .flatMap(ReplicaMessage.Announce::held)
                            .filter(held -> held.isActive() && held.into().isEmpty())
                            .map(ReplicaMessage.Held::store);
            if (store.isPresent()
                    && (best.isEmpty() || store.get().isBetterThan(best.get().store()))) {
                best = Optional.of(new Served(member, store.get()));
            }
        }
        return best;
    }
}
