package io.hearth.transport.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class LaneSenderTest {
    private static final long MILLI = 1_000_000L;
    private static final int SIZE = 1_000;

    private final LaneSender sender = new LaneSender();

    private void lanes(int count) {
        for (int lane = 0; lane < count; lane++) {
            sender.joined(lane, 0);
        }
        sender.changes();
    }

    private long write(int lane, long nowNanos) {
        sender.queue(lane, SIZE);
        return sender.take(lane, nowNanos);
    }

    @Test
    void withoutALaneEveryRecordWaits() {
        assertEquals(-1, sender.choose(SIZE, 0));
        assertEquals(-1, sender.chooseLast(0));
        lanes(1);
        assertEquals(0, sender.choose(SIZE, 0));
        sender.lost(0, "gone", 0);
        assertEquals(-1, sender.choose(SIZE, 0));
    }

    @Test
    void theWindowIsBounded() {
        lanes(2);
        for (int i = 0; i < LaneLimits.WINDOW_RECORDS; i++) {
            int lane = sender.choose(SIZE, 0);
            assertTrue(lane >= 0, "record " + i);
            sender.queue(lane, SIZE);
        }
        assertEquals(-1, sender.choose(SIZE, 0));
        assertTrue(sender.chooseLast(0) >= 0, "the last record always fits");
    }

    @Test
    void whatWasNotSentCannotBeAcknowledged() {
        lanes(2);
        write(0, 0);
        sender.queue(1, SIZE); // not written
        assertThrows(IllegalArgumentException.class, () -> sender.acknowledged(0, 2, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> sender.acknowledged(1, 1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> sender.acknowledged(0, 1, 2, 1));
        assertThrows(IllegalArgumentException.class, () -> sender.acknowledged(0, 1, 3, 1));
        sender.acknowledged(0, 1, 1, 1);
        assertThrows(IllegalArgumentException.class, () -> sender.acknowledged(0, 0, 1, 1), "a count never falls");
        sender.acknowledged(1, 0, 0, 1); // an older number of taken records may come later
    }

    @Test
    void aLateLaneIsSuspectedAndItsRecordsGoOnTheOther() {
        lanes(2);
        write(0, 0);
        write(0, 0);
        sender.queue(0, SIZE);
        sender.tick(LaneLimits.SUSPECT_NANOS);
        assertEquals(-1, sender.take(1, MILLI), "not before its time");
        sender.tick(LaneLimits.SUSPECT_NANOS + 1);
        assertEquals("suspected", sender.changes().getFirst().what());
        assertEquals(0, sender.take(1, 102 * MILLI));
        assertEquals(1, sender.take(1, 102 * MILLI));
        assertEquals(2, sender.take(1, 102 * MILLI), "and those that waited");
        assertEquals(-1, sender.take(0, 102 * MILLI));
        assertEquals(1, sender.choose(SIZE, 102 * MILLI), "no new ones for the suspected lane");
    }

    @Test
    void whatArrivedDoesNotGoAgain() {
        lanes(2);
        write(0, 0);
        write(0, 0);
        sender.acknowledged(0, 1, 0, MILLI);
        sender.tick(101 * MILLI);
        assertEquals(1, sender.take(1, 101 * MILLI));
        assertEquals(-1, sender.take(1, 101 * MILLI));
    }

    @Test
    void whenAllLanesAreLateNoneIsSuspected() {
        lanes(2);
        write(0, 0);
        write(1, 0);
        sender.tick(500 * MILLI);
        assertTrue(sender.changes().isEmpty());
        sender.acknowledged(1, 1, 0, 501 * MILLI);
        sender.tick(502 * MILLI);
        assertEquals(0, sender.changes().getFirst().lane());
    }

    @Test
    void aSuspectedLaneRestsAndServesAgain() {
        lanes(2);
        write(0, 0);
        sender.tick(101 * MILLI);
        sender.changes();
        sender.acknowledged(0, 1, 1, 150 * MILLI);
        assertTrue(sender.changes().isEmpty(), "it rests first");
        assertEquals(-1, sender.take(1, 160 * MILLI), "what arrived late need not go again");
        sender.tick(352 * MILLI);
        assertEquals("serves again", sender.changes().getFirst().what());
        assertFalse(sender.isWaiting());
    }

    @Test
    void aRestEndsWhenTheLaneIsNeeded() {
        lanes(2);
        write(0, 0);
        sender.tick(101 * MILLI);
        sender.acknowledged(0, 1, 0, 110 * MILLI);
        sender.changes();
        long again = write(1, 110 * MILLI);
        sender.tick(211 * MILLI);
        assertEquals(again, sender.take(0, 211 * MILLI));
        write(0, 212 * MILLI);
        sender.lost(0, "gone", 213 * MILLI);
        assertEquals("serves again", sender.changes().getLast().what(), "the other is the only hope");
    }

    @Test
    void aLaneSilentForTooLongIsHopeless() {
        lanes(2);
        write(0, 0);
        sender.tick(101 * MILLI);
        assertEquals(-1, sender.hopeless(3_000 * MILLI));
        assertEquals(0, sender.hopeless(3_101 * MILLI));
    }

    @Test
    void theRecordsOfALostLaneGoFirst() {
        lanes(2);
        write(0, 0);
        write(1, 0);
        sender.queue(1, SIZE);
        sender.lost(0, "gone", 1);
        assertEquals(0, sender.take(1, 1));
        assertEquals(2, sender.take(1, 1));
        sender.acknowledged(1, 3, 3, 2);
        assertTrue(sender.isDelivered());
        assertThrows(IllegalArgumentException.class, () -> sender.acknowledged(1, 4, 3, 3));
    }

    /** Otherwise a lane that was slow once would never show that it is quick again. */
    @Test
    void anIdleLaneGetsARecordNowAndThen() {
        lanes(2);
        int large = 128 * 1024;
        long now = 0;
        for (int round = 1; round <= 10; round++) {
            for (int record = 0; record < 32; record++) {
                sender.queue(record % 2, large);
                sender.take(record % 2, now);
            }
            sender.acknowledged(1, 16L * round, sender.next() - 32, now + 8 * MILLI);
            now += round == 1 ? 8 * MILLI : 800 * MILLI; // lane 0 was as quick only at first
            sender.acknowledged(0, 16L * round, sender.next(), now);
        }
        assertTrue(sender.bytesPerSecond(0) < sender.bytesPerSecond(1) / 10);
        assertEquals(1, sender.choose(large, now + 900 * MILLI));
        sender.queue(1, large); // lane 1 has something to do
        assertEquals(1, sender.choose(large, now + 900 * MILLI));
        assertEquals(0, sender.choose(large, now + 1_100 * MILLI));
    }
}
