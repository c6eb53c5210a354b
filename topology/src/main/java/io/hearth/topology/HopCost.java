package io.hearth.topology;

import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;

/**
 * What a hop from one node to another costs, as whole numbers that only compare with one another.
 *
 * <p>Measurements waver, and a ring that follows every wobble would change at each plan. So costs are steps and not
 * measurements: bandwidths within about an eighth of one another cost the same, and round-trip times within a factor of two,
 * under 0.2 ms all of them, because a round trip says little more than what kind of network it crossed.
 */
final class HopCost {
    /** Of a hop that nobody measured: worse than any that somebody did, and still allowed. */
    static final long UNKNOWN = Long.MAX_VALUE;

    private static final long ROUND_TRIP_FLOOR_NANOS = 200_000;
    private static final long PICOS_PER_SECOND = 1_000_000_000_000L;

    private HopCost() {}

    /** Costs from row to column; the diagonal means nothing. */
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

    /** Picoseconds per byte, to three leading bits. */
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
