package io.hearth.collective.group;

import io.hearth.identity.NodeId;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A call that has not ended on this member, of its group or of a subgroup.
 *
 * @param lineage of the group's views, in the text form of its owner
 * @param place {@link #GROUP}, or the text of a {@link SubgroupId}
 * @param number of the call there
 * @param text the call, for messages
 * @param members with which it runs, by rank
 * @param called the highest number that this member called, by place
 */
public record OpenCall(
        String lineage, String place, long number, String text, List<NodeId> members, SortedMap<String, Long> called) {
    /** The place of a group's own calls. */
    public static final String GROUP = "";

    public OpenCall {
        members = List.copyOf(members);
        called = Collections.unmodifiableSortedMap(new TreeMap<>(called));
    }

    /** The same with the numbers that were called. */
    public OpenCall after(SortedMap<String, Long> numbers) {
        return new OpenCall(lineage, place, number, text, members, numbers);
    }

    /** Whether this is the same call. */
    public boolean isSameAs(OpenCall other) {
        return lineage.equals(other.lineage) && place.equals(other.place) && number == other.number;
    }
}
