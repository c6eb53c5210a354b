package io.hearth.election.health;

/** The failure detector's opinion of a peer. */
public enum HealthStatus {
    /** Linked, and nothing heard yet. */
    UNKNOWN,
    /** Heard lately. */
    HEALTHY,
    /** Silent for half of the span of silence, or its link just closed. */
    DEGRADED,
    /** Suspected. */
    UNHEALTHY
}
