package io.hearth.coordinator.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The moves of all ranks, played in one array each, compared with plain means. */
final class RingTest {
    @ParameterizedTest(name = "{0} workers, {1} values")
    @CsvSource({"1,5", "2,0", "2,1", "2,7", "3,1", "3,9", "3,10", "4,3", "5,5", "5,64", "7,100", "16,33"})
    void everybodyHasTheMean(int size, int values) {
        var all = new ArrayList<double[]>();
        var mean = new double[values];
        for (int rank = 0; rank < size; rank++) {
            var own = new double[values];
            for (int i = 0; i < values; i++) {
                own[i] = (rank + 1) * 1_000 + i * size;
                mean[i] += own[i] / size;
            }
            all.add(own);
        }
        int steps = Ring.moves(0, size).size();
        assertEquals(2 * (size - 1), steps);
        for (int step = 0; step < steps; step++) {
            if (step == steps / 2) {
                for (int rank = 0; rank < size; rank++) {
                    divide(all.get(rank), Ring.slice(Ring.owned(rank, size), size, values), size);
                }
            }
            play(all, step);
        }
        if (size > 1) {
            all.forEach(own -> assertArrayEquals(mean, own, 1e-9));
        }
    }

    private static void divide(double[] own, Ring.Slice slice, int size) {
        for (int i = slice.from(); i < slice.to(); i++) {
            own[i] /= size;
        }
    }

    private static void play(List<double[]> all, int step) {
        int size = all.size();
        List<double[]> before = all.stream().map(double[]::clone).toList();
        for (int rank = 0; rank < size; rank++) {
            int left = Math.floorMod(rank - 1, size);
            Ring.Move move = Ring.moves(rank, size).get(step);
            assertEquals(Ring.moves(left, size).get(step).send(), move.receive());
            Ring.Slice slice = Ring.slice(move.receive(), size, before.get(rank).length);
            for (int i = slice.from(); i < slice.to(); i++) {
                double arrived = before.get(left)[i];
                all.get(rank)[i] = move.adds() ? all.get(rank)[i] + arrived : arrived;
            }
        }
    }

    @ParameterizedTest(name = "{0} workers, {1} values")
    @CsvSource({"1,0", "3,2", "5,5", "7,268435456"})
    void slicesCoverAllValuesOnce(int size, int values) {
        int at = 0;
        for (int i = 0; i < size; i++) {
            Ring.Slice slice = Ring.slice(i, size, values);
            assertEquals(at, slice.from());
            assertEquals(0, (slice.to() - slice.from() - values / size) / 2); // longer by 1 at most
            at = slice.to();
        }
        assertEquals(values, at);
    }
}
