package io.hearth.agent.history;

import io.hearth.election.health.HealthStatus;

/** The health of a node from a wall time on. */
public record HealthChange(long atMillis, HealthStatus health) {}
