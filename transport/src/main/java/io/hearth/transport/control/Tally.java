package io.hearth.transport.control;

import io.hearth.transport.LinkCounters;
import io.hearth.transport.LinkRejection;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The running counts behind {@link LinkCounters}; any thread adds and reads. */
public final class Tally {
    final LongAdder admitted = new LongAdder();
    public final LongAdder droppedSends = new LongAdder();
    final LongAdder malformed = new LongAdder();
    final LongAdder unknownKinds = new LongAdder();
    public final LongAdder streamsRefused = new LongAdder();
    final LongAdder bytesIn = new LongAdder();
    final LongAdder bytesOut = new LongAdder();
    final LongAdder messagesIn = new LongAdder();
    public final LongAdder messagesOut = new LongAdder();
    private final Map<LinkRejection, LongAdder> refusals = new ConcurrentHashMap<>();

    void refused(LinkRejection refusal) {
        refusals.computeIfAbsent(refusal, _ -> new LongAdder()).increment();
    }

    public LinkCounters snapshot() {
        var counts = new EnumMap<LinkRejection, Long>(LinkRejection.class);
        for (LinkRejection refusal : LinkRejection.values()) {
            counts.put(refusal, 0L);
        }
        refusals.forEach((refusal, count) -> counts.put(refusal, count.sum()));
        return new LinkCounters(
                admitted.sum(),
                counts,
                droppedSends.sum(),
                malformed.sum(),
                unknownKinds.sum(),
                streamsRefused.sum(),
                bytesIn.sum(),
                bytesOut.sum(),
                messagesIn.sum(),
                messagesOut.sum());
    }
}
