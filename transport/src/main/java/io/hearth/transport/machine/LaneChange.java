package io.hearth.transport.machine;

/**
 * A lane joined, was suspected, serves again or was lost; for the log.
 *
 * @param lane number of the lane
 * @param what the new state, such as {@code suspected}
 * @param why the reason, for people
 */
public record LaneChange(int lane, String what, String why) {}
