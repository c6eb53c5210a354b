package io.hearth.election.view.state;

/**
 * A group that rejected joining trainers when its frozen members were asked.
 *
 * @param why the reason for the joining trainers
 * @param untilNanos time before which it is not asked again
 */
public record GroupRejection(String why, long untilNanos) {}
