package io.hearth.election.view;

import io.hearth.identity.NodeId;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Nodes that ask for entry, and nodes that have to wait.
 *
 * @param joiners nodes that ask
 * @param readmissionDelays readmission delays of removed nodes
 * @param refused groups that rejected joining trainers when asked
 * @param dissolveNotBeforeNanos earliest instant of the next attempt to end this lineage for a better one
 */
record Admission(
        SortedMap<NodeId, Joiner> joiners,
        SortedMap<NodeId, ReadmissionDelay> readmissionDelays,
        SortedMap<String, GroupRejection> refused,
        long dissolveNotBeforeNanos) {
    static Admission nobody(long now) {
        return new Admission(new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), now);
    }

    Admission joiners(SortedMap<NodeId, Joiner> others) {
        return new Admission(others, readmissionDelays, refused, dissolveNotBeforeNanos);
    }

    Admission with(NodeId node, Joiner joiner) {
        var more = new TreeMap<>(joiners);
        more.put(node, joiner);
        return joiners(more);
    }

    Admission readmissionDelays(SortedMap<NodeId, ReadmissionDelay> others) {
        return new Admission(joiners, others, refused, dissolveNotBeforeNanos);
    }

    Admission refused(String group, GroupRejection why) {
        var more = new TreeMap<>(refused);
        more.put(group, why);
        return new Admission(joiners, readmissionDelays, more, dissolveNotBeforeNanos);
    }

    Admission withoutOldRefusals(long now) {
        var fewer = new TreeMap<>(refused);
        fewer.values().removeIf(old -> old.untilNanos() - now <= 0);
        return new Admission(joiners, readmissionDelays, fewer, dissolveNotBeforeNanos);
    }

    Admission dissolveNotBefore(long instant) {
        return new Admission(joiners, readmissionDelays, refused, instant);
    }

    /** The state in a new home lineage: no node asked here yet, and removals elsewhere do not count. */
    Admission moved(long now) {
        return nobody(now);
    }
}
