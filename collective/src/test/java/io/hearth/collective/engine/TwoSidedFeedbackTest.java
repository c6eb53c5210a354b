package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.EngineOptions;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.ReduceOp;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Over many steps no rounding error of a sum of encodings is lost, on any rank. */
final class TwoSidedFeedbackTest {
    private static final int WORLD = 4;
    private static final int COUNT = 64 * 48;

    private interface Gradients {
        float value(int rank, int step, int index);
    }

    /** Total input of all ranks over all steps, total output of each rank, and their difference after each quarter. */
    private static final class Run {
        private final double[] given = new double[COUNT];
        private final double[][] got = new double[WORLD][COUNT];
        private final double[] gaps = new double[4];
    }

    private static Run run(String compression, ReduceOp op, int steps, Gradients gradients) throws Exception {
        var run = new Run();
        EngineOptions options = EngineOptions.DEFAULTS
                .within(Duration.ofMinutes(1))
                .as(CompressionStrategy.parse(compression))
                .with(CollectiveConfig.DEFAULTS
                        .by(AllReduceStrategy.DIRECT)
                        .cut(512, CollectiveConfig.IN_TURN_BYTES_MAX));
        try (var group = new TestGroup(WORLD, options)) {
            for (int quarter = 0; quarter < run.gaps.length; quarter++) {
                int first = steps / run.gaps.length * quarter;
                int end = steps / run.gaps.length * (quarter + 1);
                group.start((rank, context) -> {
                            float[] values = new float[COUNT];
                            for (int step = first; step < end; step++) {
                                for (int i = 0; i < COUNT; i++) {
                                    values[i] = gradients.value(rank, step, i);
                                }
                                context.allReduce(values, op);
                                for (int i = 0; i < COUNT; i++) {
                                    run.got[rank][i] += values[i];
                                }
                            }
                        })
                        .joinWell();
                for (int step = first; step < end; step++) {
                    for (int i = 0; i < COUNT; i++) {
                        for (int rank = 0; rank < WORLD; rank++) {
                            run.given[i] += gradients.value(rank, step, i) / (op == ReduceOp.AVG ? WORLD : 1);
                        }
                    }
                }
                double squares = 0;
                for (int i = 0; i < COUNT; i++) {
                    squares += (run.given[i] - run.got[0][i]) * (run.given[i] - run.got[0][i]);
                }
                run.gaps[quarter] = Math.sqrt(squares);
            }
        }
        for (int rank = 1; rank < WORLD; rank++) {
            for (int i = 0; i < COUNT; i++) {
                assertEquals(run.got[0][i], run.got[rank][i], "rank " + rank + ", value " + i);
            }
        }
        return run;
    }

    /** Values of less than half a level arrive in the end, beside a large one in each block. */
    @ParameterizedTest
    @CsvSource({"int4, SUM", "int4, AVG", "'int4:64,rounding=stochastic', SUM"})
    void smallValuesArrive(String compression, ReduceOp op) throws Exception {
        Gradients gradients = (rank, _, i) -> i % 64 == 5 ? 7 : 0.1f + 0.05f * rank + 0.002f * (i % 23);
        Run run = run(compression, op, 200, gradients);
        double given = 0;
        double got = 0;
        for (int i = 0; i < COUNT; i++) {
            given += i % 64 == 5 ? 0 : run.given[i];
            got += i % 64 == 5 ? 0 : run.got[0][i];
        }
        double share = got / given;
        assertTrue(share >= 0.99 && share <= 1.01, "of what was given arrived " + share);
    }

    /** The total residual is bounded: it does not grow with the number of steps. */
    @ParameterizedTest
    @ValueSource(strings = {"SUM", "AVG"})
    void theGapStaysAsItIs(ReduceOp op) throws Exception {
        float[][] noise = new float[97][COUNT];
        var random = new SplittableRandom(7);
        for (float[] values : noise) {
            for (int i = 0; i < COUNT; i++) {
                values[i] = (float) random.nextGaussian(0.05, 1);
            }
        }
        Run run = run("int4", op, 200, (rank, step, i) -> noise[(step * WORLD + rank) % noise.length][i]);
        double first = run.gaps[0];
        for (double gap : run.gaps) {
            assertTrue(gap <= 1.3 * first, "the gap grew from " + first + " to " + gap);
        }
    }
}
