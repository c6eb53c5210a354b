package io.hearth.collective;

import java.io.IOException;
import java.util.Optional;

/**
 * The start of a group: its first number, a barrier that runs only with enough ranks. Each rank runs it only in a group epoch that is
 * large enough for itself, and none can end it without all others, so the largest number that any rank asked for counts.
 *
 * @param least ranks that this one asks for
 */
record GroupStart(PlainSum barrier, int least) implements Contribution {
    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        return barrier.attempt(place);
    }

    @Override
    public int leastRanks() {
        return least;
    }
}
