package io.hearth.parameterserver.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** How many bytes of updates may wait. */
final class QueueRoomTest {
    private final QueueRoom room = new QueueRoom(100);

    @Test
    void updatesWaitUntilTheBound() {
        assertTrue(room.take(60));
        assertTrue(room.take(40));
        assertFalse(room.take(1));
        room.give(60);
        assertTrue(room.take(60));
        assertEquals(100, room.taken());
    }

    /** Else it could never be applied. */
    @Test
    void anUpdateLargerThanTheBoundMayWaitAlone() {
        assertTrue(room.take(101));
        assertFalse(room.take(1));
        room.give(101);
        assertTrue(room.take(1));
        assertFalse(room.take(100));
    }
}
