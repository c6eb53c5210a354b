package io.hearth.lighthouse.machine;

import io.hearth.lighthouse.QuorumMember;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

/**
 * What a lighthouse knows.
 *
 * @param heard replicas by id
 * @param asking replicas that wait for a quorum, by id
 * @param forming the quorum whose id is awaited
 * @param attempts quorums that were to be formed so far; the number of the newest
 * @param before ids of the last quorum, in order
 * @param reason why there is no quorum, or how the last one came about; for people
 * @param lookNanos before this instant nothing happens without an event; {@link Long#MAX_VALUE} for never
 */
public record LighthouseState(
        PSortedMap<String, Heard> heard,
        PSortedMap<String, Asking> asking,
        Optional<List<QuorumMember>> forming,
        long attempts,
        List<String> before,
        String reason,
        long lookNanos) {
    /** Before anything happened. */
    public static final LighthouseState START = new LighthouseState(
            TreePMap.empty(), TreePMap.empty(), Optional.empty(), 0, List.of(), "nobody asked", Long.MAX_VALUE);

    /**
     * When a replica was heard.
     *
     * @param nanos of the last heartbeat or call
     * @param beats whether it sends heartbeats; one that does not is alive while it waits
     */
    public record Heard(long nanos, boolean beats) {}

    /**
     * A replica that waits.
     *
     * @param member what it said last
     * @param sinceNanos since when
     * @param calls its open calls
     */
    public record Asking(QuorumMember member, long sinceNanos, SortedSet<Long> calls) {
        public Asking {
            calls = Collections.unmodifiableSortedSet(new TreeSet<>(calls));
        }
    }

    public LighthouseState {
        before = List.copyOf(before);
    }

    LighthouseState look(long instant) {
        return new LighthouseState(heard, asking, forming, attempts, before, reason, instant);
    }
}
