package io.hearth.parameterserver.table;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A table at one instant.
 *
 * @param finisher the trainer that finished the initialization, empty if unknown
 */
public record TableSnapshot(
        boolean isInitialized, String finisher, SortedSet<String> trainers, SortedMap<String, Stored> parameters) {
    /** Nothing. */
    public static final TableSnapshot EMPTY = new TableSnapshot(false, "", new TreeSet<>(), new TreeMap<>());

    public TableSnapshot {
        trainers = Collections.unmodifiableSortedSet(new TreeSet<>(trainers));
        parameters = Collections.unmodifiableSortedMap(new TreeMap<>(parameters));
    }
}
