package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Tensor;
import io.hearth.collective.Work;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.ReduceOp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two tensors of one size never silently share a compression's memory. */
final class UnnamedTensorsTest {
    private static final CollectiveOptions USUAL = CollectiveOptions.DEFAULTS;

    private static TestGroup group(String compression) {
        return new TestGroup(
                2,
                EngineOptions.DEFAULTS
                        .within(Duration.ofMinutes(1))
                        .as(CompressionStrategy.parse(compression))
                        .with(CollectiveConfig.DEFAULTS.inPlaceFrom(Long.MAX_VALUE)));
    }

    private static void refused(DistributedContext context, float[] values) {
        String told = String.valueOf(
                assertThrows(IllegalArgumentException.class, () -> context.allReduce(values, ReduceOp.SUM))
                        .getMessage());
        assertTrue(told.contains("forTensor") && told.contains("beginStep"), told);
    }

    @ParameterizedTest
    @ValueSource(strings = {"topk:0.1", "int4"})
    void aSecondTensorOfOneSizeInAStepIsRefusedAndNothingWasSent(String compression) throws Exception {
        int count = 40_000;
        try (var group = group(compression)) {
            group.start((rank, context) -> {
                        for (int step = 0; step < 3; step++) {
                            group.engine(rank).beginStep(USUAL);
                            context.allReduce(new float[count], ReduceOp.SUM);
                            refused(context, new float[count]);
                            context.allReduce(new float[count + 1], ReduceOp.SUM);
                            for (String name : new String[] {"a", "b", "b"}) {
                                context.allReduce(new float[count], ReduceOp.SUM, USUAL.forTensor(name));
                            }
                            context.allReduce(new float[count], ReduceOp.MAX);
                        }
                    })
                    .joinWell();
        }
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"randomk:0.1", "dgc:0.1", "powersgd:1", "auto:topk:0.1"})
    void aSecondTensorIsRefusedWithOtherCodecsToo(String compression) throws Exception {
        aSecondTensorOfOneSizeInAStepIsRefusedAndNothingWasSent(compression);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "int8", "fp16", "auto"})
    void whereNothingIsRememberedSizesMayRepeat(String compression) throws Exception {
        try (var group = group(compression)) {
            group.start((rank, context) -> {
                        group.engine(rank).beginStep(USUAL);
                        for (int i = 0; i < 3; i++) {
                            context.allReduce(new float[40_000], ReduceOp.SUM);
                        }
                    })
                    .joinWell();
        }
    }

    @Test
    void withoutStepsTheNextTensorIsTheNextStep() throws Exception {
        try (var group = group("topk:0.1")) {
            group.start((_, context) -> {
                        for (int i = 0; i < 3; i++) {
                            context.allReduce(new float[100], ReduceOp.SUM);
                        }
                    })
                    .joinWell();
        }
    }

    @Test
    void aSumThatFailedMayBeRepeated() throws Exception {
        try (var group = group("topk:0.1")) {
            group.start((rank, context) -> {
                        group.engine(rank).beginStep(USUAL);
                        float[] values = new float[100];
                        values[3] = Float.NaN;
                        assertThrows(CollectiveException.class, () -> context.allReduce(values, ReduceOp.SUM));
                        context.allReduce(new float[100], ReduceOp.SUM);
                        refused(context, new float[100]);
                    })
                    .joinWell();
        }
    }

    /** Buckets count as tensors too, and so do asynchronous sums. */
    @Test
    void bucketsAndWorkCount() throws Exception {
        try (var group = group("topk:0.1")) {
            group.start((rank, context) -> {
                        group.engine(rank).beginStep(USUAL);
                        context.allReduce(List.of(Tensor.of(new float[100]), Tensor.of(new float[200])), ReduceOp.SUM);
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> context.allReduce(
                                        List.of(Tensor.of(new float[100]), Tensor.of(new float[200])), ReduceOp.SUM));
                        List<Work> open = new ArrayList<>();
                        for (int i = 0; i < 2; i++) {
                            open.add(context.allReduceAsync(new float[50], ReduceOp.SUM));
                        }
                        open.getFirst().await();
                        assertThrows(IllegalArgumentException.class, open.getLast()::await);
                        group.engine(rank).beginStep(USUAL);
                        context.allReduce(List.of(Tensor.of(new float[100]), Tensor.of(new float[200])), ReduceOp.SUM);
                    })
                    .joinWell();
        }
    }
}
