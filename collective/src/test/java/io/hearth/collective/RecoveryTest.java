package io.hearth.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Losses at every record, and what the members that stay end with. */
final class RecoveryTest {
    private static final EngineOptions RETRY =
            new EngineOptions(Duration.ofMinutes(1), 512, GroupMachine.Policy.RETRY, Optional.empty());
    private static final int STEPS = 3;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Outcome(float[] values, int contributors) {}

    /** Runs some all-reduces, kills {@code victim} before its record {@code after}; true if it died at all. */
    private static boolean killDuringSums(int world, int victim, int after, int count, ReduceOp op) throws Exception {
        try (var group = new TestGroup(world, RETRY)) {
            var results = new Outcome[world][STEPS];
            NodeId dead = group.nodes.get(victim);
            group.fabric.killAfter(dead, after, () -> group.told.add("killed"));
            var done = new AtomicIntegerArray(world);
            TestGroup.Run run = group.start((rank, context) -> {
                for (int step = 0; step < STEPS; step++) {
                    float[] values = CollectiveEngineTest.input(rank + 100 * step, count);
                    CollectiveResult result = context.allReduce(values, op);
                    results[rank][step] = new Outcome(values, result.contributors());
                }
                if (done.incrementAndGet(0) == world) {
                    group.told.add("all done");
                }
            });
            String what = group.awaitOne("killed", "all done");
            List<NodeId> kept = group.without(dead);
            if (what.equals("killed")) {
                group.change(kept);
                group.end(dead);
            }
            Map<Integer, Throwable> thrown = run.join();
            thrown.remove(victim);
            assertEquals(Map.of(), thrown, () -> "killed after " + after);
            if (what.equals("killed")) {
                checkSums(world, victim, count, op, results);
            }
            return what.equals("killed");
        }
    }

    private static void checkSums(int world, int victim, int count, ReduceOp op, Outcome[][] results) {
        List<Integer> survivors =
                IntStream.range(0, world).filter(rank -> rank != victim).boxed().toList();
        for (int step = 0; step < STEPS; step++) {
            Outcome first = results[survivors.getFirst()][step];
            List<Integer> contributors = first.contributors() == world ? CollectiveEngineTest.ranks(world) : survivors;
            assertEquals(contributors.size(), first.contributors());
            int offset = 100 * step;
            float[] expected = CollectiveEngineTest.sum(
                    contributors.stream().map(rank -> rank + offset).toList(), count);
            if (op == ReduceOp.AVG) {
                for (int i = 0; i < count; i++) {
                    expected[i] /= contributors.size();
                }
            }
            for (int survivor : survivors) {
                assertArrayEquals(expected, results[survivor][step].values(), "step " + step + " rank " + survivor);
                assertEquals(first.contributors(), results[survivor][step].contributors());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void survivorsOfALossAtAnyRecordEndWithTheSameRightSums(int world) throws Exception {
        for (int victim = 0; victim < world; victim++) {
            int after = 0;
            while (killDuringSums(world, victim, after, 600, after % 2 == 0 ? ReduceOp.AVG : ReduceOp.SUM)) {
                after++;
            }
            assertTrue(after >= STEPS * 2 * (world - 1), "the last kill was after " + after);
        }
    }

    @Test
    void aSmallCallSurvivesALossAtAnyRecordToo() throws Exception {
        for (int victim = 0; victim < 3; victim++) {
            int after = 0;
            while (killDuringSums(3, victim, after, 5, ReduceOp.SUM)) {
                after++;
            }
            assertTrue(after > STEPS * 2, "the last kill was after " + after);
        }
    }
}
