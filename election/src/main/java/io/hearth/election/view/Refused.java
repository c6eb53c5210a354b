package io.hearth.election.view;

/**
 * A group did not take joiners when its frozen members were asked.
 *
 * @param why for the joiners
 * @param untilNanos not to be asked again before
 */
record Refused(String why, long untilNanos) {}
