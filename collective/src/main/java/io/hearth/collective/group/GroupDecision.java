package io.hearth.collective.group;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Decision of a view change about a group and its subgroups.
 *
 * @param subgroups those with a number to forward or to reject, at most {@link #SUBGROUPS_MAX}
 */
public record GroupDecision(Resolution group, SortedMap<SubgroupId, Resolution> subgroups) {
    /**
     * Most subgroups in a decision. More do not fit into {@link io.hearth.election.Resolver#BYTES_MAX} beside the group's part. Each member
     * makes one call at a time, so only a group of more members than this can have more undecided numbers at one moment; their calls end at
     * the deadline.
     */
    public static final int SUBGROUPS_MAX = 48;

    public GroupDecision {
        subgroups = Collections.unmodifiableSortedMap(new TreeMap<>(subgroups));
        if (subgroups.size() > SUBGROUPS_MAX) {
            throw new IllegalArgumentException(
                    "a decision has at most " + SUBGROUPS_MAX + " subgroups, got " + subgroups.size());
        }
    }

    /** A decision without subgroups. */
    public GroupDecision(Resolution group) {
        this(group, Collections.emptySortedMap());
    }

    /** The decision about a subgroup. */
    public Resolution of(SubgroupId id) {
        Resolution decided = subgroups.get(id);
        return decided == null ? Resolution.NOTHING : decided;
    }
}
