package io.hearth.scheduler.rule;

import io.hearth.scheduler.NodeSpec;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/** Finds nodes that are behind, and nodes that are near. */
public final class Stragglers {
    private static final double BEHIND = 0.8;
    private static final double NEAR = 0.7;

    private Stragglers() {}

    /** The nodes whose epoch is less than 0.8 of the mean epoch. They are asked for anew each time, so a node that catches up is none. */
    public static SortedSet<String> of(SortedMap<String, Long> epochs) {
        double mean =
                epochs.values().stream().mapToLong(Long::longValue).average().orElse(0);
        var behind = new TreeSet<String>();
        epochs.forEach((node, epoch) -> {
            if (epoch < mean * BEHIND) {
                behind.add(node);
            }
        });
        return behind;
    }

    /** Whether a node is near to its data sets: more than 0.7 on average. */
    public static boolean isNear(NodeSpec node) {
        return node.localities().values().stream()
                        .mapToDouble(Double::doubleValue)
                        .average()
                        .orElse(0)
                > NEAR;
    }
}
