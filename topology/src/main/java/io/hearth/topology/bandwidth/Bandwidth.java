package io.hearth.topology.bandwidth;

import java.util.OptionalInt;

/**
 * The measured bandwidth between this node and a peer, in bytes of payload per second.
 *
 * @param outBytesPerSecond from this node to the peer, as the peer counted it; above 0
 * @param inBytesPerSecond from the peer to this node, as this node counted it; above 0
 * @param lossPermille segments to the peer that were lost, per thousand; empty if that is not known
 */
public record Bandwidth(long outBytesPerSecond, long inBytesPerSecond, OptionalInt lossPermille) {
    public Bandwidth {
        if (outBytesPerSecond < 1 || inBytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "bandwidth must be above 0 B/s, got " + outBytesPerSecond + " and " + inBytesPerSecond);
        }
    }

    /** Without known loss. */
    public Bandwidth(long outBytesPerSecond, long inBytesPerSecond) {
        this(outBytesPerSecond, inBytesPerSecond, OptionalInt.empty());
    }
}
