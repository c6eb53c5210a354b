package io.hearth.collective.sum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.select.Engines;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Ownership;
import io.hearth.collective.TensorShape;
import io.hearth.collective.call.CallPlan;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.sum.compressed.CodecThreads;
import io.hearth.collective.sum.compressed.CompressionMemories;
import io.hearth.collective.sum.compressed.QuantisedSum;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.Workers;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The reuse of plans. */
final class PlainPlanTest {
    private static final CollectiveOptions HOW = CollectiveOptions.DEFAULTS;

    private final PlainPlan known = new PlainPlan();

    private Optional<CallPlan> same(CollectiveOptions how) {
        return known.of(1000, DataType.FLOAT32, ReduceOp.SUM, how);
    }

    private CallPlan kept(CollectiveOptions how) {
        try (var buffers = new Buffers()) {
            var reducer = Engines.best().newReducer();
            var plans = new SumPlans(
                    EngineOptions.DEFAULTS,
                    buffers,
                    reducer,
                    new CompressionMemories(reducer.codecKernels(), Workers.NONE, CompressionStrategy.NONE),
                    new CodecThreads("test", 1));
            CallPlan plan = plans.plan(1000, DataType.FLOAT32, ReduceOp.SUM, how, Optional.empty());
            known.keep(1000, DataType.FLOAT32, ReduceOp.SUM, how, plan);
            return plan;
        }
    }

    @Test
    void onlyTheSameSumGetsThePlanAgain() {
        assertTrue(same(HOW).isEmpty());
        CallPlan plan = kept(HOW);
        assertSame(plan, same(HOW).orElseThrow());
        assertSame(plan, same(HOW.forTensor("a plain sum has no memory")).orElseThrow());
        assertTrue(known.of(1001, DataType.FLOAT32, ReduceOp.SUM, HOW).isEmpty());
        assertTrue(known.of(1000, DataType.INT32, ReduceOp.SUM, HOW).isEmpty());
        assertTrue(known.of(1000, DataType.FLOAT32, ReduceOp.AVG, HOW).isEmpty());
        List<CollectiveOptions> others = List.of(
                HOW.by(AllReduceStrategy.TREE),
                HOW.by(Ownership.weighted(1, 2)),
                HOW.as(CompressionStrategy.NONE),
                HOW.shaped(TensorShape.of(1000)));
        others.forEach(other -> assertTrue(same(other).isEmpty(), other::toString));
    }

    @Test
    void whatHasStateOfOneCallIsPlannedEachTime() throws Exception {
        assertEquals(
                QuantisedSum.class,
                kept(HOW.as(CompressionStrategy.parse("int8"))).operation().getClass());
        assertTrue(same(HOW.as(CompressionStrategy.parse("int8"))).isEmpty());
    }
}
