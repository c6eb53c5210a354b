package io.hearth.election.health;

/** What the failure detector thinks of a peer. */
public enum HealthStatus {
    /** Linked, and nothing heard yet. */
    UNKNOWN,
    /** Heard lately. */
    HEALTHY,
    /** Silent for half of what makes it suspected, or its link just closed. */
    DEGRADED,
    /** Suspected. */
    UNHEALTHY
}
