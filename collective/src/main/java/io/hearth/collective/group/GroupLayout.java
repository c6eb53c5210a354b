package io.hearth.collective.group;

import io.hearth.collective.schedule.Islands;
import io.hearth.identity.NodeId;
import java.util.List;

/**
 * The members of one group epoch, and the order in which bytes travel between them.
 *
 * @param lineage in the text form of its owner; empty before the first view
 * @param fence lineage and group epoch; empty before the first view
 * @param members by rank
 * @param ring the same members in hop order: each sends to the next, the last to the first
 * @param islands by rank, the rank that leads its island ({@link Islands}); empty if no islands are planned
 */
public record GroupLayout(
        String lineage, String fence, List<NodeId> members, List<NodeId> ring, List<Integer> islands) {
    /** Before the first view. */
    public static final GroupLayout NONE = new GroupLayout("", "", List.of(), List.of());

    public GroupLayout {
        members = List.copyOf(members);
        ring = List.copyOf(ring);
        islands = List.copyOf(islands);
        if (ring.size() != members.size() || !ring.containsAll(members)) {
            throw new IllegalArgumentException(
                    "ring must have every member once, got members " + members + " and ring " + ring);
        }
        if (!islands.isEmpty() && new Islands(islands).world() != members.size()) {
            throw new IllegalArgumentException(
                    "islands need a leader for each of " + members.size() + " members, got " + islands);
        }
    }

    /** A layout without islands. */
    public GroupLayout(String lineage, String fence, List<NodeId> members, List<NodeId> ring) {
        this(lineage, fence, members, ring, List.of());
    }
}
