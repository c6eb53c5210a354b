package io.hearth.election.view;

/**
 * Whether the next step of this node's group waits.
 *
 * @param sinceNanos begin of the wait; meaningless without one
 * @param notBeforeNanos earliest begin of the next wait
 */
record StepBarrierHold(boolean held, long sinceNanos, long notBeforeNanos) {
    static StepBarrierHold none(long now) {
        return new StepBarrierHold(false, now, now);
    }

    /** From {@code now} on, unless it waits already. */
    StepBarrierHold from(long now) {
        return held ? this : new StepBarrierHold(true, now, notBeforeNanos);
    }

    StepBarrierHold over() {
        return new StepBarrierHold(false, sinceNanos, notBeforeNanos);
    }

    StepBarrierHold overUntil(long instant) {
        return new StepBarrierHold(false, sinceNanos, instant);
    }
}
