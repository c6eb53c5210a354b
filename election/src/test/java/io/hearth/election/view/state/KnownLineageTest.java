package io.hearth.election.view.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Nodes;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rounds are bounded, and the bound grows. */
final class KnownLineageTest {
    private static final long SECOND = 1_000_000_000L;

    private KnownLineage known = KnownLineage.of(7, Optional.empty(), 0);

    private long met(long round, long now) {
        known = known.met(round, now);
        return known.roundSeen();
    }

    @Test
    void aRoundUpToAThousandAboveTheHighestIsBelieved() {
        assertTrue(known.believes(1_000, 0));
        assertFalse(known.believes(1_001, 0));
        assertEquals(400, met(400, SECOND));
        assertEquals(400, met(399, SECOND));
        assertTrue(known.believes(1_400, 2 * SECOND));
        assertFalse(known.believes(1_401, 2 * SECOND));
    }

    @Test
    void othersRaiseTheHighestRoundByAThousandInASecond() {
        assertEquals(1_000, met(1_001, 0));
        assertEquals(1_000, met(Ballot.ROUND_MAX, SECOND - 1));
        assertEquals(2_000, met(Ballot.ROUND_MAX, SECOND));
        assertEquals(2_000, met(2_001, 2 * SECOND - 1), "however near");
        assertEquals(2_400, met(2_400, 2 * SECOND));
        assertEquals(3_000, met(3_400, 2 * SECOND));
        assertFalse(known.believes(3_001, 3 * SECOND - 1));
        assertTrue(known.believes(4_000, 3 * SECOND));
    }

    @Test
    void anOwnRoundIsUsedHoweverFarTheOthersAre() {
        assertEquals(1_000, met(Ballot.ROUND_MAX, 0));
        known = known.began(1_001);
        assertEquals(1_001, known.roundSeen());
        assertEquals(1_001, met(Ballot.ROUND_MAX, SECOND - 1));
        assertEquals(2_001, met(Ballot.ROUND_MAX, SECOND));
    }

    @Test
    void roundsStartAgainWithEachView() {
        met(500, 0);
        var founder = Nodes.agent(1);
        var view = new View(
                new Lineage(false, 1, founder, 1, 0),
                4,
                List.of(new Member(founder, 1, 1, Role.AGENT, "", 71)),
                List.of());
        known = known.learned(view, new ViewSource.Own(), SECOND);
        assertEquals(0, known.roundSeen());
        assertEquals(7, known.seat());
        assertEquals(SECOND, known.usedNanos());
        assertEquals(8, known.seated(8, 2 * SECOND).seat());
        assertEquals(2 * SECOND, known.seated(8, 2 * SECOND).usedNanos());
    }
}
