package io.hearth.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.Codec;
import io.hearth.compression.Int8Codec;
import io.hearth.compression.TopKCodec;
import io.hearth.core.CollectiveException;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Sums under lossy codecs, inside the collective. */
final class EncodedSumTest {
    private static final EngineOptions OPTIONS =
            new EngineOptions(Duration.ofMinutes(1), 512, GroupMachine.Policy.RETRY, Optional.empty());

    private static float[] gradient(int rank, int step, int count) {
        var random = new SplittableRandom(rank * 1009L + step);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) (random.nextDouble() - 0.5);
        }
        return values;
    }

    /** Sums over some steps, by rank 0, of what all ranks got; asserts that they got the same bits. */
    private static float[] train(int world, Codec codec, int steps, int count) throws Exception {
        try (var group = new TestGroup(world, OPTIONS.as(codec))) {
            float[][] total = new float[world][count];
            group.start((rank, context) -> {
                        for (int step = 0; step < steps; step++) {
                            float[] values = gradient(rank, step, count);
                            context.allReduce(values, ReduceOp.AVG);
                            for (int i = 0; i < count; i++) {
                                total[rank][i] += values[i];
                            }
                        }
                        CollectiveMetrics metrics = context.metricsSnapshot();
                        assertEquals(world > 1 && count > 0, metrics.wireBytes() > 0);
                        assertTrue(world == 1 || count < 1000 || metrics.wireBytes() < metrics.denseBytes());
                    })
                    .joinWell();
            for (int rank = 1; rank < world; rank++) {
                assertArrayEquals(total[0], total[rank], "rank " + rank);
            }
            return total[0];
        }
    }

    @Test
    void ranksEndWithTheSameBitsNearTheTrueMean() throws Exception {
        for (int world = 1; world <= 4; world++) {
            for (int count : new int[] {0, 1, 7, 1009}) {
                float[] got = train(world, new Int8Codec(Int8Codec.BLOCK_DEFAULT), 5, count);
                for (int i = 0; i < count; i++) {
                    float truth = 0;
                    for (int step = 0; step < 5; step++) {
                        for (int rank = 0; rank < world; rank++) {
                            truth += gradient(rank, step, count)[i] / world;
                        }
                    }
                    assertEquals(truth, got[i], 0.01, "one residual, not five: world " + world);
                }
            }
        }
    }

    @Test
    void topKSendsAFractionAndAllAgree() throws Exception {
        train(3, new TopKCodec(0.01), 4, 5003);
    }

    @Test
    void aValueThatACodecCannotCarryFailsOnAllRanksAndTheGroupGoesOn() throws Exception {
        try (var group = new TestGroup(3, OPTIONS.as(new TopKCodec(0.1)))) {
            Map<Integer, Throwable> thrown = group.start((rank, context) -> {
                        float[] values = gradient(rank, 0, 3000);
                        values[7] = rank == 1 ? Float.NaN : 1;
                        CollectiveException error =
                                assertThrows(CollectiveException.class, () -> context.allReduce(values, ReduceOp.SUM));
                        context.allReduce(gradient(rank, 1, 3000), ReduceOp.SUM);
                        throw error;
                    })
                    .join();
            assertEquals(3, thrown.size());
            for (Throwable error : thrown.values()) {
                assertTrue(String.valueOf(error.getMessage()).contains("rank 1"), error.toString());
                assertTrue(String.valueOf(error.getMessage()).contains("NaN"), error.toString());
            }
        }
    }

    /** Survivors after a loss at any record end as if the lost one had left just before or just after that number. */
    @Test
    void errorFeedbackGoesBackWithWhatRunsAgain() throws Exception {
        float[] neverLost = trainSurvivors(-1);
        boolean died = true;
        int repeated = 0;
        for (int after = 0; died; after++) {
            float[] got = trainSurvivors(after);
            died = got.length > 0;
            if (died) {
                repeated++;
                assertEquals(neverLost.length, got.length);
            }
        }
        assertTrue(repeated > 4, "kills " + repeated);
    }

    /**
     * Ranks 0 and 1 give the same gradients whether rank 2 is lost or not, and rank 2 gives zeros, so that the sum of all
     * steps tells whether a residual was lost or counted twice. Empty if rank 2 outlived the run.
     */
    private static float[] trainSurvivors(int killAfter) throws Exception {
        int count = 300;
        int steps = 4;
        try (var group = new TestGroup(3, OPTIONS.as(new TopKCodec(0.05)))) {
            NodeId dead = group.nodes.get(2);
            if (killAfter >= 0) {
                group.fabric.killAfter(dead, killAfter, () -> group.told.add("killed"));
            }
            float[][] total = new float[3][count];
            TestGroup.Run run = group.start((rank, context) -> {
                for (int step = 0; step < steps; step++) {
                    float[] values = rank == 2 ? new float[count] : gradient(rank, step, count);
                    context.allReduce(values, ReduceOp.SUM);
                    for (int i = 0; i < count; i++) {
                        total[rank][i] += values[i];
                    }
                }
                if (rank == 2) {
                    group.told.add("end");
                }
            });
            boolean killed = group.awaitOne("killed", "end").equals("killed");
            if (killed) {
                group.change(group.without(dead));
                group.end(dead);
            }
            Map<Integer, Throwable> thrown = run.join(List.of(0, 1));
            assertEquals(Map.of(), thrown, "killed after " + killAfter);
            assertArrayEquals(total[0], total[1], "killed after " + killAfter);
            float[] expected = expected(count, steps);
            assertArrayEquals(expected, total[0], "killed after " + killAfter);
            return killed || killAfter < 0 ? total[0] : new float[0];
        }
    }

    /** What two ranks with error feedback sum to over all steps, by codec and plain arithmetic alone. */
    private static float[] expected(int count, int steps) throws Exception {
        float[] total = new float[count];
        float[][] owed = new float[2][count];
        for (int step = 0; step < steps; step++) {
            float[] sum = new float[count];
            for (int rank = 0; rank < 2; rank++) {
                float[] values = gradient(rank, step, count);
                for (int i = 0; i < count; i++) {
                    values[i] += owed[rank][i];
                }
                float[] sent = Sparse.largest(values, 0.05);
                for (int i = 0; i < count; i++) {
                    owed[rank][i] = values[i] - sent[i];
                    sum[i] += sent[i];
                }
            }
            for (int i = 0; i < count; i++) {
                total[i] += sum[i];
            }
        }
        return total;
    }

    /** The codec, on arrays. */
    private static final class Sparse {
        static float[] largest(float[] values, double fraction) throws Exception {
            var codec = new TopKCodec(fraction);
            try (var arena = Arena.ofConfined()) {
                var in = arena.allocate(4L * values.length);
                MemorySegment.copy(values, 0, in, ValueLayout.JAVA_FLOAT, 0, values.length);
                var encoded = arena.allocate(codec.encodedBytesMax(values.length));
                long bytes = codec.encode(in, values.length, encoded);
                var out = arena.allocate(4L * values.length);
                codec.decode(encoded.asSlice(0, bytes), out, values.length);
                return out.toArray(ValueLayout.JAVA_FLOAT);
            }
        }
    }
}
