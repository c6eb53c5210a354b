package io.hearth.collective.group;

import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds members that wait for each other in different places: this one in a call of the group or a subgroup that the other has not made,
 * and the other in a call elsewhere that this one has not made. Each makes one call at a time, so neither call can ever end. Pure.
 *
 * <p>The finding needs no agreement on time. A member cannot leave the call of its note without this member's bytes, except with an error
 * or by a view change. The note also says what it called before. So nobody suspects a member that has ended the common call already.
 *
 * <p>A member that waits in the same call as one that ends with such an error ends with it too: the call is lost for all.
 */
public final class Standstill {
    private Standstill() {}

    /**
     * The error with which a call must end; empty if it can still end well.
     *
     * @param own the call in which this member waits
     * @param notes of the other members of the view
     * @param ranks the group's members by rank, for the text
     */
    public static Optional<String> of(OpenCall own, Map<NodeId, WaitNote> notes, List<NodeId> ranks) {
        for (Map.Entry<NodeId, WaitNote> entry : notes.entrySet()) {
            WaitNote note = entry.getValue();
            NodeId other = entry.getKey();
            if (!note.lineage().equals(own.lineage()) || !own.members().contains(other)) {
                continue;
            }
            boolean isSamePlace = note.place().equals(own.place());
            if (isSamePlace && note.number() == own.number() && !note.mismatch().isEmpty()) {
                return Optional.of(note.mismatch());
            }
            if (!isSamePlace
                    && note.isAwaited()
                    && own.called().getOrDefault(note.place(), 0L) < note.number()
                    && note.called().getOrDefault(own.place(), 0L) < own.number()) {
                return Optional.of("the ranks wait for each other: this one in " + name(own.text(), own.place()) + ", "
                        + name(other, ranks) + " in " + name(note.text(), note.place())
                        + "; calls of a group and its subgroups need one order, the same on all ranks that they have"
                        + " in common, and all members of a subgroup must make its calls");
            }
        }
        return Optional.empty();
    }

    private static String name(String call, String place) {
        return place.equals(OpenCall.GROUP) ? call + " of the whole group" : call + " of a subgroup";
    }

    private static String name(NodeId node, List<NodeId> ranks) {
        int rank = ranks.indexOf(node);
        return rank < 0 ? node.shortText() : "rank " + rank + " (" + node.shortText() + ")";
    }
}
