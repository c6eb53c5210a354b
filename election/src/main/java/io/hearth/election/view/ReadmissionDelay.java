package io.hearth.election.view;

/**
 * A node that was removed and has to wait before it may enter again.
 *
 * @param spanNanos its length
 * @param untilNanos its end
 */
record ReadmissionDelay(long spanNanos, long untilNanos) {}
