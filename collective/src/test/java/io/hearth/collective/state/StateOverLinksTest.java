package io.hearth.collective.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.StepStart;
import io.hearth.collective.engine.LinkedNodes;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Boundaries over real, encrypted streams on the loopback interface, with chunks of the real size. */
final class StateOverLinksTest {
    private static final int BYTES = (9 << 20) + 4321;
    private static final int CHUNK_RECORDS = 8 * 9 + 1;

    @Test
    void aJoinerGetsAllThoughItsRingBreaksAndAStreamIsCut() throws Exception {
        try (var linked = LinkedNodes.open(3);
                var group = new BoundaryGroup(linked.streams(), BYTES)) {
            for (int rank = 0; rank < 3; rank++) {
                group.hold(rank, rank == 1 ? 2 : 1, rank == 1 ? 0 : 7, rank == 1);
            }
            var left = new AtomicInteger(CHUNK_RECORDS / 2);
            for (int rank : List.of(0, 2)) {
                group.meddle(rank, (header, bytes) -> {
                    int now = header.kind() == StateServer.CHUNK ? left.decrementAndGet() : 1;
                    if (now == 0) {
                        group.abandon();
                    } else if (now == -9) {
                        throw new IOException("cut");
                    }
                });
            }
            for (BoundaryGroup.Outcome outcome : group.attempt()) {
                assertTrue(outcome.thrown() instanceof IOException, outcome.toString());
            }
            group.form(List.of(0, 1, 2));
            List<BoundaryGroup.Outcome> outcomes = group.attempt();
            assertEquals(new StepStart(7, false), outcomes.get(0).start());
            assertEquals(new StepStart(7, true), outcomes.get(1).start());
            assertArrayEquals(group.bytes(0), group.bytes(1));
            int again = group.chunksSent() - CHUNK_RECORDS;
            assertTrue(again >= 0 && again <= 8 * 3 * 4, "pipelines of two sources, twice: " + again);
        }
    }
}
