package io.hearth.topology.memory;

import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Measurements by machine and address: an immutable value with at most {@value #ENTRIES_MAX} entries. */
public final class Measurements {
    /** Most measurements; the oldest is dropped first. */
    public static final int ENTRIES_MAX = 1_024;

    /** Age from which a measurement says nothing any more: people move their machines. */
    public static final long AGE_MAX_NANOS = 30L * 24 * 3_600 * 1_000_000_000;

    /** No measurement. */
    public static final Measurements NONE = new Measurements(Collections.emptySortedMap());

    private static final Comparator<Key> ORDER =
            Comparator.comparing(Key::machine).thenComparing(Key::address);

    private final SortedMap<Key, Measurement> entries;

    private record Key(PeerId machine, String address) {
        static Key of(Measurement measurement) {
            return new Key(measurement.machine(), measurement.address());
        }
    }

    private Measurements(SortedMap<Key, Measurement> entries) {
        this.entries = Collections.unmodifiableSortedMap(entries);
    }

    /**
     * With these after former ones of the same path: a round trip alone leaves a former throughput. Measurements that are older than 30 days are dropped, and the oldest while there
     * are too many.
     */
    public Measurements with(Collection<Measurement> newer, long nowNanos) {
        var all = new TreeMap<Key, Measurement>(ORDER);
        all.putAll(entries);
        newer.forEach(each -> all.merge(Key.of(each), each, (former, now) -> now.after(former)));
        all.values().removeIf(each -> age(each, nowNanos) > AGE_MAX_NANOS);
        if (all.size() > ENTRIES_MAX) {
            var byAge = new ArrayList<>(all.values());
            byAge.sort(Comparator.comparingLong(each -> age(each, nowNanos)));
            byAge.subList(ENTRIES_MAX, byAge.size()).forEach(each -> all.remove(Key.of(each)));
        }
        return new Measurements(all);
    }

    private static long age(Measurement each, long nowNanos) {
        return Math.max(0, nowNanos - each.measuredNanos());
    }

    /** The measurement of a path. */
    public Optional<Measurement> of(PeerId machine, String address) {
        return entries.isEmpty() ? Optional.empty() : Optional.ofNullable(entries.get(new Key(machine, address)));
    }

    /** All of them, by machine and address. */
    public List<Measurement> list() {
        return List.copyOf(entries.values());
    }

    /** Whether they are worth a write: a path came or went, or has news. */
    public boolean isNews(Measurements written) {
        return !entries.keySet().equals(written.entries.keySet())
                || entries.entrySet().stream()
                        .anyMatch(each ->
                                each.getValue().isNews(written.entries.getOrDefault(each.getKey(), each.getValue())));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Measurements that && entries.equals(that.entries);
    }

    @Override
    public int hashCode() {
        return entries.hashCode();
    }

    @Override
    public String toString() {
        return "Measurements" + entries.values();
    }
}
