package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.TensorShape;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sums whose compression follows rules on the size and shape of each tensor. */
final class RuledSumsTest {
    private static final int WORLD = 3;
    private static final CompressionStrategy RULES =
            CompressionStrategy.parse("rules:none@1d/fp16@below=500/int8:64,rounding=nearest@below=2000/powersgd:2");
    private static final TensorShape[] SHAPES = {
        TensorShape.of(64, 50), // powersgd
        TensorShape.of(64), // none
        TensorShape.of(20, 20), // fp16
        TensorShape.of(40, 30), // int8
        TensorShape.of(900), // none
        TensorShape.of(60, 60), // powersgd
        TensorShape.of(10, 5) // fp16
    };

    private static float[][] drawn(long seed) {
        var random = new SplittableRandom(seed);
        return Arrays.stream(SHAPES)
                .map(shape -> {
                    float[] values = new float[(int) shape.count()];
                    for (int i = 0; i < values.length; i++) {
                        values[i] = (float) random.nextGaussian();
                    }
                    return values;
                })
                .toArray(float[][]::new);
    }

    private static void sum(DistributedBackend backend, CollectiveOptions how, float[]... tensors)
            throws CollectiveException {
        backend.allReduce(
                Arrays.stream(tensors).map(MemorySegment::ofArray).toList(), DataType.FLOAT32, ReduceOp.SUM, how);
    }

    private static float[][] chosen(float[][] tensors, int... which) {
        return Arrays.stream(which).mapToObj(i -> tensors[i]).toArray(float[][]::new);
    }

    private static TensorShape[] shapes(int... which) {
        return Arrays.stream(which).mapToObj(i -> SHAPES[i]).toArray(TensorShape[]::new);
    }

    /** The same results as four lists with one compression each, with rules of the engine or of the call. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachTensorOfAListGoesByItsRule(boolean usual) throws Exception {
        var options = usual ? EngineOptions.DEFAULTS.as(RULES) : EngineOptions.DEFAULTS;
        CollectiveOptions ruled = usual ? CollectiveOptions.DEFAULTS : CollectiveOptions.DEFAULTS.as(RULES);
        float[][][] got = new float[WORLD][][];
        float[][][] wanted = new float[WORLD][][];
        try (var group = new TestGroup(WORLD, options);
                var parts = new TestGroup(WORLD, EngineOptions.DEFAULTS)) {
            for (int step = 0; step < 3; step++) {
                long seed = step;
                group.start((rank, _) -> {
                            got[rank] = drawn(seed * WORLD + rank);
                            sum(group.engine(rank), ruled.shaped(SHAPES), got[rank]);
                        })
                        .joinWell();
                parts.start((rank, _) -> {
                            float[][] all = drawn(seed * WORLD + rank);
                            wanted[rank] = all;
                            var engine = parts.engine(rank);
                            CollectiveOptions as =
                                    CollectiveOptions.DEFAULTS.as(CompressionStrategy.parse("powersgd:2"));
                            sum(engine, as.shaped(shapes(0, 5)), chosen(all, 0, 5));
                            sum(engine, CollectiveOptions.DEFAULTS, chosen(all, 1, 4));
                            sum(engine, as("fp16"), chosen(all, 2, 6));
                            sum(engine, as("int8:64,rounding=nearest"), chosen(all, 3));
                        })
                        .joinWell();
                for (int rank = 0; rank < WORLD; rank++) {
                    for (int t = 0; t < SHAPES.length; t++) {
                        assertArrayEquals(wanted[rank][t], got[rank][t], "step " + step + ", tensor " + t);
                    }
                }
            }
        }
    }

    private static CollectiveOptions as(String compression) {
        return CollectiveOptions.DEFAULTS.as(CompressionStrategy.parse(compression));
    }

    @Test
    void aTensorAloneGoesByItsRule() throws Exception {
        float[][][] got = new float[2][][];
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS.as(RULES))) {
            group.start((rank, _) -> {
                        float[][] all = drawn(rank);
                        got[rank] = all;
                        for (int t = 0; t < all.length; t++) {
                            CollectiveOptions how = CollectiveOptions.DEFAULTS
                                    .forTensor("t" + t)
                                    .shaped(SHAPES[t]);
                            group.engine(rank)
                                    .allReduce(MemorySegment.ofArray(all[t]), DataType.FLOAT32, ReduceOp.SUM, how);
                        }
                    })
                    .joinWell();
        }
        for (int t = 0; t < SHAPES.length; t++) {
            assertArrayEquals(got[0][t], got[1][t]);
            float[] exact = drawn(0)[t];
            float[] other = drawn(1)[t];
            boolean isExact = true;
            for (int i = 0; i < exact.length; i++) {
                isExact &= got[0][t][i] == exact[i] + other[i];
            }
            assertEquals(SHAPES[t].sizes().size() < 2, isExact, "tensor " + t);
        }
    }

    /** Rules apply to SUM and AVG of float32, like all compression; an engine's default leaves other calls uncompressed. */
    @Test
    void whatRulesAreNotForGoesAsItIs() throws Exception {
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS.as(RULES))) {
            group.start((rank, _) -> {
                        float[] values = {1.1f + rank, 3};
                        var engine = group.engine(rank);
                        engine.allReduce(
                                MemorySegment.ofArray(values),
                                DataType.FLOAT32,
                                ReduceOp.MAX,
                                CollectiveOptions.DEFAULTS);
                        assertArrayEquals(new float[] {2.1f, 3}, values);
                        int[] counts = {7, rank};
                        engine.allReduce(
                                MemorySegment.ofArray(counts),
                                DataType.INT32,
                                ReduceOp.SUM,
                                CollectiveOptions.DEFAULTS);
                        assertArrayEquals(new int[] {14, 1}, counts);
                        engine.allReduce(List.of(), DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
                    })
                    .joinWell();
        }
    }

    @Test
    void ranksWithOtherRulesAreTold() throws Exception {
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS)) {
            Map<Integer, Throwable> thrown = group.start((rank, _) -> {
                        var how = as(rank == 0 ? "rules:int8@2d" : "rules:fp16@2d")
                                .shaped(shapes(0, 1));
                        sum(group.engine(rank), how, chosen(drawn(rank), 0, 1));
                    })
                    .join();
            assertEquals(2, thrown.size());
            for (Throwable error : thrown.values()) {
                assertInstanceOf(CollectiveMismatchException.class, error);
                assertTrue(String.valueOf(error.getMessage()).contains("fp16"), error.getMessage());
            }
        }
    }
}
