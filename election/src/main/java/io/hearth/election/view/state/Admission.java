package io.hearth.election.view.state;

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
public record Admission(
        SortedMap<NodeId, Joiner> joiners,
        SortedMap<NodeId, ReadmissionDelay> readmissionDelays,
        SortedMap<String, GroupRejection> refused,
        long dissolveNotBeforeNanos) {
    public static Admission nobody(long now) {
        return new Admission(new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), now);
    }

    public Admission joiners(SortedMap<NodeId, Joiner> others) {
        return new Admission(others, readmissionDelays, refused, dissolveNotBeforeNanos);
    }

    public Admission with(NodeId node, Joiner joiner) {
        var more = new TreeMap<>(joiners);
        more.put(node, joiner);
        return joiners(more);
    }

    public Admission readmissionDelays(SortedMap<NodeId, ReadmissionDelay> others) {
        return new Admission(joiners, others, refused, dissolveNotBeforeNanos);
    }

    public Admission refused(String group, GroupRejection why) {
        var more = new TreeMap<>(refused);
        more.put(group, why);
        return new Admission(joiners, readmissionDelays, more, dissolveNotBeforeNanos);
    }

    public Admission withoutOldRefusals(long now) {
        var fewer = new TreeMap<>(refused);
        fewer.values().removeIf(old -> old.untilNanos() - now <= 0);
        return new Admission(joiners, readmissionDelays, fewer, dissolveNotBeforeNanos);
    }

    public Admission dissolveNotBefore(long instant) {
        return new Admission(joiners, readmissionDelays, refused, instant);
    }

    /** The state in a new home lineage: no node asked here yet, and removals elsewhere do not count. */
    public Admission moved(long now) {
        return nobody(now);
    }
}
