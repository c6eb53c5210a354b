package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.TensorShape;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compressed tensors in a bucket: each has the result that it would have alone. */
final class CompressedListsTest {
    private static final int WORLD = 2;

    private static CollectiveOptions as(String compression) {
        return CollectiveOptions.DEFAULTS.as(CompressionStrategy.parse(compression));
    }

    private static void sum(DistributedBackend backend, float[][] tensors, CollectiveOptions how)
            throws CollectiveException {
        CollectiveResult result = backend.allReduce(
                Arrays.stream(tensors).map(MemorySegment::ofArray).toList(), DataType.FLOAT32, ReduceOp.SUM, how);
        assertEquals(Arrays.stream(tensors).mapToLong(tensor -> tensor.length).sum(), result.count());
    }

    private static float[][] drawn(long seed, double[] scales, int... lengths) {
        var random = new SplittableRandom(seed);
        float[][] tensors = new float[lengths.length][];
        for (int t = 0; t < lengths.length; t++) {
            tensors[t] = new float[lengths[t]];
            for (int i = 0; i < lengths[t]; i++) {
                tensors[t][i] = (float) (scales[t] * random.nextGaussian());
            }
        }
        return tensors;
    }

    private static float[][] copy(float[][] tensors) {
        return Arrays.stream(tensors).map(float[]::clone).toArray(float[][]::new);
    }

    /** A few small values beside many large ones must not share a scale with these. */
    @ParameterizedTest
    @CsvSource({"int8, 0.05", "int8:256, 0.05", "'int8:64,rounding=nearest', 0.05", "int4, 0.2", "auto:int8, 0.05"})
    void aSmallTensorBesideALargeOneIsTrained(String compression, double errorMax) throws Exception {
        int[] lengths = {1000, 10, 1000, 128, 40};
        double[] scales = {1, 1e-3, 1, 2e-3, 1e-2};
        float[][] given = drawn(5, scales, lengths);
        double[][] got = new double[lengths.length][];
        Arrays.setAll(got, t -> new double[lengths[t]]);
        int steps = 50;
        try (var group = new TestGroup(WORLD, EngineOptions.DEFAULTS)) {
            group.start((rank, _) -> {
                        for (int step = 0; step < steps; step++) {
                            float[][] tensors = copy(given);
                            sum(group.engine(rank), tensors, as(compression));
                            for (int t = 0; rank == 0 && t < tensors.length; t++) {
                                for (int i = 0; i < tensors[t].length; i++) {
                                    got[t][i] += tensors[t][i];
                                }
                            }
                        }
                    })
                    .joinWell();
        }
        for (int t = 0; t < lengths.length; t++) {
            double error = 0;
            double all = 0;
            for (int i = 0; i < lengths[t]; i++) {
                double wanted = (double) steps * WORLD * given[t][i];
                error += (got[t][i] - wanted) * (got[t][i] - wanted);
                all += wanted * wanted;
            }
            double relative = Math.sqrt(error / all);
            assertTrue(relative <= errorMax, "tensor " + t + " of " + lengths[t] + " values is off by " + relative);
        }
    }

    /** Each matrix of rank one is exact, and would not be if all values formed one square. Tensors of one dimension are exact. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void matricesAreCompressedOneByOneAndTheRestGoesAsItIs(boolean together) throws Exception {
        int rows = 48;
        int columns = 40;
        float[][] factors = drawn(3, new double[] {1, 1}, rows, columns);
        float[] matrix = new float[rows * columns];
        float[] kernel = new float[rows * columns];
        for (int i = 0; i < matrix.length; i++) {
            matrix[i] = factors[0][i / columns] * factors[1][i % columns];
            kernel[i] = factors[0][i / columns] * factors[1][columns - 1 - i % columns];
        }
        float[][] given = {drawn(1, new double[] {1}, 77)[0], matrix, drawn(2, new double[] {3}, 60)[0], kernel};
        TensorShape[] shapes = {
            TensorShape.of(77), TensorShape.of(rows, columns), TensorShape.of(60), TensorShape.of(rows, 4, 5, 2)
        };
        var config = CollectiveConfig.DEFAULTS;
        long bucketBytes = together ? config.bucketBytes() : 1024;
        var options = EngineOptions.DEFAULTS.with(new CollectiveConfig(
                config.allReduce(),
                config.broadcast(),
                config.reduce(),
                config.segmentBytes(),
                config.inTurnBytesMax(),
                config.inPlaceBytesMin(),
                bucketBytes,
                config.links()));
        float[][][] got = new float[WORLD][][];
        try (var group = new TestGroup(WORLD, options)) {
            group.start((rank, _) -> {
                        for (int step = 0; step < 3; step++) {
                            got[rank] = copy(given);
                            sum(group.engine(rank), got[rank], as("powersgd:1").shaped(shapes));
                        }
                    })
                    .joinWell();
        }
        for (int t = 0; t < given.length; t++) {
            assertArrayEquals(got[0][t], got[1][t]);
            float tolerance = shapes[t].columns().isEmpty() ? 0 : 1e-4f;
            for (int i = 0; i < given[t].length; i++) {
                assertEquals(WORLD * given[t][i], got[0][t][i], tolerance, "tensor " + t + ", value " + i);
            }
        }
    }

    @Test
    void shapesThatDoNotFitAreRefusedBeforeAnythingIsSent() throws Exception {
        var said = new ConcurrentLinkedQueue<String>();
        try (var group = new TestGroup(WORLD, EngineOptions.DEFAULTS)) {
            group.start((rank, _) -> {
                        float[][] tensors = {new float[20], new float[6]};
                        for (List<TensorShape> shapes : List.of(
                                List.of(TensorShape.of(4, 5)), List.of(TensorShape.of(4, 5), TensorShape.of(3, 3)))) {
                            CollectiveOptions how = as("powersgd:1").shaped(shapes.toArray(TensorShape[]::new));
                            said.add(String.valueOf(assertThrows(
                                            IllegalArgumentException.class, () -> sum(group.engine(rank), tensors, how))
                                    .getMessage()));
                        }
                    })
                    .joinWell();
        }
        assertTrue(said.stream().anyMatch(line -> line.contains("1 shapes for a list of 2 tensors")), said.toString());
        assertTrue(said.stream().anyMatch(line -> line.contains("6 values do not fit shape 3x3")), said.toString());
        assertThrows(IllegalArgumentException.class, () -> TensorShape.of(3, 0));
        assertThrows(IllegalArgumentException.class, () -> TensorShape.of(2, 1 << 20, 1 << 20));
    }
}
