package io.hearth.transport.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import org.junit.jupiter.api.Test;

final class RekeyPlacesTest {
    private final RekeyPlaces places = new RekeyPlaces();

    private static PeerId peer() {
        return NodeIdentity.generate().peer();
    }

    @Test
    void oneMachineTakesNotAllPlaces() {
        PeerId one = peer();
        int taken = 0;
        while (places.hasRoom(one, true)) {
            places.add(one, true);
            taken++;
        }
        assertEquals(RekeyPlaces.OF_ONE_MAX, taken);
        assertTrue(places.hasRoom(peer(), true));
        places.remove(one, true);
        assertTrue(places.hasRoom(one, true));
    }

    @Test
    void strangersLeavePlacesForMembers() {
        PeerId first = peer();
        places.add(first, false);
        while (places.hasRoom(peer(), false)) {
            places.add(peer(), false);
        }
        for (int member = RekeyPlaces.STRANGERS_MAX; member < RekeyPlaces.CHANNELS_MAX; member++) {
            PeerId peer = peer();
            assertTrue(places.hasRoom(peer, true));
            places.add(peer, true);
        }
        assertFalse(places.hasRoom(peer(), true));
        places.remove(first, false);
        assertTrue(places.hasRoom(peer(), true) && places.hasRoom(peer(), false));
    }
}
