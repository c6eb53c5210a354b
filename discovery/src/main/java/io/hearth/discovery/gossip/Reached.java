package io.hearth.discovery.gossip;

import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.identity.NodeId;
import java.util.List;

/**
 * The addresses at which the sender reaches a node.
 *
 * @param addresses 1 to {@value Sighting#CANDIDATES_MAX}, latest first
 */
public record Reached(NodeId node, List<PeerAddress> addresses) {
    public Reached {
        addresses = List.copyOf(addresses);
        if (addresses.isEmpty() || addresses.size() > Sighting.CANDIDATES_MAX) {
            throw new IllegalArgumentException(
                    "addresses must be 1 to " + Sighting.CANDIDATES_MAX + ", got " + addresses.size());
        }
    }
}
