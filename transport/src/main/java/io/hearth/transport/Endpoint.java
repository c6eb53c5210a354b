package io.hearth.transport;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import java.util.Optional;

/**
 * One start of a node.
 *
 * @param id the node
 * @param incarnation rises with each start of this node, not negative
 * @param bootId 16 random bytes, new at each start
 * @param systemBoot names the current boot of the computer, 16 bytes; empty if unknown
 */
public record Endpoint(NodeId id, long incarnation, Bytes bootId, Optional<Bytes> systemBoot) {
    /** Size of a boot id. */
    public static final int BOOT_ID_BYTES = 16;

    public Endpoint {
        if (incarnation < 0
                || bootId.size() != BOOT_ID_BYTES
                || systemBoot.filter(boot -> boot.size() != BOOT_ID_BYTES).isPresent()) {
            throw new IllegalArgumentException("need incarnation >= 0 and boot ids of 16 bytes, got incarnation "
                    + incarnation + " and " + bootId.size() + " bytes");
        }
    }

    /** A start on an unknown computer. */
    public Endpoint(NodeId id, long incarnation, Bytes bootId) {
        this(id, incarnation, bootId, Optional.empty());
    }

    /** Whether {@code otherBoot} is another boot, of this computer or another one. False if either boot is unknown. */
    public boolean isElsewhere(Optional<Bytes> otherBoot) {
        return systemBoot.isPresent() && otherBoot.isPresent() && !systemBoot.equals(otherBoot);
    }

    /** Whether this start and another one of the same machine cannot be of one computer at one time. */
    public boolean conflictsWith(Endpoint other) {
        boolean isSameStart = incarnation == other.incarnation && bootId.equals(other.bootId);
        return isElsewhere(other.systemBoot) || (id.equals(other.id) && !isSameStart);
    }
}
