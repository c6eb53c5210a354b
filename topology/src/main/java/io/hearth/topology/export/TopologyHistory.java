package io.hearth.topology.export;

import io.hearth.topology.ClusterTopology;
import java.util.ArrayList;
import java.util.List;

/**
 * The latest notable changes of a topology: an immutable value. A topology is compared with the newest one that was kept, not with the one
 * before, so that many small changes count as well as a large one.
 *
 * @param entries the oldest first, at most {@value #ENTRIES_MAX}
 */
public record TopologyHistory(List<Entry> entries) {
    /** Most entries kept; the oldest is dropped first. */
    public static final int ENTRIES_MAX = 64;

    /** A history without entries. */
    public static final TopologyHistory EMPTY = new TopologyHistory(List.of());

    public TopologyHistory {
        entries = List.copyOf(entries);
        if (entries.size() > ENTRIES_MAX) {
            throw new IllegalArgumentException(
                    "a history holds at most " + ENTRIES_MAX + " entries, got " + entries.size());
        }
    }

    /**
     * A topology that differed notably from the one before.
     *
     * @param epochMillis wall-clock time, for people
     * @param change the difference in one line
     */
    public record Entry(long epochMillis, ClusterTopology topology, String change) {}

    /** With this topology, if it differs notably from the newest entry; else the same. */
    public TopologyHistory with(ClusterTopology newest, long epochMillis) {
        ClusterTopology last =
                entries.isEmpty() ? ClusterTopology.empty() : entries.getLast().topology();
        return TopologyDifference.between(last, newest)
                .map(change -> {
                    var more = new ArrayList<>(
                            entries.size() < ENTRIES_MAX ? entries : entries.subList(1, entries.size()));
                    more.add(new Entry(epochMillis, newest, change));
                    return new TopologyHistory(more);
                })
                .orElse(this);
    }
}
