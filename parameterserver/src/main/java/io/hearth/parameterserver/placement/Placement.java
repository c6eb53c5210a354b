package io.hearth.parameterserver.placement;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Which part has which parameter. */
public final class Placement {
    private static final int FNV_OFFSET = 0x811C_9DC5;
    private static final int FNV_PRIME = 0x0100_0193;

    private Placement() {}

    /** By the name: FNV-1a of 32 bits, modulo the number of parts. */
    public static int byName(String name, int parts) {
        return Integer.remainderUnsigned(fnv1a(name), parts);
    }

    static int fnv1a(String text) {
        int hash = FNV_OFFSET;
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xFF)) * FNV_PRIME;
        }
        return hash;
    }

    /**
     * By size: the largest first, each on the part with the fewest bytes. No part has more than the mean and the largest parameter together.
     *
     * @param sizes in bytes, by name; all callers need the same ones to get the same places
     */
    public static SortedMap<String, Integer> bySize(Map<String, Integer> sizes, int parts) {
        List<Map.Entry<String, Integer>> order = new ArrayList<>(sizes.entrySet());
        order.sort(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()));
        long[] loads = new long[parts];
        var places = new TreeMap<String, Integer>();
        for (var each : order) {
            int least = 0;
            for (int part = 1; part < parts; part++) {
                least = loads[part] < loads[least] ? part : least;
            }
            places.put(each.getKey(), least);
            loads[least] += each.getValue();
        }
        return Collections.unmodifiableSortedMap(places);
    }
}
