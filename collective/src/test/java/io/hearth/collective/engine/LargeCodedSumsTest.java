package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hearth.collective.EngineOptions;
import io.hearth.collective.Tensor;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.Workers;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sums large enough for several threads to encode and decode them, on machines that have them. */
final class LargeCodedSumsTest {
    private static final int COUNT = (int) (2 * Workers.VALUES_MIN) + 4099;
    private static final int STEPS = 3;

    /** Memory that only the caller's thread may use gets the same bits as memory for all, and as an array. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "int8",
                "int4,residual=bfloat16",
                "topk:0.01",
                "topk:0.01,residual=none",
                "topk:0.01,chunk=4096",
                "topk:0.01,chunk=4096,residual=none",
                "topk:0.01,residual=bfloat16",
                "dgc:0.01"
            })
    void whoeverMayUseTheMemoryTheSumIsTheSame(String compression) throws Exception {
        var got = new float[3][];
        try (var group = new TestGroup(3, EngineOptions.DEFAULTS.as(CompressionStrategy.parse(compression)))) {
            group.start((rank, context) -> {
                        try (var arena = rank == 0 ? Arena.ofConfined() : Arena.ofShared()) {
                            MemorySegment values =
                                    rank == 2 ? MemorySegment.ofArray(new float[COUNT]) : arena.allocate(4L * COUNT, 8);
                            for (int step = 0; step < STEPS; step++) {
                                fill(values, rank, step);
                                context.allReduce(Tensor.of(values, DataType.FLOAT32), ReduceOp.AVG);
                            }
                            got[rank] = values.toArray(ValueLayout.JAVA_FLOAT);
                        }
                    })
                    .joinWell();
        }
        for (int i = 0; i < COUNT; i++) {
            assertEquals(got[0][i], got[1][i], "value " + i);
            assertEquals(got[0][i], got[2][i], "value " + i);
        }
        double sum = 0;
        for (float value : got[0]) {
            sum += Math.abs(value);
        }
        assertNotEquals(0, sum);
    }

    private static void fill(MemorySegment values, int rank, int step) {
        var random = new SplittableRandom(rank * 31L + step);
        for (int i = 0; i < COUNT; i++) {
            values.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i, (float) (random.nextDouble() - 0.5));
        }
    }
}
