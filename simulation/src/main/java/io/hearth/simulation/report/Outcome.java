package io.hearth.simulation.report;

import java.util.Map;
import java.util.Optional;

/**
 * The outcome of one seed.
 *
 * @param spans the name of its spans: a preset, or {@code scaled}
 * @param events steps of all machines
 * @param views committed
 * @param collectives numbers ended, counted at each member
 * @param virtualNanos its virtual duration
 * @param faults by kind
 * @param recovery the times that the cluster took to recover
 * @param violation the broken rule and how it was broken; empty if none was
 */
public record Outcome(
        long seed,
        String spans,
        long events,
        long views,
        long collectives,
        long virtualNanos,
        Map<FaultKind, Long> faults,
        Recovery recovery,
        Optional<String> violation) {
    public Outcome {
        faults = Map.copyOf(faults);
    }

    /**
     * Recovery times.
     *
     * @param faultToView from a fault that takes a process or a pair away to the next view that a quorum agreed on
     * @param faultToNumber from such a fault to the next number that a member ended
     * @param peaceToView from the end of all faults until all were in one view
     */
    public record Recovery(Delays faultToView, Delays faultToNumber, Delays peaceToView) {
        public static final Recovery NONE = new Recovery(Delays.NONE, Delays.NONE, Delays.NONE);

        public Recovery plus(Recovery other) {
            return new Recovery(
                    faultToView.plus(other.faultToView),
                    faultToNumber.plus(other.faultToNumber),
                    peaceToView.plus(other.peaceToView));
        }
    }
}
