package io.hearth.simulation.replicated;

import io.hearth.election.Ballot;
import io.hearth.replicated.Entry;
import io.hearth.replicated.Position;
import io.hearth.replicated.ReplicaId;
import io.hearth.replicated.Replicas;
import io.hearth.replicated.StoreId;
import io.hearth.replicated.machine.Safety;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The decisions of a replica, one of them wrong. */
final class PlantedSafety implements Safety {
    private final ReplicaBug bug;

    PlantedSafety(ReplicaBug bug) {
        this.bug = bug;
    }

    @Override
    public boolean isQuorum(List<Replicas> inForce, Set<ReplicaId> who) {
        return switch (bug) {
            case ANY_HALF ->
                inForce.stream()
                        .allMatch(replicas -> 2
                                        * replicas.list().stream()
                                                .filter(who::contains)
                                                .count()
                                >= replicas.list().size());
            case OLD_CONFIGURATION_ONLY -> Safety.super.isQuorum(List.of(inForce.getFirst()), who);
            case NEW_CONFIGURATION_ONLY -> Safety.super.isQuorum(List.of(inForce.getLast()), who);
            default -> Safety.super.isQuorum(inForce, who);
        };
    }

    @Override
    public boolean mayStore(Optional<Ballot> promised, Ballot ballot) {
        return bug == ReplicaBug.STORES_LOWER_BALLOTS || Safety.super.mayStore(promised, ballot);
    }

    @Override
    public boolean isBetter(Position other, Position own) {
        return switch (bug) {
            case KEEPS_OWN_LOG -> false;
            case LONGEST_LOG -> other.number() > own.number();
            default -> Safety.super.isBetter(other, own);
        };
    }

    @Override
    public boolean commits(Entry entry, Ballot own) {
        return bug == ReplicaBug.COMMITS_EARLIER_BALLOTS || Safety.super.commits(entry, own);
    }

    @Override
    public long stored(long stable, long last) {
        return bug == ReplicaBug.COUNTS_UNWRITTEN ? last : Safety.super.stored(stable, last);
    }

    @Override
    public boolean skipsRepeated() {
        return bug != ReplicaBug.APPLIES_AGAIN && Safety.super.skipsRepeated();
    }

    @Override
    public boolean mayLeave(StoreId mine, Set<StoreId> absorbed) {
        return bug == ReplicaBug.LEAVES_EARLY || Safety.super.mayLeave(mine, absorbed);
    }

    @Override
    public boolean isOf(StoreId mine, Set<StoreId> absorbed, StoreId first) {
        return bug == ReplicaBug.CHANGES_STORE || Safety.super.isOf(mine, absorbed, first);
    }

    @Override
    public boolean asksForReads() {
        return bug != ReplicaBug.STALE_READS && Safety.super.asksForReads();
    }
}
