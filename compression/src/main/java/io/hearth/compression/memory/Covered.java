package io.hearth.compression.memory;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The set of values of a tensor that were encoded, as ranges that neither overlap nor touch. Parts that come in order need one range.
 * Threads may share it.
 */
final class Covered {
    private final NavigableMap<Long, Long> endByStart = new TreeMap<>();
    private long bytes;

    /** Throws if any value of {@code [start, end)} was encoded. */
    synchronized void checkFree(long start, long end) {
        Map.Entry<Long, Long> before = endByStart.lowerEntry(end);
        if (start < end && before != null && before.getValue() > start) {
            throw new IllegalArgumentException("values " + Math.max(start, before.getKey()) + " to "
                    + (Math.min(end, before.getValue()) - 1) + " were encoded before");
        }
    }

    /** Adds {@code [start, end)}, which was free, encoded in {@code taken} bytes. */
    synchronized void add(long start, long end, long taken) {
        bytes += taken;
        if (start == end) {
            return;
        }
        Map.Entry<Long, Long> before = endByStart.floorEntry(start);
        long from = before != null && before.getValue() == start ? before.getKey() : start;
        Long to = endByStart.remove(end);
        endByStart.put(from, to == null ? end : to);
    }

    /** Throws unless all values of {@code [start, end)} were encoded. */
    synchronized void checkTaken(long start, long end) {
        Map.Entry<Long, Long> before = endByStart.floorEntry(start);
        if (start < end && (before == null || before.getValue() < end)) {
            throw new IllegalStateException("values " + start + " to " + (end - 1) + " were not all encoded yet");
        }
    }

    /** The first value that was not encoded. */
    synchronized long firstFree() {
        return endByStart.getOrDefault(0L, 0L);
    }

    /** Bytes of all encodings. */
    synchronized long bytes() {
        return bytes;
    }
}
