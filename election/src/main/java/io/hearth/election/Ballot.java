package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.Comparator;

/**
 * The number of one attempt to commit the next view; no two proposers share one.
 *
 * @param round 1 to {@link #ROUND_MAX}; starts again with each epoch
 * @param proposer the node that attempts it
 */
public record Ballot(long round, NodeId proposer) implements Comparable<Ballot> {
    /** Far more attempts than one epoch can see. */
    public static final long ROUND_MAX = ViewRules.NUMBER_MAX;

    private static final Comparator<Ballot> ORDER =
            Comparator.comparingLong(Ballot::round).thenComparing(Ballot::proposer);

    public Ballot {
        if (round < 1 || round > ROUND_MAX) {
            throw new IllegalArgumentException("a round is 1 to " + ROUND_MAX + ", got " + round);
        }
    }

    /** By round, then proposer. */
    @Override
    public int compareTo(Ballot other) {
        return ORDER.compare(this, other);
    }

    /** Text for people and logs. */
    public String shortText() {
        return round + "@" + proposer.shortText();
    }
}
