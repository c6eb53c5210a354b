package io.hearth.replicated;

import io.hearth.election.Ballot;
import java.util.Comparator;

/**
 * An entry's place: two logs that share a position share everything before it. Ordered by ballot, then number: the later of two logs' last
 * positions has every committed entry that the other has.
 *
 * @param number 0 for the founding, then 1, 2, …
 * @param ballot of the primary that appended the entry
 */
public record Position(long number, Ballot ballot) implements Comparable<Position> {
    /** Far more commands than a home ever sends; bounds numbers of peers. */
    public static final long NUMBER_MAX = 1L << 48;

    private static final Comparator<Position> ORDER =
            Comparator.comparing(Position::ballot).thenComparingLong(Position::number);

    public Position {
        if (number < 0 || number > NUMBER_MAX) {
            throw new IllegalArgumentException("a number is 0 to " + NUMBER_MAX + ", got " + number);
        }
    }

    @Override
    public int compareTo(Position other) {
        return ORDER.compare(this, other);
    }
}
