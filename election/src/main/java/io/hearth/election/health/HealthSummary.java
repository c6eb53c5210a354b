package io.hearth.election.health;

/**
 * The number of peers by status.
 *
 * @param total all watched peers
 */
public record HealthSummary(int total, int healthy, int degraded, int unhealthy, int unknown) {
    /** Share of healthy peers, 0 to 1; 1 without peers. */
    public double healthyShare() {
        return total == 0 ? 1 : (double) healthy / total;
    }
}
