package io.hearth.election;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** How often each {@link Refusal} happened. */
public final class Refusals {
    static final Refusals NONE = new Refusals(new EnumMap<>(Refusal.class));

    private final Map<Refusal, Long> counts;

    private Refusals(Map<Refusal, Long> counts) {
        this.counts = counts;
    }

    /** Times since the start. */
    public long count(Refusal refusal) {
        return counts.getOrDefault(refusal, 0L);
    }

    /** All that happened at least once, in the order of the enum. */
    public Map<Refusal, Long> counts() {
        return Collections.unmodifiableMap(counts);
    }

    Refusals plus(Refusal refusal) {
        var more = new EnumMap<>(counts);
        more.merge(refusal, 1L, Long::sum);
        return new Refusals(more);
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
