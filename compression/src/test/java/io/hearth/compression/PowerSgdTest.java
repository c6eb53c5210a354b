package io.hearth.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.PowerSgd.Round;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PowerSgdTest {
    private static final String KEY = "layer";

    private final Arena arena = Arena.ofConfined();
    private final List<PowerSgd> members = new ArrayList<>();

    @AfterEach
    void free() {
        members.forEach(PowerSgd::close);
        arena.close();
    }

    /** Against dense matrices in double: of the same sums every step has to give what its definition says. */
    @ParameterizedTest
    @CsvSource({"1,1,1,1", "7,5,2,1", "5,7,2,3", "13,11,4,2", "3,17,8,3", "1,9,2,2", "40,30,3,4"})
    void aRoundIsWhatItsDefinitionSays(int rows, int columns, int rank, int world) throws Exception {
        var random = new SplittableRandom(rows * 31L + columns);
        start(world, rank);
        for (int step = 0; step < 4; step++) {
            List<float[]> gradients = gradients(world, rows * columns, random);
            List<double[][]> matrices = new ArrayList<>();
            for (int rank0 = 0; rank0 < world; rank0++) {
                matrices.add(withOwed(members.get(rank0), gradients.get(rank0), rows, columns));
            }
            List<Round> rounds = begin(gradients, rows, columns);
            int width = (int) (rounds.getFirst().left().byteSize() / Float.BYTES / rows);
            assertEquals(Math.min(rank, Math.min(rows, columns)), width);
            sumLeft(rounds);
            double[][] left = Dense.matrix(sum, rows, width);
            Dense.orthonormalise(left, world);
            rounds.forEach(round -> unchecked(() -> round.leftSummed(world)));
            for (int member = 0; member < world; member++) {
                double[][] own = Dense.product(Dense.transposed(matrices.get(member)), left);
                Dense.assertClose(own, Dense.matrix(floats(rounds.get(member).right()), columns, width), 1e-3);
            }
            sumRight(rounds);
            double[][] right = Dense.matrix(sum, columns, width);
            Dense.scale(right, 1.0 / world);
            rounds.forEach(round -> unchecked(() -> round.rightSummed(world)));
            double[][] expected = Dense.product(left, Dense.transposed(right));
            float[] first = approximation(rounds.getFirst(), rows * columns);
            Dense.assertClose(expected, Dense.matrix(first, rows, columns), 1e-3);
            for (Round round : rounds) {
                assertArrayEquals(first, approximation(round, rows * columns), "all have the same bits");
            }
            rounds.forEach(Round::commit);
        }
    }

    @ParameterizedTest
    @CsvSource({"1,1", "2,1", "3,4"})
    void whatHasThatRankIsFoundExactlyInAFewRounds(int rank, int world) throws Exception {
        int rows = 30;
        int columns = 20;
        var random = new SplittableRandom(rank);
        double[][] exact = Dense.product(Dense.normal(rows, rank, random), Dense.normal(rank, columns, random));
        float[] gradient = new float[rows * columns];
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] = (float) exact[i / columns][i % columns];
        }
        start(world, rank);
        double error = 1;
        for (int step = 0; step < 3; step++) {
            float[] mean =
                    step(IntStream.range(0, world).mapToObj(_ -> gradient).toList(), rows, columns);
            error = distance(mean, gradient) / distance(new float[gradient.length], gradient);
        }
        assertTrue(error < 1e-5, "relative error " + error);
    }

    @Test
    void aWarmStartFindsTheMainDirectionsOfNoise() throws Exception {
        int rows = 40;
        int columns = 40;
        var random = new SplittableRandom(8);
        double[][] exact = Dense.product(Dense.normal(rows, 2, random), Dense.normal(2, columns, random));
        double cold = 0;
        double warm = 0;
        start(1, 2);
        PowerSgd going = members.getFirst();
        for (int step = 0; step < 12; step++) {
            float[] noisy = new float[rows * columns];
            float[] clean = new float[rows * columns];
            for (int i = 0; i < noisy.length; i++) {
                clean[i] = (float) exact[i / columns][i % columns];
                noisy[i] = (float) (clean[i] + 0.1 * random.nextGaussian());
            }
            warm += distance(step(List.of(noisy), rows, columns), clean);
            try (var fresh = new PowerSgd(2, step, 1)) {
                members.set(0, fresh);
                cold += distance(step(List.of(noisy), rows, columns), clean);
            }
            members.set(0, going);
        }
        assertTrue(warm < cold, warm + " warm, " + cold + " cold");
    }

    @Test
    void overTimeNothingIsLost() throws Exception {
        int rows = 12;
        int columns = 10;
        int world = 3;
        var random = new SplittableRandom(5);
        start(world, 1);
        double[] wanted = new double[rows * columns];
        double[] got = new double[rows * columns];
        for (int step = 0; step < 300; step++) {
            List<float[]> gradients = gradients(world, rows * columns, random);
            float[] mean = step(gradients, rows, columns);
            for (int i = 0; i < mean.length; i++) {
                got[i] += mean[i];
                for (float[] gradient : gradients) {
                    wanted[i] += gradient[i] / (double) world;
                }
            }
        }
        for (int i = 0; i < got.length; i++) {
            double owed = 0;
            for (PowerSgd member : members) {
                owed += member.remembered(KEY)[i] / (double) world;
            }
            assertEquals(wanted[i], got[i] + owed, 1e-3, "value " + i);
        }
    }

    @Test
    void zerosAndDependentColumnsDoNoHarmAndDoNotStick() throws Exception {
        start(1, 3);
        float[] zeros = new float[6 * 5];
        assertArrayEquals(zeros, step(List.of(zeros), 6, 5));
        float[] rankOne = new float[6 * 5];
        for (int i = 0; i < rankOne.length; i++) {
            rankOne[i] = (i / 5 + 1) * (i % 5 - 1.5f);
        }
        assertTrue(distance(step(List.of(rankOne), 6, 5), rankOne) < 1e-3);
        assertTrue(distance(step(List.of(rankOne), 6, 5), rankOne) < 1e-3);
        float[] full = gradients(1, 30, new SplittableRandom(1)).getFirst();
        for (int step = 0; step < 3; step++) {
            float[] mean = step(List.of(full), 6, 5);
            for (float value : mean) {
                assertTrue(Float.isFinite(value));
            }
        }
        float[] right = members.getFirst().remembered(KEY);
        for (int k = 0; k < 3; k++) {
            double norm = 0;
            for (int at = 30 + k; at < right.length; at += 3) {
                norm += Math.abs(right[at]);
            }
            assertTrue(norm > 0.01, "column " + k + " came back to life");
        }
    }

    @Test
    void aRoundThatIsGivenUpIsRepeatedBitForBit() throws Exception {
        start(1, 2);
        var random = new SplittableRandom(4);
        step(gradients(1, 30, random), 5, 6);
        float[] before = members.getFirst().remembered(KEY);
        List<float[]> gradients = gradients(1, 30, random);
        Round given = begin(gradients, 5, 6).getFirst();
        float[] left = floats(given.left());
        given.leftSummed(1);
        given.rightSummed(1);
        float[] mean = approximation(given, 30);
        given.rollback();
        assertArrayEquals(before, members.getFirst().remembered(KEY));
        Round again = begin(gradients, 5, 6).getFirst();
        assertArrayEquals(left, floats(again.left()));
        again.rollback();
        assertArrayEquals(mean, step(gradients, 5, 6));
    }

    @Test
    void callsOutOfOrderAreRefused() throws Exception {
        start(1, 2);
        MemorySegment gradient = arena.allocate(Float32.FLOAT, 30);
        Round round = members.getFirst().begin(KEY, gradient, 5, 6);
        assertThrows(IllegalStateException.class, () -> members.getFirst().begin(KEY, gradient, 5, 6));
        assertThrows(IllegalStateException.class, () -> members.getFirst().forget(KEY));
        assertThrows(IllegalStateException.class, round::right);
        assertThrows(IllegalStateException.class, round::commit);
        assertThrows(IllegalStateException.class, () -> round.rightSummed(1));
        assertThrows(IllegalArgumentException.class, () -> round.leftSummed(0));
        round.leftSummed(1);
        assertThrows(IllegalStateException.class, round::left);
        assertThrows(IllegalStateException.class, () -> round.approximation(gradient));
        round.rightSummed(1);
        assertThrows(IllegalArgumentException.class, () -> round.approximation(arena.allocate(8)));
        round.commit();
        assertThrows(IllegalStateException.class, round::rollback);
        assertThrows(IllegalStateException.class, round::commit);
        assertThrows(IllegalArgumentException.class, () -> members.getFirst().begin(KEY, gradient, 0, 6));
        assertThrows(IllegalArgumentException.class, () -> members.getFirst().begin(KEY, gradient, 7, 6));
        assertThrows(IllegalArgumentException.class, () -> new PowerSgd(0, 0, 1));
    }

    @Test
    void whatIsNotFiniteIsNamedWhereverItComesIn() throws Exception {
        start(1, 1);
        step(gradients(1, 6, new SplittableRandom(1)), 2, 3);
        float[] before = members.getFirst().remembered(KEY);
        MemorySegment gradient = arena.allocateFrom(Float32.FLOAT, 1, 2, Float.NaN, 4, 5, 6);
        var refusal =
                assertThrows(NonFiniteException.class, () -> members.getFirst().begin(KEY, gradient, 2, 3));
        assertEquals(2, refusal.index());
        gradient.setAtIndex(Float32.FLOAT, 2, 3);
        Round round = members.getFirst().begin(KEY, gradient, 2, 3);
        round.left().setAtIndex(Float32.FLOAT, 1, Float.POSITIVE_INFINITY);
        assertThrows(NonFiniteException.class, () -> round.leftSummed(1));
        assertThrows(IllegalStateException.class, () -> round.leftSummed(1));
        round.rollback();
        assertArrayEquals(before, members.getFirst().remembered(KEY));
    }

    @Test
    void aRestoredMemoryGoesOnBitForBit() throws Exception {
        start(2, 2);
        var random = new SplittableRandom(6);
        step(gradients(2, 30, random), 5, 6);
        PowerSgd original = members.get(0);
        MemorySegment saved = arena.allocate(original.savedBytes());
        original.save(saved);
        PowerSgd restored = members.get(1);
        restored.restore(saved);
        assertArrayEquals(original.remembered(KEY), restored.remembered(KEY));
        float[] gradient = gradients(1, 30, random).getFirst();
        step(List.of(gradient, gradient), 5, 6);
        assertArrayEquals(original.remembered(KEY), restored.remembered(KEY));
    }

    private float[] sum = new float[0];

    private void start(int world, int rank) {
        for (int member = 0; member < world; member++) {
            members.add(new PowerSgd(rank, 77, 1));
        }
    }

    private float[] step(List<float[]> gradients, int rows, int columns) throws Exception {
        List<Round> rounds = begin(gradients, rows, columns);
        sumLeft(rounds);
        rounds.forEach(round -> unchecked(() -> round.leftSummed(rounds.size())));
        sumRight(rounds);
        rounds.forEach(round -> unchecked(() -> round.rightSummed(rounds.size())));
        float[] mean = approximation(rounds.getFirst(), rows * columns);
        rounds.forEach(Round::commit);
        return mean;
    }

    private List<Round> begin(List<float[]> gradients, int rows, int columns) throws NonFiniteException {
        var rounds = new ArrayList<Round>();
        for (int member = 0; member < gradients.size(); member++) {
            MemorySegment gradient = arena.allocateFrom(Float32.FLOAT, gradients.get(member));
            rounds.add(members.get(member).begin(KEY, gradient, rows, columns));
        }
        return rounds;
    }

    private void sumLeft(List<Round> rounds) {
        share(rounds.stream().map(Round::left).toList());
    }

    private void sumRight(List<Round> rounds) {
        share(rounds.stream().map(Round::right).toList());
    }

    private void share(List<MemorySegment> factors) {
        sum = new float[(int) (factors.getFirst().byteSize() / Float.BYTES)];
        for (MemorySegment factor : factors) {
            float[] values = floats(factor);
            for (int i = 0; i < sum.length; i++) {
                sum[i] += values[i];
            }
        }
        for (MemorySegment factor : factors) {
            MemorySegment.copy(sum, 0, factor, Float32.FLOAT, 0, sum.length);
        }
    }

    private float[] approximation(Round round, int count) {
        MemorySegment mean = arena.allocate(Float32.FLOAT, count);
        round.approximation(mean);
        return floats(mean);
    }

    private static double[][] withOwed(PowerSgd member, float[] gradient, int rows, int columns) {
        float[] owed = member.remembered(KEY);
        float[] all = gradient.clone();
        for (int i = 0; i < all.length && owed.length > 0; i++) {
            all[i] += owed[i];
        }
        return Dense.matrix(all, rows, columns);
    }

    private static List<float[]> gradients(int world, int count, SplittableRandom random) {
        var gradients = new ArrayList<float[]>();
        for (int member = 0; member < world; member++) {
            float[] gradient = new float[count];
            for (int i = 0; i < count; i++) {
                gradient[i] = (float) random.nextGaussian();
            }
            gradients.add(gradient);
        }
        return gradients;
    }

    private static float[] floats(MemorySegment memory) {
        return memory.toArray(Float32.FLOAT);
    }

    private static double distance(float[] one, float[] other) {
        double squares = 0;
        for (int i = 0; i < one.length; i++) {
            squares += ((double) one[i] - other[i]) * ((double) one[i] - other[i]);
        }
        return Math.sqrt(squares);
    }

    private interface Summed {
        void run() throws NonFiniteException;
    }

    private static void unchecked(Summed call) {
        try {
            call.run();
        } catch (NonFiniteException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
