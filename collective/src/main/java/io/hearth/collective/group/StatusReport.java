package io.hearth.collective.group;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A frozen member's report on the collectives of its group and of the subgroups that it made.
 *
 * @param subgroups at most {@link #SUBGROUPS_MAX}; a subgroup that is not named has no call here
 */
public record StatusReport(Status group, SortedMap<SubgroupId, Status> subgroups) {
    /** Most subgroups of a member at a time. */
    public static final int SUBGROUPS_MAX = 32;

    public StatusReport {
        subgroups = Collections.unmodifiableSortedMap(new TreeMap<>(subgroups));
        if (subgroups.size() > SUBGROUPS_MAX) {
            throw new IllegalArgumentException(
                    "a report has at most " + SUBGROUPS_MAX + " subgroups, got " + subgroups.size());
        }
    }

    /** The report of a member without subgroups. */
    public StatusReport(Status group) {
        this(group, Collections.emptySortedMap());
    }
}
