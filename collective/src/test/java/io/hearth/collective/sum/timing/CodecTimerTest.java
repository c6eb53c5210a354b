package io.hearth.collective.sum.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.select.Engines;
import io.hearth.collective.choice.CodecCost;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.OnNonFinite;
import io.hearth.compression.Residual;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cost of codecs on this machine. */
final class CodecTimerTest {
    /** Settings that no other test uses, because costs are cached for the whole process. */
    private static final List<CompressionStrategy.Coded> ASKED = List.of(
            new CompressionStrategy.Fp16(Residual.FLOAT32, OnNonFinite.DENSE),
            new CompressionStrategy.Int8(72, false, Residual.NONE, OnNonFinite.ERROR),
            new CompressionStrategy.TopK(0.0101));

    /** No sum waits for the measurement: the first request gets no costs, and a later one gets them. */
    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES) // waits for the compiler, which other tests keep busy
    void costsAreMeasuredInTheBackground() {
        var kernels = Engines.best().codecKernels();
        List<CodecCost> costs = CodecTimer.costs(ASKED, kernels);
        assertEquals(List.of(), costs);
        while (costs.isEmpty()) { // within the time limit
            Thread.onSpinWait();
            costs = CodecTimer.costs(ASKED, kernels);
        }
        assertEquals(ASKED.size(), costs.size());
        assertEquals(
                List.of(true, true, false),
                costs.stream().map(CodecCost::inBlocks).toList());
        assertTrue(costs.get(0).bytes() >= 2 && costs.get(0).bytes() < 2.01, "fp16: " + costs);
        assertTrue(costs.get(1).bytes() > 1 && costs.get(1).bytes() < 1.1, "int8: " + costs);
        assertTrue(costs.get(2).bytes() > 0.02 && costs.get(2).bytes() < 0.05, "topk: " + costs);
        assertTrue(costs.stream().allMatch(cost -> cost.encodeNanos() > 0 && cost.addNanos() > 0), "" + costs);
        assertEquals(costs, CodecTimer.costs(ASKED, kernels), "once in a process");
    }
}
