package io.hearth.parameterserver.machine;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a machine has of the parts.
 *
 * @param boot of its process
 * @param parts by number; without those of which it has nothing
 */
public record Report(long boot, SortedMap<Integer, Part> parts) {
    static final Part NOTHING = new Part(0, 0, 0);

    /**
     * What it has of one part.
     *
     * @param copyTerm the term in which its table has all that was acknowledged, 0 if it has no such table
     * @param checkpointTerm of its newest checkpoint, 0 for none
     * @param checkpointIndex of that checkpoint
     */
    public record Part(long copyTerm, long checkpointTerm, long checkpointIndex) {}

    /**
     * A report, and when it was heard.
     *
     * @param round of the question that it answers
     * @param bootRound the newest round that was asked when this process was first heard: a report of a later round was made after that
     */
    public record Heard(Report report, long round, long bootRound) {}

    public Report {
        parts = Collections.unmodifiableSortedMap(new TreeMap<>(parts));
    }

    /** What it has of a part. */
    public Part part(int number) {
        return parts.getOrDefault(number, NOTHING);
    }
}
