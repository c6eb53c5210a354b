package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.select.Engines;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Signature;
import io.hearth.collective.Tensor;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.GroupMachine;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Clock;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The working memory of calls. */
final class CallMemoryTest {
    private static final int BYTES = 40_000;

    /** Requests more memory than there is. */
    private static final class Greedy implements CollectiveOperation {
        @Override
        public Optional<CallRejection> attempt(OperationContext context) {
            return Optional.empty();
        }

        @Override
        public long workBytes(Signature signature, MemorySegment target) {
            return 1L << 60;
        }
    }

    @Test
    void aCallThatGetsNoMemoryForItsResultKeepsNoneForItsInput() {
        var reducer = Engines.best().newReducer();
        try (var runtime = new GroupRuntime(
                "memory",
                TestGroup.node(0),
                new MemoryFabric().of(TestGroup.node(0)),
                reducer,
                EngineOptions.DEFAULTS,
                GroupMachine.WINDOW,
                new CollectiveListener() {
                    @Override
                    public void progress(long doneUpTo, GroupPhase phase) {}

                    @Override
                    public void streamBroken(NodeId peer, String why) {}

                    @Override
                    public void gaveUp(String why) {}

                    @Override
                    public void failed(Throwable why) {}
                },
                Clock.system())) {
            MemorySegment heap = MemorySegment.ofArray(new byte[BYTES]);
            Signature signature = Signature.allReduce(ReduceOp.SUM, DataType.UINT8, BYTES, Signature.PLAIN);
            for (int time = 0; time < 4; time++) { // more often than there are spare buffers
                assertThrows(OutOfMemoryError.class, () -> new Greedy().memory(signature, heap, heap, runtime));
            }
            runtime.buffers().takePeakBytes();
            assertTrue(runtime.buffers().takePeakBytes() <= BYTES, "held after calls that failed");
        }
    }

    @Test
    void theRootOfABroadcastTakesNoMemoryAndTheOthersKeepNone() throws Exception {
        int count = 1 << 20;
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS);
                var arena = Arena.ofShared()) {
            group.start((rank, context) -> {
                        MemorySegment values = arena.allocate(4L * count);
                        if (rank == 1) {
                            values.setAtIndex(ValueLayout.JAVA_FLOAT, 17, 3);
                        }
                        for (int time = 0; time < 3; time++) {
                            context.broadcast(Tensor.of(values, DataType.FLOAT32), 1);
                        }
                        assertEquals(3, values.getAtIndex(ValueLayout.JAVA_FLOAT, 17));
                        long peak = group.engine(rank).takeWorkBytesPeak();
                        long most = rank == 1 ? 0 : 4L * count;
                        assertTrue(peak < most + count, peak + " bytes were taken");
                    })
                    .joinWell();
        }
    }

    @Test
    void aSumThatComesIntoBeingInPlaceTakesNoMemoryOfItsSizeNotEvenForAMoment() throws Exception {
        int count = 1 << 20;
        EngineOptions options = EngineOptions.DEFAULTS.as(CompressionStrategy.parse("topk:0.01"));
        try (var group = new TestGroup(2, options);
                var arena = Arena.ofShared()) {
            group.start((rank, context) -> {
                        MemorySegment values = arena.allocate(4L * count);
                        values.setAtIndex(ValueLayout.JAVA_FLOAT, 17 + rank, 3);
                        context.allReduce(Tensor.of(values, DataType.FLOAT32), ReduceOp.SUM);
                        assertEquals(3, values.getAtIndex(ValueLayout.JAVA_FLOAT, 17));
                        assertEquals(3, values.getAtIndex(ValueLayout.JAVA_FLOAT, 18));
                        long peak = group.engine(rank).takeWorkBytesPeak();
                        assertTrue(peak < count, peak + " bytes were taken");
                    })
                    .joinWell();
        }
    }
}
