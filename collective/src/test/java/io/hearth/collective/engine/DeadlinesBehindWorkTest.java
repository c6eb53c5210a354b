package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Work;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.DeadlineExceededException;
import io.hearth.core.LeftGroupException;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Earlier collectives are stuck, because another rank does not call. A later call waits no longer than its own deadline. */
final class DeadlinesBehindWorkTest {
    private static final CollectiveOptions SOON = CollectiveOptions.DEFAULTS.within(Duration.ofMillis(50));

    /** A call with a deadline. */
    interface Ask {
        void make(DistributedBackend backend) throws Exception;
    }

    private static MemorySegment values() {
        return MemorySegment.ofArray(new float[10]);
    }

    static Stream<Ask> asks() {
        return Stream.of(
                backend -> backend.barrier(SOON),
                backend -> backend.beginStep(SOON),
                backend -> backend.allReduce(values(), DataType.FLOAT32, ReduceOp.SUM, SOON),
                backend -> backend.allReduce(List.of(values()), DataType.FLOAT32, ReduceOp.SUM, SOON));
    }

    private static Work begin(DistributedBackend backend) throws Exception {
        return backend.allReduceAsync(values(), DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
    }

    @ParameterizedTest
    @MethodSource("asks")
    void aCallsDeadlineHoldsForWhatItWaitsForToo(Ask ask) throws Exception {
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS)) {
            Map<Integer, Throwable> thrown = group.start((rank, _) -> {
                        if (rank == 0) {
                            CollectiveEngine engine = group.engine(0);
                            List<Work> begun = List.of(begin(engine), begin(engine));
                            var late = assertThrows(DeadlineExceededException.class, () -> ask.make(engine));
                            String text = String.valueOf(late.getMessage());
                            assertTrue(
                                    text.startsWith("a collective did not begin before its deadline; 2 earlier ones"
                                            + " had not ended, and waited for "),
                                    text);
                            for (Work work : begun) {
                                var left = assertThrows(CollectiveException.class, work::await);
                                assertTrue(
                                        String.valueOf(left.getMessage()).endsWith("beginStep() enters it again"),
                                        left.toString());
                            }
                        }
                    })
                    .join();
            assertEquals(Map.of(), thrown);
            assertTrue(group.told.stream().anyMatch(line -> line.startsWith("gaveUp 0 a collective did not begin")));
        }
    }

    @Test
    void whoIsInterruptedWhileItWaitsLeavesTheGroupToo() throws Exception {
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS)) {
            Map<Integer, Throwable> thrown = group.start((rank, _) -> {
                        if (rank == 0) {
                            Work begun = begin(group.engine(0));
                            Thread.currentThread().interrupt();
                            var stopped = assertThrows(
                                    LeftGroupException.class,
                                    () -> group.engine(0).barrier(CollectiveOptions.DEFAULTS));
                            assertTrue(String.valueOf(stopped.getMessage()).startsWith("interrupted"));
                            assertTrue(Thread.interrupted());
                            assertThrows(CollectiveException.class, begun::await);
                        }
                    })
                    .join();
            assertEquals(Map.of(), thrown);
        }
    }
}
