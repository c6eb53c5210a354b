package io.hearth.election.view.state;

/**
 * Whether the next step of this node's group waits.
 *
 * @param sinceNanos begin of the wait; meaningless without one
 * @param notBeforeNanos earliest begin of the next wait
 */
public record StepBarrierHold(boolean held, long sinceNanos, long notBeforeNanos) {
    public static StepBarrierHold none(long now) {
        return new StepBarrierHold(false, now, now);
    }

    /** From {@code now} on, unless it waits already. */
    public StepBarrierHold from(long now) {
        return held ? this : new StepBarrierHold(true, now, notBeforeNanos);
    }

    public StepBarrierHold over() {
        return new StepBarrierHold(false, sinceNanos, notBeforeNanos);
    }

    public StepBarrierHold overUntil(long instant) {
        return new StepBarrierHold(false, sinceNanos, instant);
    }
}
