package io.hearth.cli.chaos.plan;

import java.util.Set;
import java.util.TreeSet;

/**
 * A fault that was done to hosts.
 *
 * @param text as reports name it
 * @param atNanos the moment before it was done, by {@link System#nanoTime()}
 * @param struck hosts that cannot go on with the rest; all of them if no side may
 * @param onward hosts that have to go on without them; empty if nobody may
 * @param isMeasured whether nothing else disturbed them until they did
 */
public record ChaosBlow(
        ChaosKind kind, String text, long atNanos, Set<Integer> struck, Set<Integer> onward, boolean isMeasured) {
    public ChaosBlow {
        struck = new TreeSet<>(struck);
        onward = new TreeSet<>(onward);
    }

    /** Whether those who go on must complete a step without the struck ones: all but a pause last longer than their patience. */
    public boolean costsMembership() {
        return kind != ChaosKind.PAUSE && !onward.isEmpty();
    }
}
