package io.hearth.election.health;

import java.util.OptionalLong;

/**
 * The failure detector's measurements of one peer, for people and metrics.
 *
 * @param incarnation the start of the peer
 * @param silentNanos since its last frame, or since its link came up
 * @param failuresInRow heartbeats missed since then, and a refused re-dial
 * @param lastRttNanos newest round trip; empty before the first
 * @param meanRttNanos smoothed round trip (EMA, weight 1/8 as in RFC 6298); empty before the first
 * @param jitterNanos smoothed deviation of heartbeat arrivals from their schedule
 * @param uptimeShare share of the time watched in which it was not suspected, 0 to 1
 */
public record PeerHealth(
        HealthStatus status,
        long incarnation,
        long silentNanos,
        long failuresInRow,
        OptionalLong lastRttNanos,
        OptionalLong meanRttNanos,
        long jitterNanos,
        double uptimeShare) {}
