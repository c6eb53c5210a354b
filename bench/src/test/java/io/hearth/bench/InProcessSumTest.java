package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.GradientCompressor;
import io.hearth.compression.NonFiniteException;
import io.hearth.examples.Mlp.Matrix;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class InProcessSumTest {
    private static final int HEADER = 16;

    /** 23 x 31 and 7 x 5 with plain values before, between and behind: 748 + 8 values, with shares of odd sizes. */
    private static final List<Matrix> MATRICES = List.of(new Matrix(3, 23, 31), new Matrix(718, 7, 5));

    private static final int COUNT = 756;

    private static InProcessSum sum(String codec, int nodes) {
        return new InProcessSum(ConvergenceCodec.parseList(codec).getFirst(), nodes, MATRICES, COUNT);
    }

    private static float[][] gradients(int nodes, long seed) {
        var random = new SplittableRandom(seed);
        float[][] gradients = new float[nodes][COUNT];
        for (float[] gradient : gradients) {
            for (int i = 0; i < COUNT; i++) {
                gradient[i] = (float) random.nextGaussian();
            }
        }
        return gradients;
    }

    private static float[] mean(float[][] gradients) {
        float[] mean = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            float sum = gradients[0][i];
            for (int node = 1; node < gradients.length; node++) {
                sum += gradients[node][i];
            }
            mean[i] = sum / gradients.length;
        }
        return mean;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "none",
                "fp16",
                "bf16",
                "int8",
                "fp16",
                "int8:64,rounding=stochastic",
                "int8,nonfinite=dense",
                "int4",
                "int4:8,residual=none",
                "topk:0.05",
                "topk:0.05,residual=none",
                "topk:0.05,nonfinite=dense",
                "randomk:0.1",
                "randomk:0.1,residual=none",
                "dgc:0.01",
                "dgc:0.01,momentum=0.5,warmup=2,clip=1",
                "powersgd:1",
                "powersgd:3"
            })
    void allNodesEndWithTheSameBitsAndTheSameRunGivesThemAgain(String codec) throws Exception {
        for (int nodes = 1; nodes <= 5; nodes++) {
            try (InProcessSum one = sum(codec, nodes);
                    InProcessSum again = sum(codec, nodes)) {
                for (int step = 0; step < 5; step++) {
                    float[][] seen = gradients(nodes, step);
                    float[][] repeated = gradients(nodes, step);
                    one.mean(seen);
                    again.mean(repeated);
                    for (int node = 0; node < nodes; node++) {
                        assertArrayEquals(seen[0], seen[node], 0, codec + ", node " + node + " of " + nodes);
                        assertArrayEquals(seen[node], repeated[node], 0);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7})
    void withoutCompressionItIsTheMeanInRankOrder(int nodes) throws Exception {
        try (InProcessSum sum = sum("none", nodes)) {
            float[][] gradients = gradients(nodes, 1);
            float[] expected = mean(gradients);
            sum.mean(gradients);
            assertArrayEquals(expected, gradients[0], 0);
        }
    }

    /** Each node's own encoding, decoded and added, through the API that users have. */
    @Test
    void aSparseSumIsTheSumOfWhatEachNodeSends() throws Exception {
        var alone = new GradientCompressor(CompressionStrategy.parse("topk:0.05"));
        float[][] gradients = gradients(4, 9);
        float[][] sent = new float[4][];
        for (int node = 0; node < 4; node++) {
            sent[node] = alone.decompress(alone.compress(gradients[node]), COUNT);
        }
        try (InProcessSum sum = sum("topk:0.05,residual=none", 4)) {
            sum.mean(gradients);
            assertArrayEquals(mean(sent), gradients[2], 0);
        }
    }

    /** Contributors and owners round once each, whatever the number of nodes. */
    @Test
    void aQuantisedSumIsOffByTwoRoundings() throws Exception {
        for (int nodes = 2; nodes <= 8; nodes *= 2) {
            try (InProcessSum sum = sum("int8", nodes)) {
                float[][] gradients = gradients(nodes, nodes);
                float[] expected = mean(gradients);
                sum.mean(gradients);
                for (int i = 0; i < COUNT; i++) {
                    assertEquals(expected[i], gradients[0][i], 2 * 0.5 * 5 / 127, "value " + i);
                }
            }
        }
    }

    /** What one step leaves out comes in a later one, unless the nodes forget it. */
    @ParameterizedTest
    @CsvSource({
        "topk:0.05, 0, 0.15",
        "'topk:0.05,residual=none', 0.3, 1",
        "randomk:0.1, 0, 0.15",
        "'randomk:0.1,residual=none', 0.3, 1",
        "int4, 0, 0.05",
        "'dgc:0.05,momentum=0', 0, 0.15",
        "powersgd:2, 0, 0.15"
    })
    void whatErrorFeedbackKeepsBackComesLater(String codec, double lostMin, double lostMax) throws Exception {
        double lost = lostPerStep(codec, 200);
        assertTrue(lost >= lostMin && lost <= lostMax, codec + " loses " + lost);
    }

    /** Root mean square of what is missing of the sum of all means, for each step; the gradient's own is about 0.5. */
    private static double lostPerStep(String codec, int steps) throws Exception {
        double[] missing = new double[COUNT];
        try (InProcessSum sum = sum(codec, 4)) {
            for (int step = 0; step < steps; step++) {
                float[][] gradients = gradients(4, 5);
                float[] exact = mean(gradients);
                sum.mean(gradients);
                for (int i = 0; i < COUNT; i++) {
                    missing[i] += exact[i] - gradients[0][i];
                }
            }
        }
        double squares = 0;
        for (double value : missing) {
            squares += value * value;
        }
        return Math.sqrt(squares / COUNT) / steps;
    }

    /** A clip is for the sum, so each of four nodes gets half of it. */
    @Test
    void momentumsMemoryKnowsHowManyNodesThereAre() throws Exception {
        float[][] gradients = gradients(4, 6);
        float[][] clipped = gradients(4, 6);
        for (float[] gradient : clipped) {
            double squares = 0;
            for (float value : gradient) {
                squares += (double) value * value;
            }
            for (int i = 0; i < COUNT; i++) {
                gradient[i] *= (float) (3 / Math.sqrt(squares));
            }
        }
        try (InProcessSum sum = sum("dgc:1,momentum=0,clip=6,bits=32", 4)) {
            sum.mean(gradients);
            assertArrayEquals(mean(clipped), gradients[0], 1e-6f);
        }
    }

    @Test
    void lowRankLeavesWhatHasThatRankAndWhatIsNoMatrix() throws Exception {
        float[][] gradients = gradients(3, 2);
        for (Matrix matrix : MATRICES) {
            for (float[] gradient : gradients) {
                for (int i = 0; i < matrix.rows() * matrix.columns(); i++) {
                    gradient[matrix.first() + i] =
                            gradient[0] * (1 + i / matrix.columns()) * (i % matrix.columns() - 2);
                }
            }
        }
        float[] expected = mean(gradients);
        try (InProcessSum sum = sum("powersgd:1", 3)) {
            sum.mean(gradients);
        }
        for (int i = 0; i < COUNT; i++) {
            boolean plain = i < 3 || (i >= 716 && i < 718) || i >= 753;
            assertEquals(expected[i], gradients[1][i], plain ? 0 : 1e-3 * Math.abs(expected[i]) + 1e-4, "value " + i);
        }
    }

    @Test
    void theBytesOfASharedSumAreThoseOfItsParts() throws Exception {
        try (InProcessSum sum = sum("none", 4)) {
            sum.mean(gradients(4, 1));
            sum.mean(gradients(4, 2));
            double vector = COUNT * 4.0;
            assertEquals(vector / (vector + 4 * HEADER), sum.traffic().uploadedRatio(), 1e-12);
            assertEquals(
                    1.5 * vector / (1.5 * (vector + 4 * HEADER)), sum.traffic().busiestLinkRatio(), 1e-12);
        }
        try (InProcessSum sum = sum("int8:8", 4)) { // 95 blocks: 23, 24, 24 and 24, the last one of 4 values
            sum.mean(gradients(4, 1));
            double body = COUNT + 95 * 4.0;
            assertEquals(COUNT * 4 / (body + 4 * HEADER), sum.traffic().uploadedRatio(), 1e-12);
            // An owner of 24 blocks sends that sum to three others, and the rest of its own gradient.
            double busiest = 3 * (24 * 12.0 + HEADER) + body - 24 * 12 + 3 * HEADER;
            assertEquals(1.5 * COUNT * 4 / busiest, sum.traffic().busiestLinkRatio(), 1e-12);
        }
    }

    @Test
    void theBytesOfAGatheredSumAreAllEncodingsAndTheirLengths() throws Exception {
        var alone = new GradientCompressor(CompressionStrategy.parse("topk:0.05"));
        float[][] gradients = gradients(4, 9);
        double[] bytes = new double[4];
        double all = 0;
        for (int node = 0; node < 4; node++) {
            bytes[node] = alone.compress(gradients[node]).length;
            all += bytes[node];
        }
        try (InProcessSum sum = sum("topk:0.05,residual=none", 4)) {
            sum.mean(gradients);
            assertEquals(4 * COUNT * 4 / all, sum.traffic().uploadedRatio(), 1e-12);
            double least = Math.min(Math.min(bytes[0], bytes[1]), Math.min(bytes[2], bytes[3]));
            assertEquals(1.5 * COUNT * 4 / (all - least + 3 * 8), sum.traffic().busiestLinkRatio(), 1e-12);
        }
    }

    /** All encodings together are longer than what a plain ring moves: it is one, after the lengths. */
    @Test
    void encodingsThatWouldNotPayGoPlain() throws Exception {
        float[][] gradients = gradients(4, 3);
        float[] expected = mean(gradients);
        try (InProcessSum sum = sum("topk:1,bits=32,residual=none", 4)) {
            sum.mean(gradients);
            assertArrayEquals(expected, gradients[3], 0);
            double ring = 1.5 * COUNT * 4;
            assertEquals(1, sum.traffic().uploadedRatio(), 1e-12);
            assertEquals(ring / (ring + 3 * 8), sum.traffic().busiestLinkRatio(), 1e-12);
        }
    }

    /** As without it, but for eight bytes of each node's reach, which pass round. */
    @Test
    void blocksThatMayPassPlainlyAreSharesToo() throws Exception {
        for (String codec : new String[] {"int8:8", "int4:8", "fp16"}) {
            float[][] gradients = gradients(4, 1);
            float[][] passing = gradients(4, 1);
            try (InProcessSum sum = sum(codec, 4);
                    InProcessSum dense = sum(codec + ",nonfinite=dense", 4)) {
                sum.mean(gradients);
                dense.mean(passing);
                assertArrayEquals(gradients, passing, codec);
                double ring = 1.5 * COUNT * 4;
                assertEquals(
                        ring / sum.traffic().busiestLinkRatio() + 3 * 8,
                        ring / dense.traffic().busiestLinkRatio(),
                        1e-6);
                assertEquals(sum.traffic().uploadedRatio(), dense.traffic().uploadedRatio());
            }
        }
    }

    /** What cannot be carried goes plainly with all that is owed, and nothing is owed afterwards. */
    @Test
    void whatIsOutOfReachGoesPlainRoundTheRing() throws Exception {
        double[] missing = new double[COUNT];
        try (InProcessSum sum = sum("int4:8,nonfinite=dense", 4)) {
            for (int step = 0; step < 3; step++) {
                float[][] gradients = gradients(4, step);
                gradients[2][100] = step == 2 ? Float.NaN : gradients[2][100];
                float[] exact = mean(gradients);
                sum.mean(gradients);
                for (int i = 0; i < COUNT; i++) {
                    missing[i] += exact[i] - gradients[1][i];
                }
            }
        }
        for (int i = 0; i < COUNT; i++) {
            // What the owners' roundings left out is lost, as always; what contributors owed is not.
            assertEquals(i == 100, Double.isNaN(missing[i]), "value " + i);
        }
        try (InProcessSum sum = sum("fp16,nonfinite=dense", 3)) {
            float[][] gradients = gradients(3, 1);
            gradients[0][7] = 30_000;
            gradients[1][7] = 30_000;
            float[] exact = mean(gradients);
            sum.mean(gradients);
            assertArrayEquals(exact, gradients[2], 0);
            double ring = 4.0 / 3 * COUNT * 4;
            assertEquals(ring / (ring + 2 * 8), sum.traffic().busiestLinkRatio(), 1e-12);
        }
    }

    @Test
    void theBytesOfALowRankSumAreThoseOfItsFactors() throws Exception {
        try (InProcessSum sum = sum("powersgd:2", 4)) {
            sum.mean(gradients(4, 1));
            double floats = 2 * (23 + 31 + 7 + 5) + 8;
            assertEquals(
                    COUNT * 4 / (floats * 4 + 2 * 4 * HEADER), sum.traffic().uploadedRatio(), 1e-12);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"int8", "topk:0.01,residual=none", "dgc:0.01", "powersgd:2"})
    void whatIsNotFiniteIsRefusedAndTheArraysStay(String codec) throws Exception {
        try (InProcessSum sum = sum(codec, 3)) {
            sum.mean(gradients(3, 1));
            float[][] gradients = gradients(3, 2);
            gradients[2][400] = Float.NaN;
            assertThrows(NonFiniteException.class, () -> sum.mean(gradients));
            float[][] expected = gradients(3, 2);
            expected[2][400] = Float.NaN;
            assertArrayEquals(expected, gradients);
        }
    }
}
