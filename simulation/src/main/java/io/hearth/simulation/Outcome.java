package io.hearth.simulation;

import java.util.Map;
import java.util.Optional;

/**
 * What one seed gave.
 *
 * @param events steps of all machines
 * @param views committed
 * @param collectives numbers ended, counted at each member
 * @param virtualNanos how long it lasted in its own time
 * @param faults by kind
 * @param violation the rule that was broken and how; empty if none was
 */
public record Outcome(
        long seed,
        long events,
        long views,
        long collectives,
        long virtualNanos,
        Map<FaultKind, Long> faults,
        Optional<String> violation) {
    public Outcome {
        faults = Map.copyOf(faults);
    }
}
