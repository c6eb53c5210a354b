package io.hearth.collective.group;

import io.hearth.identity.NodeId;
import java.util.List;

/**
 * Who takes part in one group epoch, and in which order bytes travel among them.
 *
 * @param lineage in whatever text its owner uses; empty before the first view
 * @param fence lineage and group epoch; empty before the first view
 * @param members by rank
 * @param ring the same members in hop order: each sends to the next, the last to the first
 */
public record GroupLayout(String lineage, String fence, List<NodeId> members, List<NodeId> ring) {
    /** Before the first view. */
    public static final GroupLayout NONE = new GroupLayout("", "", List.of(), List.of());

    public GroupLayout {
        members = List.copyOf(members);
        ring = List.copyOf(ring);
        if (ring.size() != members.size() || !ring.containsAll(members)) {
            throw new IllegalArgumentException("a ring has every member once: " + members + " and " + ring);
        }
    }
}
