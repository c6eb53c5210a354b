package io.hearth.election.view.state;

/**
 * A node that was removed and has to wait before it may enter again.
 *
 * @param spanNanos its length
 * @param untilNanos its end
 */
public record ReadmissionDelay(long spanNanos, long untilNanos) {}
