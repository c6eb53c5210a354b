package io.hearth.replicated;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A configuration: the replicas whose votes count, in the order of the view from which it was made.
 *
 * @param list 1 to {@link #MAX}, of different machines
 */
public record Replicas(List<ReplicaId> list) {
    /** Most replicas of one store. */
    public static final int MAX = 256;

    public Replicas {
        list = List.copyOf(list);
        if (list.isEmpty() || list.size() > MAX) {
            throw new IllegalArgumentException("1 to " + MAX + " replicas, got " + list.size());
        }
        if (list.stream().map(ReplicaId::machine).distinct().count() < list.size()) {
            throw new IllegalArgumentException("a machine is listed twice");
        }
    }

    public boolean contains(ReplicaId replica) {
        return list.contains(replica);
    }

    /** More than half, or exactly half with the first one; any two quorums share a replica. */
    public boolean isQuorum(Set<ReplicaId> who) {
        var present = new HashSet<>(list);
        present.retainAll(who);
        int twice = 2 * present.size();
        return twice > list.size() || (twice == list.size() && present.contains(list.getFirst()));
    }

    /** Text for people and logs. */
    public String shortText() {
        return list.stream().map(ReplicaId::shortText).collect(Collectors.joining(" "));
    }
}
