package io.hearth.topology.export;

import io.hearth.identity.NodeId;

/**
 * A link that carries much less than it did.
 *
 * @param from the node that sends
 * @param to the node that receives
 * @param names of both, for people: {@code studio -> laptop}
 * @param bytesPerSecond present rate, above 0
 * @param formerBytesPerSecond its highest rate since it last was well, above 0
 */
public record SlowLink(NodeId from, NodeId to, String names, long bytesPerSecond, long formerBytesPerSecond) {
    /** {@code studio -> laptop: 940 -> 95.0 Mbit/s}. */
    public String text() {
        return names + ": " + Facts.megabits(formerBytesPerSecond) + " -> " + Facts.megabits(bytesPerSecond)
                + " Mbit/s";
    }
}
