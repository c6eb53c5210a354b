package io.hearth.scheduler;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A node, as it registers.
 *
 * @param address where other nodes reach it
 * @param zone a rack or room
 * @param region where that is
 * @param localities how much of a data set is near, 0 to 1, by the path of the data set
 */
public record NodeSpec(
        String id,
        String address,
        NodeRole role,
        String zone,
        String region,
        Capabilities capabilities,
        SortedMap<String, Double> localities) {
    public NodeSpec {
        Bounds.nodeId(id);
        Bounds.text("an address", address);
        Bounds.text("a zone", zone);
        Bounds.text("a region", region);
        Bounds.range("the number of data sets of a node", 0, Bounds.LOCALITIES_MAX, localities.size());
        localities.forEach((path, score) -> {
            Bounds.text("the path of a data set", path);
            if (!(score >= 0 && score <= 1)) {
                throw new IllegalArgumentException("a locality is 0 to 1, got " + score);
            }
        });
        localities = Collections.unmodifiableSortedMap(new TreeMap<>(localities));
    }

    /** A worker without capabilities. */
    public static NodeSpec worker(String id, String address) {
        return new NodeSpec(id, address, NodeRole.WORKER, "", "", Capabilities.NONE, Collections.emptySortedMap());
    }

    /** The same node with another role and other capabilities. */
    public NodeSpec with(NodeRole newRole, Capabilities newCapabilities) {
        return new NodeSpec(id, address, newRole, zone, region, newCapabilities, localities);
    }
}
