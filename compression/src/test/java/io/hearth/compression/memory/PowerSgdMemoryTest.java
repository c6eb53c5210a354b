package io.hearth.compression.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.NonFiniteException;
import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PowerSgdMemoryTest {
    private static final String KEY = "layer";

    private final Arena arena = Arena.ofConfined();
    private final List<PowerSgdMemory> members = new ArrayList<>();

    @AfterEach
    void free() {
        members.forEach(PowerSgdMemory::close);
        arena.close();
    }

    /** Compares every step with dense matrices in double, computed by the definition from the same sums. */
    @ParameterizedTest
    @CsvSource({"1,1,1,1", "7,5,2,1", "5,7,2,3", "13,11,4,2", "3,17,8,3", "1,9,2,2", "40,30,3,4"})
    void aRoundIsWhatItsDefinitionSays(int rows, int columns, int rank, int world) throws Exception {
        var random = new SplittableRandom(rows * 31L + columns);
        start(world, rank);
        for (int step = 0; step < 4; step++) {
            List<float[]> gradients = gradients(world, rows * columns, random);
            List<double[][]> matrices = new ArrayList<>();
            for (int rank0 = 0; rank0 < world; rank0++) {
                matrices.add(withResidual(members.get(rank0), gradients.get(rank0), rows, columns));
            }
            List<PowerRound> rounds = begin(gradients, rows, columns);
            int width = (int) (rounds.getFirst().left().byteSize() / Float.BYTES / rows);
            assertEquals(Math.min(rank, Math.min(rows, columns)), width);
            sumLeft(rounds);
            double[][] left = Dense.matrix(sum, rows, width);
            Dense.orthonormalise(left, world);
            rounds.forEach(round -> unchecked(() -> round.leftSummed(world)));
            for (int member = 0; member < world; member++) {
                double[][] own = Dense.product(Dense.transposed(matrices.get(member)), left);
                Dense.assertClose(
                        Dense.transposed(own),
                        Dense.matrix(floats(rounds.get(member).right()), width, columns),
                        1e-3);
            }
            sumRight(rounds);
            double[][] right = Dense.matrix(sum, width, columns);
            Dense.scale(right, 1.0 / world);
            rounds.forEach(round -> unchecked(() -> round.rightSummed(world)));
            double[][] expected = Dense.product(left, right);
            float[] first = delivered(rounds.getFirst(), rows * columns);
            Dense.assertClose(expected, Dense.matrix(first, rows, columns), 1e-3);
            for (PowerRound round : rounds.subList(1, world)) {
                assertArrayEquals(first, delivered(round, rows * columns), "all have the same bits");
            }
            rounds.forEach(PowerRound::commit);
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
        PowerSgdMemory going = members.getFirst();
        for (int step = 0; step < 12; step++) {
            float[] noisy = new float[rows * columns];
            float[] clean = new float[rows * columns];
            for (int i = 0; i < noisy.length; i++) {
                clean[i] = (float) exact[i / columns][i % columns];
                noisy[i] = (float) (clean[i] + 0.1 * random.nextGaussian());
            }
            warm += distance(step(List.of(noisy), rows, columns), clean);
            try (var fresh = Memories.powerSgd(2, step, 1)) {
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
            double residual = 0;
            for (PowerSgdMemory member : members) {
                residual += member.remembered(KEY)[i] / (double) world;
            }
            assertEquals(wanted[i], got[i] + residual, 1e-3, "value " + i);
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
            for (int at = 30 + 5 * k; at < 30 + 5 * (k + 1); at++) {
                norm += Math.abs(right[at]);
            }
            assertTrue(norm > 0.01, "line " + k + " came back to life");
        }
    }

    @Test
    void aRoundThatIsGivenUpIsRepeatedBitForBit() throws Exception {
        start(1, 2);
        var random = new SplittableRandom(4);
        step(gradients(1, 30, random), 5, 6);
        float[] before = members.getFirst().remembered(KEY);
        List<float[]> gradients = gradients(1, 30, random);
        PowerRound given = begin(gradients, 5, 6).getFirst();
        float[] left = floats(given.left());
        given.leftSummed(1);
        float[] right = floats(given.right());
        given.rightSummed(1);
        given.rollback();
        assertArrayEquals(before, members.getFirst().remembered(KEY));
        PowerRound again = begin(gradients, 5, 6).getFirst();
        assertArrayEquals(left, floats(again.left()));
        again.leftSummed(1);
        assertArrayEquals(right, floats(again.right()));
        again.rightSummed(1);
        again.commit();
        assertFalse(Arrays.equals(before, members.getFirst().remembered(KEY)));
    }

    @Test
    void whatIsOwedIsTheSameDeliveredOrNotAndOverTheGradientToo() throws Exception {
        start(3, 2);
        var random = new SplittableRandom(4);
        List<float[]> gradients = gradients(1, 30, random);
        List<PowerRound> rounds =
                begin(List.of(gradients.getFirst(), gradients.getFirst(), gradients.getFirst()), 5, 6);
        MemorySegment apart = arena.allocate(Float32.FLOAT, 30);
        MemorySegment gradient = arena.allocateFrom(Float32.FLOAT, gradients.getFirst());
        rounds.get(2).rollback();
        rounds.set(2, members.get(2).begin(KEY, gradient, 30, 6));
        for (PowerRound round : rounds) {
            round.leftSummed(1);
            round.rightSummed(1);
        }
        rounds.get(1).deliver(apart);
        rounds.get(2).deliver(gradient);
        rounds.forEach(PowerRound::commit);
        assertArrayEquals(floats(apart), floats(gradient));
        assertArrayEquals(members.get(0).remembered(KEY), members.get(1).remembered(KEY));
        assertArrayEquals(members.get(0).remembered(KEY), members.get(2).remembered(KEY));
    }

    @Test
    void ofWhatWasDeliveredAndGivenUpNothingIsOwed() throws Exception {
        start(1, 1);
        PowerRound round =
                begin(gradients(1, 30, new SplittableRandom(2)), 5, 6).getFirst();
        round.leftSummed(1);
        round.rightSummed(1);
        round.deliver(arena.allocate(Float32.FLOAT, 30));
        round.rollback();
        for (float residual : members.getFirst().remembered(KEY)) {
            assertEquals(0, residual);
        }
    }

    @Test
    void theLastRowMayBeCutShort() throws Exception {
        float[] gradient = gradients(1, 28, new SplittableRandom(3)).getFirst();
        start(2, 2);
        PowerRound cut = members.get(0).begin(KEY, arena.allocateFrom(Float32.FLOAT, gradient), 28, 6);
        PowerRound padded =
                members.get(1).begin(KEY, arena.allocateFrom(Float32.FLOAT, Arrays.copyOf(gradient, 30)), 30, 6);
        for (PowerRound round : List.of(cut, padded)) {
            round.leftSummed(1);
            round.rightSummed(1);
        }
        assertArrayEquals(Arrays.copyOf(delivered(padded, 30), 28), delivered(cut, 28), 1e-6f);
    }

    @Test
    void whatGoesAsItIsTakesAllThatIsOwedAlong() throws Exception {
        start(1, 1);
        float[] gradient = gradients(1, 30, new SplittableRandom(2)).getFirst();
        step(List.of(gradient), 5, 6);
        float[] before = members.getFirst().remembered(KEY);
        MemorySegment values = arena.allocate(Float32.FLOAT, 30);
        MemorySegment memory = arena.allocateFrom(Float32.FLOAT, gradient);
        members.getFirst().prepareDense(KEY, memory, 30, 6, values).rollback();
        assertArrayEquals(before, members.getFirst().remembered(KEY));
        members.getFirst().prepareDense(KEY, memory, 30, 6, values).commit();
        float[] after = members.getFirst().remembered(KEY);
        for (int i = 0; i < 30; i++) {
            assertEquals(gradient[i] + before[i], values.getAtIndex(Float32.FLOAT, i));
            assertEquals(0, after[i]);
        }
        assertArrayEquals(Arrays.copyOfRange(before, 30, 36), Arrays.copyOfRange(after, 30, 36));
    }

    /** All values are finite and their products are not: the message says so, and names the largest value. */
    @Test
    void aProductThatOverflowsNamesTheTrueCause() {
        start(1, 1);
        float[] large = new float[30];
        Arrays.fill(large, 1e37f);
        large[17] = -3e38f;
        var refusal = assertThrows(NonFiniteException.class, () -> {
            for (int step = 0; step < 3; step++) {
                step(List.of(large), 5, 6);
            }
        });
        assertTrue(String.valueOf(refusal.getMessage()).contains("too large for 'powersgd'"), refusal.getMessage());
    }

    /** Columns that nearly depend on one another: one pass of Gram-Schmidt in float32 leaves them 2 % from orthogonal. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 1e-7, 1e-5, 1e-3, 1})
    void columnsAreOrthonormalHoweverDependentTheyWere(double noise) {
        var random = new SplittableRandom(9);
        int rows = 64;
        int width = 4;
        float[] values = new float[rows * width];
        for (int row = 0; row < rows; row++) {
            double direction = random.nextGaussian();
            for (int k = 0; k < width; k++) {
                values[row * width + k] = (float) ((k + 1) * direction + noise * random.nextGaussian());
            }
        }
        GramSchmidt.orthonormalise(values, width);
        for (int one = 0; one < width; one++) {
            for (int other = 0; other <= one; other++) {
                double dot = 0;
                for (int row = 0; row < rows; row++) {
                    dot += (double) values[row * width + one] * values[row * width + other];
                }
                boolean isDropped = one == other && dot == 0 && noise < 1e-4;
                assertEquals(one == other && !isDropped ? 1 : 0, dot, 1e-6, one + " and " + other);
            }
        }
    }

    @Test
    void aMatrixOfLowerRankIsExact() throws Exception {
        start(1, 4);
        float[] rankOne = new float[64 * 64];
        var random = new SplittableRandom(3);
        double[] left = random.doubles(64, -1, 1).toArray();
        double[] right = random.doubles(64, -1, 1).toArray();
        for (int i = 0; i < rankOne.length; i++) {
            rankOne[i] = (float) (left[i / 64] * right[i % 64]);
        }
        float[] mean = step(List.of(rankOne), 64, 64);
        double error = distance(mean, rankOne) / distance(new float[rankOne.length], rankOne);
        assertTrue(error < 1e-6, "relative error " + error);
    }

    @Test
    void callsOutOfOrderAreRefused() throws Exception {
        start(1, 2);
        MemorySegment gradient = arena.allocate(Float32.FLOAT, 30);
        PowerRound round = members.getFirst().begin(KEY, gradient, 30, 6);
        assertThrows(IllegalStateException.class, () -> members.getFirst().begin(KEY, gradient, 30, 6));
        assertThrows(IllegalStateException.class, () -> members.getFirst().forget(KEY));
        assertThrows(IllegalStateException.class, round::right);
        assertThrows(IllegalStateException.class, round::commit);
        assertThrows(IllegalStateException.class, () -> round.rightSummed(1));
        assertThrows(IllegalArgumentException.class, () -> round.leftSummed(0));
        round.leftSummed(1);
        assertThrows(IllegalStateException.class, round::left);
        assertThrows(IllegalStateException.class, () -> round.deliver(gradient));
        round.rightSummed(1);
        assertThrows(IllegalArgumentException.class, () -> round.deliver(arena.allocate(8)));
        round.commit();
        assertThrows(IllegalStateException.class, round::rollback);
        assertThrows(IllegalStateException.class, round::commit);
        assertThrows(IllegalArgumentException.class, () -> members.getFirst().begin(KEY, gradient, 0, 6));
        assertThrows(IllegalArgumentException.class, () -> members.getFirst().begin(KEY, gradient, 42, 6));
        assertThrows(IllegalArgumentException.class, () -> Memories.powerSgd(0, 0, 1));
    }

    @Test
    void whatIsNotFiniteIsNamedWhereverItComesIn() throws Exception {
        start(1, 1);
        step(gradients(1, 6, new SplittableRandom(1)), 2, 3);
        float[] before = members.getFirst().remembered(KEY);
        MemorySegment gradient = arena.allocateFrom(Float32.FLOAT, 1, 2, Float.NaN, 4, 5, 6);
        var refusal =
                assertThrows(NonFiniteException.class, () -> members.getFirst().begin(KEY, gradient, 6, 3));
        assertEquals(2, refusal.index());
        gradient.setAtIndex(Float32.FLOAT, 2, 3);
        PowerRound round = members.getFirst().begin(KEY, gradient, 6, 3);
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
        PowerSgdMemory original = members.get(0);
        MemorySegment saved = arena.allocate(original.savedBytes());
        original.save(saved);
        PowerSgdMemory restored = members.get(1);
        restored.restore(saved);
        assertArrayEquals(original.remembered(KEY), restored.remembered(KEY));
        float[] gradient = gradients(1, 30, random).getFirst();
        step(List.of(gradient, gradient), 5, 6);
        assertArrayEquals(original.remembered(KEY), restored.remembered(KEY));
    }

    private float[] sum = new float[0];

    private void start(int world, int rank) {
        for (int member = 0; member < world; member++) {
            members.add(Memories.powerSgd(rank, 77, 1));
        }
    }

    private float[] step(List<float[]> gradients, int rows, int columns) throws Exception {
        List<PowerRound> rounds = begin(gradients, rows, columns);
        sumLeft(rounds);
        rounds.forEach(round -> unchecked(() -> round.leftSummed(rounds.size())));
        sumRight(rounds);
        rounds.forEach(round -> unchecked(() -> round.rightSummed(rounds.size())));
        float[] mean = delivered(rounds.getFirst(), rows * columns);
        rounds.forEach(PowerRound::commit);
        return mean;
    }

    private List<PowerRound> begin(List<float[]> gradients, int rows, int columns) throws NonFiniteException {
        var rounds = new ArrayList<PowerRound>();
        for (int member = 0; member < gradients.size(); member++) {
            MemorySegment gradient = arena.allocateFrom(Float32.FLOAT, gradients.get(member));
            rounds.add(members.get(member).begin(KEY, gradient, (long) rows * columns, columns));
        }
        return rounds;
    }

    private void sumLeft(List<PowerRound> rounds) {
        share(rounds.stream().map(PowerRound::left).toList());
    }

    private void sumRight(List<PowerRound> rounds) {
        share(rounds.stream().map(PowerRound::right).toList());
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

    private float[] delivered(PowerRound round, int count) {
        MemorySegment mean = arena.allocate(Float32.FLOAT, count);
        round.deliver(mean);
        return floats(mean);
    }

    private static double[][] withResidual(PowerSgdMemory member, float[] gradient, int rows, int columns) {
        float[] residual = member.remembered(KEY);
        float[] all = gradient.clone();
        for (int i = 0; i < all.length && residual.length > 0; i++) {
            all[i] += residual[i];
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
