package io.hearth.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rounds: bounded, and the bound climbs. */
final class KnownLineageTest {
    private static final long SECOND = 1_000_000_000L;

    private KnownLineage known = KnownLineage.of(7, Optional.empty(), 0);

    private long met(long round, long now) {
        known = known.met(round, now);
        return known.roundSeen();
    }

    @Test
    void aRoundUpToAThousandAboveTheHighestIsBelieved() {
        assertTrue(known.believes(1_000));
        assertFalse(known.believes(1_001));
        assertEquals(1_000, met(1_000, 0));
        assertEquals(1_000, met(999, 0));
        assertTrue(known.believes(2_000));
        assertFalse(known.believes(2_001));
    }

    @Test
    void aRoundFarAboveRaisesTheHighestByAThousandOnceASecond() {
        assertEquals(1_000, met(1_001, 0));
        assertEquals(1_000, met(Ballot.ROUND_MAX, SECOND - 1));
        assertEquals(2_000, met(Ballot.ROUND_MAX, SECOND));
        assertEquals(2_000, met(Ballot.ROUND_MAX, 2 * SECOND - 1));
        assertEquals(2_400, met(2_400, 2 * SECOND - 1), "a near one counts at any time");
        assertEquals(3_400, met(Ballot.ROUND_MAX, 2 * SECOND));
    }

    @Test
    void roundsStartAnewWithEachView() {
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
