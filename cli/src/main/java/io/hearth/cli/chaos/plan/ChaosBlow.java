package io.hearth.cli.chaos.plan;

import java.util.Set;
import java.util.TreeSet;

/**
 * A fault that struck hosts.
 *
 * @param text its name in reports
 * @param atNanos a moment just before the fault, by {@link System#nanoTime()}
 * @param struck hosts that cannot go on with the others; all hosts if no side may go on
 * @param onward hosts that must go on without them; empty if no host may
 * @param isMeasured whether no other fault disturbed them until they went on
 */
public record ChaosBlow(
        ChaosKind kind, String text, long atNanos, Set<Integer> struck, Set<Integer> onward, boolean isMeasured) {
    public ChaosBlow {
        struck = new TreeSet<>(struck);
        onward = new TreeSet<>(onward);
    }

    /** Whether the other hosts must complete a step without the struck hosts. All faults but a pause last longer than the timeout for a silent member. */
    public boolean costsMembership() {
        return kind != ChaosKind.PAUSE && !onward.isEmpty();
    }
}
