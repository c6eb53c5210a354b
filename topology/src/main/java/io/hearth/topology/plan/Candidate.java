package io.hearth.topology.plan;

/**
 * A structure that the planner considered.
 *
 * @param structure which one
 * @param route its predicted cost
 * @param reason a plain sentence with figures: what limits the structure, or why it is impossible
 */
public record Candidate(Structure structure, Route route, String reason) {}
