package io.hearth.transport;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The running counts behind {@link LinkCounters}; any thread adds, any thread reads. */
final class Tally {
    final LongAdder admitted = new LongAdder();
    final LongAdder droppedSends = new LongAdder();
    final LongAdder malformed = new LongAdder();
    final LongAdder unknownKinds = new LongAdder();
    final LongAdder streamsRefused = new LongAdder();
    private final Map<Refusal, LongAdder> refusals = new ConcurrentHashMap<>();

    void refused(Refusal refusal) {
        refusals.computeIfAbsent(refusal, _ -> new LongAdder()).increment();
    }

    LinkCounters snapshot() {
        var counts = new EnumMap<Refusal, Long>(Refusal.class);
        for (Refusal refusal : Refusal.values()) {
            counts.put(refusal, 0L);
        }
        refusals.forEach((refusal, count) -> counts.put(refusal, count.sum()));
        return new LinkCounters(
                admitted.sum(), counts, droppedSends.sum(), malformed.sum(), unknownKinds.sum(), streamsRefused.sum());
    }
}
