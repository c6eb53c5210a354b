package io.hearth.transport.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LaneReceiverTest {
    private static final int SMALL = 100;
    private static final long LATER = LaneLimits.ACKNOWLEDGE_NANOS;

    private final LaneReceiver receiver = new LaneReceiver();

    @BeforeEach
    void join() {
        receiver.joined(0);
        receiver.joined(1);
    }

    private boolean arrived(int lane, long sequence) {
        return receiver.arrived(lane, sequence, SMALL, false, 0);
    }

    @Test
    void recordsAreTakenInOrderAndOnce() {
        assertTrue(arrived(0, 1));
        assertFalse(receiver.hasNext());
        assertThrows(IllegalStateException.class, () -> receiver.take(0));
        assertTrue(arrived(1, 0));
        assertFalse(arrived(0, 1), "a copy");
        assertEquals(0, receiver.take(0));
        assertEquals(1, receiver.take(0));
        assertFalse(arrived(1, 0), "a copy of a taken one");
        assertFalse(receiver.hasNext());
        assertEquals(2, receiver.count(0), "copies count for their lane");
        assertEquals(2, receiver.count(1));
    }

    @Test
    void theWindowIsBounded() {
        int window = LaneLimits.WINDOW_RECORDS;
        assertTrue(arrived(0, window - 1));
        assertThrows(IllegalArgumentException.class, () -> arrived(0, window));
        assertThrows(IllegalArgumentException.class, () -> arrived(0, -1));
        assertTrue(receiver.arrived(0, window, 0, true, 0), "but for the last record");
        assertThrows(IllegalArgumentException.class, () -> receiver.arrived(0, window + 1, 0, true, 0));
    }

    @Test
    void copiesWithoutEndAreALie() {
        arrived(0, 0);
        for (int i = 0; i < LaneReceiver.COPIES_MAX; i++) {
            assertFalse(arrived(0, 0));
        }
        assertThrows(IllegalArgumentException.class, () -> arrived(0, 0));
    }

    @Test
    void acknowledgementsOfSmallRecordsWaitForAMoment() {
        arrived(0, 0);
        assertFalse(receiver.isDue(0, LATER - 1));
        assertTrue(receiver.isDue(0, LATER));
        assertFalse(receiver.isDue(1, LATER));
        receiver.told(0);
        assertFalse(receiver.isDue(0, 2 * LATER));
        assertFalse(receiver.isWaiting());
    }

    @Test
    void aLargeRecordIsAcknowledgedAtOnce() {
        receiver.arrived(0, 0, 256 * 1024, false, 0);
        assertTrue(receiver.isDue(0, 0));
    }

    @Test
    void whatTheUserTookGoesOverEveryLane() {
        arrived(0, 0);
        receiver.told(0);
        receiver.take(0);
        assertTrue(receiver.isWaiting());
        assertTrue(receiver.isDue(0, LATER));
        receiver.told(0);
        assertTrue(receiver.isDue(1, LATER), "the other may be silent");
        receiver.lost(1);
        assertFalse(receiver.isDue(1, LATER));
        assertFalse(receiver.isWaiting());
    }
}
