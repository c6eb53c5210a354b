package io.hearth.topology;

import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;

/**
 * The cost of a hop from one node to another, as whole numbers that are only compared with one another.
 *
 * <p>Measurements vary, and a ring that follows every variation would change with each plan. So costs are rounded to steps. Bandwidths
 * within about an eighth of one another cost the same. So do round-trip times within a factor of two, and all below 0.2 ms, because a round
 * trip says little more than the kind of network that it crossed.
 */
final class HopCost {
    /** The cost of a hop without a measurement: higher than any measured one, and still allowed. */
    static final long UNKNOWN = Long.MAX_VALUE;

    private static final long ROUND_TRIP_FLOOR_NANOS = 200_000;
    private static final long PICOS_PER_SECOND = 1_000_000_000_000L;

    private HopCost() {}

    /** Costs from row to column; the diagonal is ignored. */
    static long[][] among(ClusterTopology topology, List<NodeId> nodes) {
        boolean measured = true;
        for (NodeId from : nodes) {
            for (NodeId to : nodes) {
                measured &= from.equals(to)
                        || topology.link(from, to)
                                .filter(link -> link.bytesPerSecond().isPresent())
                                .isPresent();
            }
        }
        var costs = new long[nodes.size()][nodes.size()];
        for (int from = 0; from < nodes.size(); from++) {
            for (int to = 0; to < nodes.size(); to++) {
                Optional<ConnectionProfile> link =
                        from == to ? Optional.empty() : topology.link(nodes.get(from), nodes.get(to));
                boolean byBandwidth = measured;
                costs[from][to] = link.map(known -> byBandwidth
                                ? ofBandwidth(known.bytesPerSecond().orElseThrow())
                                : ofRoundTrip(known.roundTripNanos()))
                        .orElse(UNKNOWN);
            }
        }
        return costs;
    }

    /** Picoseconds per byte, rounded down to three leading bits. */
    static long ofBandwidth(long bytesPerSecond) {
        return leadingBits(Math.max(1, PICOS_PER_SECOND / bytesPerSecond), 3);
    }

    static long ofRoundTrip(long nanos) {
        return leadingBits(Math.max(ROUND_TRIP_FLOOR_NANOS, nanos), 1);
    }

    private static long leadingBits(long value, int bits) {
        int drop = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(value) - bits);
        return value >>> drop << drop;
    }
}
