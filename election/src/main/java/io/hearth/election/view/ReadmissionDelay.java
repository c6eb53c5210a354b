package io.hearth.election.view;

/**
 * A node that was removed and has to wait before it may enter again.
 *
 * @param spanNanos how long this time
 * @param untilNanos end of it
 */
record ReadmissionDelay(long spanNanos, long untilNanos) {}
