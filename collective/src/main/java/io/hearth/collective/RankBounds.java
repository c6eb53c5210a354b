package io.hearth.collective;

import io.hearth.election.View;

/**
 * How many ranks a group trains with.
 *
 * @param least with fewer, the next step waits; without steps, the next collective
 * @param most with more, no step begins; those that came last are spares and wait outside
 */
public record RankBounds(int least, int most) {
    /** As many as there are. */
    public static final RankBounds ANY = new RankBounds(1, View.MEMBERS_MAX);

    public RankBounds {
        if (least < 1 || most < least || most > View.MEMBERS_MAX) {
            throw new IllegalArgumentException("a group trains with MIN to MAX ranks, 1 <= MIN <= MAX <= "
                    + View.MEMBERS_MAX + ", got " + least + " and " + most);
        }
    }
}
