package io.hearth.transport.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.transport.machine.RelayPlaces.Pass;
import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RelayPlacesTest {
    private static final long LATE = StreamTickets.LIFE_NANOS + 1;

    private byte tickets;
    private final RelayPlaces<String> places = new RelayPlaces<>(() -> Bytes.of(new byte[] {++tickets}));

    private static Pass<String> pass(String from, String to) {
        return new Pass<>(from, to, false);
    }

    private Bytes issue(String from, String to) {
        return places.issue(pass(from, to), 0).orElseThrow();
    }

    @Test
    void aTicketIsForOneConnectionWithinItsLife() {
        Bytes good = issue("a", "b");
        Bytes late = issue("a", "c");
        assertEquals(Optional.of(pass("a", "b")), places.redeem(good, LATE - 1));
        assertEquals(Optional.empty(), places.redeem(good, LATE - 1));
        assertEquals(Optional.empty(), places.redeem(late, LATE));
        assertEquals(Optional.empty(), places.redeem(Bytes.of(new byte[] {99}), 0));
    }

    @Test
    void anAddressIsExpectedWhileATicketForItIsValid() {
        Bytes ticket = issue("a", "b");
        assertTrue(places.isOut("a"::equals, LATE - 1));
        assertFalse(places.isOut("a"::equals, LATE));
        assertFalse(places.isOut("b"::equals, 0));
        places.redeem(ticket, 0);
        assertFalse(places.isOut("a"::equals, 0));
    }

    @Test
    void aNodeTakesNoMoreThanItsOwnPlacesAndGetsThemBack() {
        var passes = new ArrayList<Pass<String>>();
        for (int i = 0; i < RelayPlaces.PLACES_OF_ONE_MAX; i++) {
            Bytes ticket = issue("a", "b");
            if (i % 2 == 0) {
                passes.add(places.redeem(ticket, 0).orElseThrow());
            }
        }
        assertEquals(Optional.empty(), places.issue(pass("a", "b"), 0));
        assertTrue(places.issue(pass("c", "b"), 0).isPresent());
        places.ended(passes.getFirst());
        assertTrue(places.issue(pass("a", "b"), 0).isPresent());
        assertEquals(Optional.empty(), places.issue(pass("a", "b"), 0));
        assertTrue(places.issue(pass("a", "b"), LATE).isPresent(), "old tickets give their places back");
    }

    @Test
    void allNodesTogetherHaveABound() {
        int given = 0;
        for (int node = 0; node < 100; node++) {
            for (int i = 0; i < 4; i++) {
                given += places.issue(pass("n" + node, "b"), 0).isPresent() ? 1 : 0;
            }
        }
        assertEquals(RelayPlaces.PLACES_MAX, given);
    }

    @Test
    void theEndOfALinkVoidsTheTicketsOfBothEnds() {
        Bytes from = issue("a", "b");
        Bytes to = issue("c", "a");
        Bytes other = issue("c", "b");
        places.lost("a"::equals);
        assertEquals(Optional.empty(), places.redeem(from, 0));
        assertEquals(Optional.empty(), places.redeem(to, 0));
        assertTrue(places.redeem(other, 0).isPresent());
    }
}
