package io.hearth.discovery.table;

import io.hearth.discovery.PeerAddress;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * State of a {@link PeerTableMachine}.
 *
 * @param records by a number that rises with each new record, so that iteration is deterministic
 * @param nextRecord number of the next one
 * @param dialling addresses with an outstanding dial, and its start
 * @param dialledNanos times of the latest dials, oldest first; no more than the limit per second
 * @param own addresses at which this process reached itself, and the time of that
 */
public record PeerTable(
        SortedMap<Long, PeerRecord> records,
        long nextRecord,
        SortedMap<PeerAddress, Long> dialling,
        List<Long> dialledNanos,
        SortedMap<PeerAddress, Long> own) {
    public static final long SECOND = 1_000_000_000; // in nanoseconds

    /** A table without records. */
    public static final PeerTable EMPTY = new PeerTable(
            Collections.emptySortedMap(), 0, Collections.emptySortedMap(), List.of(), Collections.emptySortedMap());

    public PeerTable {
        records = Collections.unmodifiableSortedMap(new TreeMap<>(records));
        dialling = Collections.unmodifiableSortedMap(new TreeMap<>(dialling));
        dialledNanos = List.copyOf(dialledNanos);
        own = Collections.unmodifiableSortedMap(new TreeMap<>(own));
    }

    /** Time until one more dial is within the limit per second; 0 if it is now. */
    long windowFreeNanos(PeerTableLimits limits, long nowNanos) {
        int excess = dialledNanos.size() - limits.dialsPerSecondMax();
        return excess < 0 ? 0 : Math.max(0, dialledNanos.get(excess) + SECOND - nowNanos);
    }
}
