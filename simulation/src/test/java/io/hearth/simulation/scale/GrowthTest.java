package io.hearth.simulation.scale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.schedule.AllReduceAlgorithm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GrowthTest {
    private static final long SECOND = 1_000_000_000L;

    private static Growth.Sums sums(NetworkKind kind, int nodes) {
        return Growth.sums(kind, nodes, 1, () -> 0);
    }

    /** The model counts a share of contention that only crowded ports show. */
    @ParameterizedTest
    @CsvSource({"RACKS,4", "RACKS,16", "RACKS,48", "SITES,4", "SITES,8", "SITES,16", "SITES,70"})
    void largeSumsTakeAboutAsLongAsPredicted(NetworkKind kind, int nodes) {
        PlannedSum sum = sums(kind, nodes).large();
        double ratio = sum.playedNanos() / sum.predictedNanos();
        assertTrue(ratio > 0.85 && ratio < 1.15, () -> sum + ": ratio " + ratio);
    }

    /** No measurement of one pair shows that others use its medium, so the model is far off there. This is known, and stands in the docs. */
    @Test
    void aSharedMediumIsSlowerThanPredicted() {
        PlannedSum sum = sums(NetworkKind.WIFI, 8).large();
        assertTrue(sum.playedNanos() > 4 * sum.predictedNanos(), sum::toString);
    }

    @Test
    void noSumIsFasterThanItsNetwork() {
        PlannedSum two = sums(NetworkKind.SITES, 2).large();
        double line = 100e6 / 8; // bytes per second, at most
        assertTrue(two.playedNanos() > two.bytesSent() / line * SECOND, two::toString);
        assertEquals(Growth.LARGE_BYTES, two.bytesSent(), "of two ranks each sends the buffer once");
        assertEquals(2 * Growth.LARGE_BYTES, two.bytesOfAll());
    }

    @Test
    void sitesSumByTheirLeaders() {
        assertEquals(
                AllReduceAlgorithm.ISLANDS, sums(NetworkKind.SITES, 8).large().algorithm());
    }

    @Test
    void theSameSeedGivesTheSameRow() {
        assertEquals(sums(NetworkKind.SITES, 12), sums(NetworkKind.SITES, 12));
        assertEquals(Growth.membership(6, 3), Growth.membership(6, 3));
    }

    @Test
    void aJoinAndALossCostTheProposerThreeMessagesForEachMember() {
        Growth.Membership row = Growth.membership(12, 1);
        ChangeCost join = row.join().orElseThrow();
        ChangeCost loss = row.loss().orElseThrow();
        assertTrue(join.messages() >= 3 * 10 && join.messages() <= 4 * 12, join::toString);
        assertTrue(loss.messages() >= 3 * 10 && loss.messages() <= 4 * 12, loss::toString);
        assertTrue(join.nanos() < SECOND, join::toString);
        assertTrue(loss.nanos() > 1.5 * SECOND && loss.nanos() < 2 * SECOND, loss::toString);
        assertTrue(row.recordBytes() > row.viewBytes() && join.writtenBytes() >= row.recordBytes(), row::toString);
        assertEquals("", row.limit());
    }

    @Test
    void aViewGrowsByTheSameBytesForEachMember() {
        long eight = Growth.membership(8, 1).viewBytes();
        long sixteen = Growth.membership(16, 1).viewBytes();
        long twentyFour = Growth.membership(24, 1).viewBytes();
        assertEquals((sixteen - eight) / 8.0, (twentyFour - sixteen) / 8.0, 2);
    }

    @Test
    void beyondTheLargestViewTheRowSaysSo() {
        assertEquals("a view has at most 256 members", Growth.membership(257, 1).limit());
    }
}
