package io.hearth.compression;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Which values of a tensor were taken, as ranges that neither overlap nor touch: parts in order need one. */
final class Covered {
    private final NavigableMap<Long, Long> endByStart = new TreeMap<>();

    /** Throws if any value of {@code [start, end)} was taken. */
    void checkFree(long start, long end) {
        Map.Entry<Long, Long> before = endByStart.lowerEntry(end);
        if (start < end && before != null && before.getValue() > start) {
            throw new IllegalArgumentException("values " + Math.max(start, before.getKey()) + " to "
                    + (Math.min(end, before.getValue()) - 1) + " were encoded before");
        }
    }

    /** Takes {@code [start, end)}, which is free. */
    void add(long start, long end) {
        if (start == end) {
            return;
        }
        Map.Entry<Long, Long> before = endByStart.floorEntry(start);
        long from = before != null && before.getValue() == start ? before.getKey() : start;
        Long to = endByStart.remove(end);
        endByStart.put(from, to == null ? end : to);
    }

    /** The first value that was not taken. */
    long firstFree() {
        return endByStart.getOrDefault(0L, 0L);
    }
}
