package io.hearth.lighthouse.machine;

import io.hearth.lighthouse.Quorum;
import io.hearth.lighthouse.QuorumMember;
import io.hearth.lighthouse.QuorumResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Who takes the trained state from whom, so that all members of a quorum are at its newest step. */
final class RecoveryPlan {
    private RecoveryPlan() {}

    /**
     * What the quorum means for a rank.
     *
     * <p>Members at the newest step are sources. Rank r spreads its load: the i-th member that is behind takes the state of source (i + r)
     * modulo the number of sources. At step 0 all members but one take its state if {@code initSync}, so that all begin alike.
     *
     * @param replicaId of the rank's group
     * @param rank of the caller in its group
     * @return empty if the group is not in the quorum
     */
    static Optional<QuorumResult> of(Quorum quorum, String replicaId, long rank, boolean initSync) {
        List<QuorumMember> members = quorum.members();
        int own = -1;
        long maxStep = 0;
        long failures = 0;
        for (int i = 0; i < members.size(); i++) {
            own = members.get(i).replicaId().equals(replicaId) ? i : own;
            maxStep = Math.max(maxStep, members.get(i).step());
            failures = Math.max(failures, members.get(i).commitFailures());
        }
        if (own < 0) {
            return Optional.empty();
        }
        var newest = new ArrayList<Integer>();
        for (int i = 0; i < members.size(); i++) {
            if (members.get(i).step() == maxStep) {
                newest.add(i);
            }
        }
        int primary = newest.get((int) (rank % newest.size()));
        boolean beginsAlike = initSync && maxStep == 0;
        var behind = new ArrayList<Integer>();
        var sources = new ArrayList<Integer>();
        for (int i = 0; i < members.size(); i++) {
            boolean recovers = members.get(i).step() != maxStep || (beginsAlike && i != primary);
            (recovers ? behind : sources).add(i);
        }
        OptionalInt from = OptionalInt.empty();
        var to = new ArrayList<Integer>();
        for (int i = 0; i < behind.size(); i++) {
            int source = sources.get((int) ((i + rank) % sources.size()));
            if (behind.get(i) == own) {
                from = OptionalInt.of(source);
            }
            if (source == own) {
                to.add(behind.get(i));
            }
        }
        int place = newest.indexOf(own);
        return Optional.of(new QuorumResult(
                quorum.id(),
                own,
                members.size(),
                from.isPresent() ? Optional.of(members.get(from.getAsInt()).address()) : Optional.empty(),
                from,
                to,
                members.get(primary).storeAddress(),
                maxStep,
                place < 0 ? OptionalInt.empty() : OptionalInt.of(place),
                newest.size(),
                failures,
                members.stream().map(QuorumMember::replicaId).toList(),
                members.stream().map(member -> handle(member, rank)).toList()));
    }

    private static String handle(QuorumMember member, long rank) {
        List<String> handles = member.reconfigureHandles();
        return rank < handles.size() ? handles.get((int) rank) : "";
    }
}
