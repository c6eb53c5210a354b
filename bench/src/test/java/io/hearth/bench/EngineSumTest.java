package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.HearthException;
import io.hearth.examples.Mlp.Matrix;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes of one process that average their gradients as a script does. The tests of the engine cover the values of each codec. */
final class EngineSumTest {
    /** Matrices of 23 x 31 and 7 x 5, with single values before, between and after them: 748 + 8 values. */
    private static final List<Matrix> MATRICES = List.of(new Matrix(3, 23, 31), new Matrix(718, 7, 5));

    private static final int COUNT = 756;

    private static EngineSum sum(String codec, int nodes) throws Exception {
        return new EngineSum(ConvergenceCodec.parseList(codec).getFirst(), nodes, MATRICES, COUNT);
    }

    private static float[][] gradients(int nodes, long seed) {
        return gradients(nodes, COUNT, seed);
    }

    private static float[][] gradients(int nodes, int count, long seed) {
        var random = new SplittableRandom(seed);
        float[][] gradients = new float[nodes][count];
        for (float[] gradient : gradients) {
            for (int i = 0; i < count; i++) {
                gradient[i] = (float) random.nextGaussian();
            }
        }
        return gradients;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void withoutCompressionTheMeanIsExact(int nodes) throws Exception {
        float[][] gradients = gradients(nodes, 5);
        float[][] given = Arrays.stream(gradients).map(float[]::clone).toArray(float[][]::new);
        try (EngineSum sum = sum("none", nodes)) {
            sum.mean(gradients);
        }
        for (int i = 0; i < COUNT; i++) {
            double all = 0;
            for (float[] each : given) {
                all += each[i];
            }
            assertEquals(all / nodes, gradients[0][i], 1e-6, "value " + i);
        }
        assertArrayEquals(gradients[0], gradients[nodes - 1]);
    }

    /** A matrix of rank one is exact if the codec knows its shape. Values with one dimension are always exact. */
    @Test
    void partsHaveTheShapesOfTheModel() throws Exception {
        var random = new SplittableRandom(3);
        float[] gradient = gradients(1, 9)[0];
        for (Matrix matrix : MATRICES) {
            float[] row = new float[matrix.columns()];
            for (int column = 0; column < row.length; column++) {
                row[column] = (float) random.nextGaussian();
            }
            for (int at = 0; at < matrix.rows() * row.length; at++) {
                gradient[matrix.first() + at] = (1 + at / row.length) * row[at % row.length];
            }
        }
        float[][] gradients = {gradient.clone(), gradient.clone(), gradient.clone()};
        try (EngineSum sum = sum("powersgd:1", 3)) {
            sum.mean(gradients);
        }
        assertArrayEquals(gradient, gradients[1], 1e-3f);
    }

    @ParameterizedTest
    @CsvSource({"none, 0.95, 1", "int8, 3.5, 3.77", "topk:0.05, 12, 16", "'rules:none@1d/int8', 3, 3.7"})
    void whatTheBusiestNodeSentIsCounted(String codec, double least, double most) throws Exception {
        var matrix = new Matrix(0, 400, 300);
        int count = 400 * 300 + 800;
        try (var sum = new EngineSum(ConvergenceCodec.parseList(codec).getFirst(), 4, List.of(matrix), count)) {
            for (int step = 0; step < 5; step++) {
                sum.mean(gradients(4, count, step));
            }
            assertTrue(sum.sentRatio() >= least && sum.sentRatio() <= most, codec + ": " + sum.sentRatio());
        }
    }

    /** Random draws and the order of additions depend on the calls only. */
    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"none", "int8", "topk:0.05", "randomk:0.1", "dgc:0.05", "powersgd:2"})
    void theSameGradientsHaveTheSameMeansInEveryRun(String codec) throws Exception {
        float[][] before = new float[0][];
        for (int run = 0; run < 2; run++) {
            float[][] last = new float[0][];
            try (EngineSum sum = sum(codec, 3)) {
                for (int step = 0; step < 3; step++) {
                    last = gradients(3, step);
                    sum.mean(last);
                    assertArrayEquals(last[0], last[2]);
                }
            }
            if (run == 1) {
                assertArrayEquals(before[1], last[1]);
            }
            before = last;
        }
    }

    @Test
    void whatCannotBeCarriedEndsInOneError() throws Exception {
        float[][] gradients = gradients(3, 1);
        gradients[1][400] = Float.NaN;
        try (EngineSum sum = sum("int8", 3)) {
            String said = String.valueOf(assertThrows(HearthException.class, () -> sum.mean(gradients))
                    .getMessage());
            assertTrue(said.contains("NaN"), said);
        }
    }
}
