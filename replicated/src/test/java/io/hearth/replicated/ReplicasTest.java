package io.hearth.replicated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ReplicasTest {
    private static Set<ReplicaId> subset(Replicas replicas, int bits) {
        var who = new HashSet<ReplicaId>();
        for (int i = 0; i < replicas.list().size(); i++) {
            if ((bits & 1 << i) != 0) {
                who.add(replicas.list().get(i));
            }
        }
        return who;
    }

    /** For every size, any two quorums share a replica, and of two halves exactly one is a quorum. */
    @Test
    void quorumsMeet() {
        for (int size = 1; size <= 7; size++) {
            var replicas = new Replicas(IntStream.rangeClosed(1, size)
                    .mapToObj(number -> Samples.replica(Samples.node(number)))
                    .toList());
            var quorums = new ArrayList<Set<ReplicaId>>();
            for (int bits = 0; bits < 1 << size; bits++) {
                Set<ReplicaId> who = subset(replicas, bits);
                Set<ReplicaId> others = subset(replicas, ~bits);
                if (replicas.isQuorum(who)) {
                    quorums.add(who);
                    assertFalse(replicas.isQuorum(others));
                }
                if (2 * who.size() == size) {
                    assertTrue(replicas.isQuorum(who) || replicas.isQuorum(others));
                }
            }
            for (Set<ReplicaId> one : quorums) {
                for (Set<ReplicaId> other : quorums) {
                    assertTrue(one.stream().anyMatch(other::contains), one + " and " + other);
                }
            }
        }
    }

    @Test
    void anotherSeatIsAnotherReplica() {
        var replicas = new Replicas(List.of(Samples.replica(Samples.A)));
        assertFalse(replicas.isQuorum(Set.of(new ReplicaId(Samples.A.peer(), 5))));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Replicas(List.of(Samples.replica(Samples.A), new ReplicaId(Samples.A.peer(), 5))));
        assertThrows(IllegalArgumentException.class, () -> new Replicas(List.of()));
        assertThrows(IllegalArgumentException.class, () -> new ReplicaId(Samples.A.peer(), 0));
    }

    @Test
    void theBetterLogEndsInTheHigherBallot() {
        assertTrue(Samples.at(3, 2, Samples.A).compareTo(Samples.at(9, 1, Samples.B)) > 0);
        assertTrue(Samples.at(4, 2, Samples.A).compareTo(Samples.at(3, 2, Samples.A)) > 0);
        assertEquals(0, Samples.at(4, 2, Samples.A).compareTo(Samples.at(4, 2, Samples.A)));
    }
}
