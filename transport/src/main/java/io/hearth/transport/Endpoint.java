package io.hearth.transport;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;

/**
 * One start of a node.
 *
 * @param id the node
 * @param incarnation rises with each start of this node, not negative
 * @param bootId 16 random bytes, new at each start
 */
public record Endpoint(NodeId id, long incarnation, Bytes bootId) {
    /** Size of a boot id. */
    public static final int BOOT_ID_BYTES = 16;

    public Endpoint {
        if (incarnation < 0 || bootId.size() != BOOT_ID_BYTES) {
            throw new IllegalArgumentException("need incarnation >= 0 and a boot id of 16 bytes, got incarnation "
                    + incarnation + " and " + bootId.size() + " bytes");
        }
    }
}
