package io.hearth.topology.bandwidth;

/**
 * The measured bandwidth between this node and a peer, in bytes of payload per second.
 *
 * @param outBytesPerSecond from this node to the peer, as the peer counted it; above 0
 * @param inBytesPerSecond from the peer to this node, as this node counted it; above 0
 */
public record Bandwidth(long outBytesPerSecond, long inBytesPerSecond) {
    public Bandwidth {
        if (outBytesPerSecond < 1 || inBytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "bandwidth must be above 0 B/s, got " + outBytesPerSecond + " and " + inBytesPerSecond);
        }
    }
}
