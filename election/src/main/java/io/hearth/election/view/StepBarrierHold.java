package io.hearth.election.view;

/**
 * Whether the own group's next step waits.
 *
 * @param sinceNanos when it began to; meaningless while it does not
 * @param notBeforeNanos earliest instant of the next time
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
