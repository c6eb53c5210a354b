package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.EngineOptions;
import io.hearth.collective.group.Resolution;
import io.hearth.collective.group.Status;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A proposer names results to forward that no rank lacks, or that their holder does not have. */
final class ForwardLiesTest {
    private static final EngineOptions OPTIONS = EngineOptions.DEFAULTS.within(Duration.ofMinutes(1));
    private static final long LARGE = 256L << 20; // affordable for a test if it is allocated
    private static final int COUNT = 50;

    private static Resolution forward(long number, NodeId holder, long bytes) {
        return new Resolution(number, List.of(new Resolution.Forward(number, holder, 2, bytes)), List.of());
    }

    @Test
    void noMemoryIsTakenForASizeThatNobodyAskedFor() throws Exception {
        try (var group = new TestGroup(3, OPTIONS)) {
            for (long bytes : List.of(LARGE, Status.NUMBER_MAX)) {
                group.lie(forward(7, group.nodes.get(1), bytes));
                String why = "number 7 is forwarded with " + bytes + " bytes of 2 members, which is not open here";
                group.awaitTold("broken 0 " + why, "broken 1 " + why, "broken 2 " + why);
                for (int rank = 0; rank < 3; rank++) {
                    assertEquals(0, group.engine(rank).takeWorkBytesPeak(), "rank " + rank);
                }
            }
            assertEquals(Resolution.NOTHING, group.change(group.nodes));
            sums(group);
        }
    }

    @Test
    void aResultThatItsHolderDoesNotHaveIsNobodysResult() throws Exception {
        try (var group = new TestGroup(3, OPTIONS)) {
            group.fabric.kill(group.nodes.get(2)); // so that no rank finishes
            TestGroup.Run run = group.start((rank, context) -> {
                float[] values = CollectiveEngineTest.input(rank, COUNT);
                context.allReduce(values, ReduceOp.SUM);
                assertArrayEquals(CollectiveEngineTest.sum(List.of(0, 1), COUNT), values);
            });
            group.awaitFirstCall(group.nodes);
            group.lie(forward(1, group.nodes.getFirst(), COUNT * Float.BYTES));
            assertTrue(group.awaitOne("broken 0 number 1 is forwarded by a node that does not have it")
                    .startsWith("broken 0"));
            group.change(group.nodes.subList(0, 2));
            group.end(group.nodes.get(2));
            assertEquals(Map.of(), run.join(List.of(0, 1)));
        }
    }

    private static void sums(TestGroup group) throws Exception {
        group.start((rank, context) -> {
                    float[] values = CollectiveEngineTest.input(rank, COUNT);
                    context.allReduce(values, ReduceOp.SUM);
                    assertArrayEquals(CollectiveEngineTest.sum(List.of(0, 1, 2), COUNT), values);
                })
                .joinWell();
    }
}
