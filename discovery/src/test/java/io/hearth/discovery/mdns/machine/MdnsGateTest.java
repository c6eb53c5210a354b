package io.hearth.discovery.mdns.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.discovery.mdns.SiftedSocket;
import io.hearth.discovery.table.PeerTable;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes are heard during floods. */
final class MdnsGateTest {
    private static final long SECOND = PeerTable.SECOND;
    private static final Bytes QUIET = MdnsJudgeTest.address(10, 77, 0, 1);
    private static final Bytes LOUD = MdnsJudgeTest.address(10, 77, 0, 66);

    @Test
    void aFloodOfOneSourceTakesNothingFromTheOthers() {
        var gate = new MdnsGate(false, 0);
        int admitted = 0;
        for (int i = 0; i < 600_000; i++) { // 20,000 a second
            long nowNanos = i * SECOND / 20_000;
            admitted += gate.admits(LOUD, nowNanos) ? 1 : 0;
            if (i % 200 == 0) {
                assertTrue(gate.admits(QUIET, nowNanos), "packet " + i);
            }
        }
        int most = MdnsGate.SOURCE_BURST + 30 * MdnsGate.SOURCE_PER_SECOND;
        assertTrue(admitted <= most && admitted > most - 10, admitted + " of the flood were admitted");
    }

    /** 65,000 packets in 30 s from as many addresses: nearly half of the packets of a starting node are heard. */
    @Test
    void aFloodOfManySourcesHidesNobody() {
        var gate = new MdnsGate(false, 0);
        var random = new SplittableRandom(4);
        int heard = 0;
        for (int i = 0; i < 65_000; i++) {
            long nowNanos = i * (30 * SECOND / 65_000) + random.nextLong(SECOND / 2_500);
            if (i % 1_000 == 0) {
                heard += gate.admits(QUIET, nowNanos) ? 1 : 0;
            }
            gate.admits(MdnsJudgeTest.address(10, 77, i >> 8, i), nowNanos);
            assertTrue(gate.sources() <= MdnsGate.SOURCES_MAX);
        }
        assertTrue(heard > 65 / 4, heard + " of 65 were heard, seed 4");
    }

    /** A flood ten times as large costs no more, and a node that sends ten packets still has a good chance. */
    @Test
    void aGreaterFloodCostsNoMore() {
        var random = new SplittableRandom(3);
        var gate = new MdnsGate(false, 0);
        int admitted = 0;
        int heard = 0;
        int asked = 0;
        long nowNanos = 0;
        for (int i = 0; i < 200_000; i++) { // 20,000 a second
            nowNanos += random.nextLong(2 * SECOND / 20_000);
            if (random.nextInt(500) == 0) {
                asked++;
                heard += gate.admits(QUIET, nowNanos) ? 1 : 0;
            }
            admitted += gate.admits(MdnsJudgeTest.address(10, 77, i >> 8, i), nowNanos) ? 1 : 0;
        }
        assertTrue(admitted <= MdnsGate.ALL_BURST + 11 * MdnsGate.ALL_PER_SECOND, admitted + " were admitted");
        assertTrue(heard * 40 > asked, heard + " of " + asked + " were heard, seed 3");
    }

    @Test
    void aReaderPausesBeforeTheBufferIsEmptyOnlyInAFloodThatCostsTooMuch() {
        var gate = new MdnsGate(false, 0);
        int pauses = 0;
        long nowNanos = 0;
        for (int i = 0; i < 65_000; i++) {
            nowNanos += 30 * SECOND / 65_000;
            pauses += gate.isOverrun(false, nowNanos) ? 1 : 0;
        }
        assertEquals(0, pauses);
        long startNanos = nowNanos;
        for (int i = 0; i < 100_000; i++) { // 100,000 a second wait in the buffer
            nowNanos += gate.isOverrun(false, nowNanos) ? SECOND / 100 : SECOND / 100_000;
        }
        assertTrue(nowNanos - startNanos > 15 * SECOND, "100,000 were read within " + (nowNanos - startNanos) + " ns");
    }

    /** Packets that come while the reader pauses wait in the buffer, and a packet that follows at once causes no wake-up. */
    @ParameterizedTest
    @CsvSource({"40, 1200", "2000, 3500", "4900, 3500"})
    void aFloodWakesTheReaderSeldom(int perSecond, int wakesMax) {
        var gate = new MdnsGate(false, 0);
        long gapNanos = SECOND / perSecond;
        long nowNanos = 0;
        int wakes = 0;
        for (long i = 1; i * gapNanos < 30 * SECOND; i++) {
            boolean woken = i * gapNanos > nowNanos;
            wakes += woken ? 1 : 0;
            nowNanos = Math.max(nowNanos, i * gapNanos);
            nowNanos += gate.isOverrun(woken, nowNanos) ? SiftedSocket.PAUSE_NANOS : 5_000;
        }
        assertTrue(wakes <= wakesMax, wakes + " times in 30 s");
    }

    @Test
    void whoStartsAmongManyDoesNotPause() {
        var gate = new MdnsGate(false, 0);
        for (int i = 0; i < 250; i++) { // ten packets each of 25 machines in half a second
            assertFalse(gate.isOverrun(true, i * SECOND / 500));
        }
    }

    /** All nodes of a machine speak from one address there. */
    @Test
    void theLoopbackInterfaceHasNoLimitPerSource() {
        var gate = new MdnsGate(true, 0);
        int admitted = 0;
        for (int i = 0; i < 10_000; i++) {
            admitted += gate.admits(QUIET, 0) ? 1 : 0;
        }
        assertEquals(MdnsGate.ALL_BURST, admitted);
        assertEquals(0, gate.sources());
    }

    @Test
    void timeThatStandsOrGoesBackGivesNoTokens() {
        var bucket = new TokenBucket(2, 1, 0);
        assertEquals(2, taken(bucket, -5 * SECOND));
        assertEquals(1, taken(bucket, -4 * SECOND));
        assertEquals(0, taken(bucket, -6 * SECOND));
        assertEquals(2, taken(bucket, Long.MAX_VALUE / 2), "a long silence saves no more than the burst");
    }

    private static int taken(TokenBucket bucket, long nowNanos) {
        int taken = 0;
        while (bucket.take(nowNanos)) {
            taken++;
        }
        return taken;
    }
}
