package io.hearth.election;

/**
 * Whether the own group's next step waits.
 *
 * @param sinceNanos when it began to; meaningless while it does not
 * @param notBeforeNanos earliest instant of the next time
 */
record Hold(boolean held, long sinceNanos, long notBeforeNanos) {
    static Hold none(long now) {
        return new Hold(false, now, now);
    }

    /** From {@code now} on, unless it waits already. */
    Hold from(long now) {
        return held ? this : new Hold(true, now, notBeforeNanos);
    }

    Hold over() {
        return new Hold(false, sinceNanos, notBeforeNanos);
    }

    Hold overUntil(long instant) {
        return new Hold(false, sinceNanos, instant);
    }
}
