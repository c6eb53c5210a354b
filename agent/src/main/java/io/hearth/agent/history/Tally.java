package io.hearth.agent.history;

import io.hearth.election.ElectionState;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Totals since the node's start.
 *
 * @param events number of events of each kind; only kinds that occurred
 * @param millis time in each state of the election, without the present stay in {@code state}; only states that occurred
 * @param state the present one
 * @param sinceMillis wall time at which it began
 */
public record Tally(
        Map<ClusterEvent.Kind, Long> events, Map<ElectionState, Long> millis, ElectionState state, long sinceMillis) {
    /** Before the first status. */
    static final Tally EMPTY = new Tally(Map.of(), Map.of(), ElectionState.IDLE, 0);

    public Tally {
        events = Collections.unmodifiableMap(new EnumMap<>(with(events, ClusterEvent.Kind.class)));
        millis = Collections.unmodifiableMap(new EnumMap<>(with(millis, ElectionState.class)));
    }

    private static <K extends Enum<K>> EnumMap<K, Long> with(Map<K, Long> map, Class<K> keys) {
        var copy = new EnumMap<K, Long>(keys);
        copy.putAll(map);
        return copy;
    }

    Tally counted(ClusterEvent.Kind kind) {
        var more = with(events, ClusterEvent.Kind.class);
        more.merge(kind, 1L, Long::sum);
        return new Tally(more, millis, state, sinceMillis);
    }

    Tally now(ElectionState next, long atMillis) {
        if (sinceMillis == 0) {
            return new Tally(events, millis, next, atMillis);
        }
        if (next == state) {
            return this;
        }
        var longer = with(millis, ElectionState.class);
        longer.merge(state, Math.max(0, atMillis - sinceMillis), Long::sum);
        return new Tally(events, longer, next, atMillis);
    }

    /** Number of events of a kind. */
    public long count(ClusterEvent.Kind kind) {
        return events.getOrDefault(kind, 0L);
    }

    /** Time in a state until {@code atMillis}. */
    public long millis(ElectionState asked, long atMillis) {
        return millis.getOrDefault(asked, 0L)
                + (asked == state && sinceMillis > 0 ? Math.max(0, atMillis - sinceMillis) : 0);
    }
}
