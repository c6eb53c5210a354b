package io.hearth.simulation.scale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.topology.plan.LinkMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class GeneratedNetworkTest {
    private static final double MEGABIT = 1e6 / 8;

    @ParameterizedTest
    @EnumSource
    void theSameSeedMakesTheSameNetwork(NetworkKind kind) {
        LinkMatrix matrix = GeneratedNetwork.of(kind, 40, 7).matrix();
        assertEquals(matrix, GeneratedNetwork.of(kind, 40, 7).matrix());
        assertNotEquals(matrix, GeneratedNetwork.of(kind, 40, 8).matrix());
        assertTrue(matrix.isMeasured());
    }

    @Test
    void aPairHasTheRateOfItsSlowestPlace() {
        for (int nodes : new int[] {2, 3, 4, 40, 300}) {
            LinkMatrix racks = GeneratedNetwork.of(NetworkKind.RACKS, nodes, 1).matrix();
            LinkMatrix wifi = GeneratedNetwork.of(NetworkKind.WIFI, nodes, 1).matrix();
            LinkMatrix sites = GeneratedNetwork.of(NetworkKind.SITES, nodes, 1).matrix();
            for (int from = 0; from < nodes; from++) {
                for (int to = 0; to < nodes; to++) {
                    if (from != to) {
                        assertWithin(9_500, 10_000, racks.bytesPerSecond(from, to));
                        assertWithin(150, 800, wifi.bytesPerSecond(from, to));
                        boolean isInside = sites.roundTripNanos(from, to) < 1_000_000;
                        assertWithin(isInside ? 950 : 95, isInside ? 1_000 : 100, sites.bytesPerSecond(from, to));
                    }
                }
            }
        }
    }

    private static void assertWithin(double least, double most, long bytesPerSecond) {
        double megabits = bytesPerSecond / MEGABIT;
        assertTrue(megabits >= least - 0.1 && megabits <= most + 0.1, megabits + " Mbit/s");
    }

    @Test
    void theNodesOfACellShareItsMediumInBothDirections() {
        GeneratedNetwork cells = GeneratedNetwork.of(NetworkKind.WIFI, 16, 1);
        assertEquals(cells.path(0, 1)[0], cells.path(1, 0)[1]);
        assertEquals(cells.path(0, 1)[0], cells.path(2, 9)[0]);
        assertEquals(cells.rate(cells.path(0, 1)[0]) / 2, cells.rate(0, 1), "there and back through the air");
    }

    @Test
    void sizesBeyondTheMatrixAreRejected() {
        assertThrows(IllegalArgumentException.class, () -> GeneratedNetwork.of(NetworkKind.RACKS, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> GeneratedNetwork.of(NetworkKind.RACKS, 1_025, 1));
    }
}
