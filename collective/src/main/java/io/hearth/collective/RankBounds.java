package io.hearth.collective;

import io.hearth.election.View;

/**
 * Limits on the number of ranks of a group.
 *
 * @param least with fewer ranks, the next step waits; without steps, the next collective
 * @param most with more ranks, no step begins; the trainers that came last are spares and wait outside the group
 */
public record RankBounds(int least, int most) {
    /** No limits. */
    public static final RankBounds ANY = new RankBounds(1, View.MEMBERS_MAX);

    public RankBounds {
        if (least < 1 || most < least || most > View.MEMBERS_MAX) {
            throw new IllegalArgumentException("ranks must be MIN to MAX with 1 <= MIN <= MAX <= " + View.MEMBERS_MAX
                    + ", got " + least + " and " + most);
        }
    }
}
