package io.hearth.topology.plan;

import java.util.List;

/**
 * A plan and its reasons.
 *
 * @param plan what to do
 * @param candidates each structure with its prediction, in the order of {@link Structure}; empty in a world of one
 * @param gaps pairs without a working link, by rank, at most {@value #GAPS_MAX}
 */
public record Planned(Plan plan, List<Candidate> candidates, List<Gap> gaps) {
    /** Most gaps that are listed. */
    public static final int GAPS_MAX = 256;

    public Planned {
        candidates = List.copyOf(candidates);
        gaps = List.copyOf(gaps);
    }
}
