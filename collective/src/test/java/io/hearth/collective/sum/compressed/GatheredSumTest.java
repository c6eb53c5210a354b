package io.hearth.collective.sum.compressed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.select.Engines;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveMetrics;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.Tensor;
import io.hearth.collective.engine.TestGroup;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.block.LevelCodec;
import io.hearth.compression.sparse.TopKCodec;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.election.Resolver;
import io.hearth.identity.NodeId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Sums under lossy codecs, through the collective. */
final class GatheredSumTest {
    private static final CodecKernels KERNELS = Engines.best().codecKernels();
    private static final EngineOptions OPTIONS = new EngineOptions(
            Duration.ofMinutes(1),
            CollectiveConfig.DEFAULTS.by(AllReduceStrategy.RING).cut(512, 1024),
            LossPolicy.RETRY,
            Duration.ofSeconds(10),
            CompressionStrategy.NONE);

    private static float[] gradient(int rank, int step, int count) {
        var random = new SplittableRandom(rank * 1009L + step);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) (random.nextDouble() - 0.5);
        }
        return values;
    }

    /** Total of rank 0's results over some steps; asserts that all ranks got the same bits. */
    private static float[] train(int world, Codec codec, int steps, int count) throws Exception {
        try (var group = new TestGroup(world, OPTIONS.as(new CompressionStrategy.Custom(codec)))) {
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
                        assertEquals(world > 1, metrics.wireBytes() > 0);
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
                float[] got = train(
                        world, new LevelCodec(8, CompressionStrategy.Int8.BLOCK_DEFAULT, false, KERNELS), 5, count);
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

    /** A custom codec that encodes a tensor only as a whole, although all encodings have one length. */
    private record Whole(Codec codec) implements Codec {
        @Override
        public String name() {
            return "whole";
        }

        @Override
        public boolean lossless() {
            return false;
        }

        @Override
        public boolean fixedRate() {
            return true;
        }

        @Override
        public long encodedBytesMax(long count) {
            return codec.encodedBytesMax(count);
        }

        @Override
        public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
            return codec.encode(values, count, encoded);
        }

        @Override
        public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
            codec.decode(encoded, values, count);
        }

        @Override
        public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count)
                throws MalformedMessageException {
            codec.decodeAndAdd(encoded, values, count);
        }
    }

    @Test
    void anApplicationsOwnCodecOfAFixedRateIsSummed() throws Exception {
        float[] sum =
                train(3, new Whole(new LevelCodec(8, CompressionStrategy.Int8.BLOCK_DEFAULT, false, KERNELS)), 4, 5003);
        assertNotEquals(0, sum[17]);
    }

    @Test
    void topKSendsAFractionAndAllAgree() throws Exception {
        train(3, new TopKCodec(0.01, false, KERNELS), 4, 5003);
    }

    /** Memory is taken for the bytes that a codec wrote, not for the most that it might write. */
    @Test
    void aSumOfManyTakesNoMemoryForWhatNobodySent() throws Exception {
        int world = 6;
        int count = 1 << 18;
        for (String compression : new String[] {"topk:0.01,nonfinite=dense", "randomk:0.01,nonfinite=dense"}) {
            try (var group = new TestGroup(world, EngineOptions.DEFAULTS.as(CompressionStrategy.parse(compression)));
                    var arena = Arena.ofShared()) {
                group.start((rank, context) -> {
                            MemorySegment values = arena.allocate(ValueLayout.JAVA_FLOAT, count);
                            context.allReduce(Tensor.of(values, DataType.FLOAT32), ReduceOp.SUM);
                        })
                        .joinWell();
                for (int rank = 0; rank < world; rank++) {
                    long peak = group.engine(rank).takeWorkBytesPeak();
                    assertTrue(peak < 2.5 * 4 * count, compression + ": " + peak);
                }
            }
        }
    }

    @Test
    void aValueThatACodecCannotCarryFailsOnAllRanksAndTheGroupGoesOn() throws Exception {
        try (var group = new TestGroup(3, OPTIONS.as(new CompressionStrategy.TopK(0.1)))) {
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

    @Test
    void errorFeedbackGoesBackWithWhatRunsAgainAtALossAtAnyRecord() throws Exception {
        for (int victim = 0; victim < 3; victim++) {
            int after = 0;
            while (killDuringTraining(victim, after)) {
                after++;
            }
            assertTrue(after >= STEPS * 4, "the last kill was after " + after);
        }
    }

    private static final int STEPS = 4;
    private static final int COUNT = 300;
    private static final double FRACTION = 0.05;

    /** The result of each rank in each step, and its number of contributors. */
    private static final class Training {
        final float[][][] values = new float[3][STEPS][];
        final int[][] contributors = new int[3][STEPS];

        void step(DistributedContext context, int rank, int step) throws CollectiveException {
            float[] gradient = gradient(rank, step, COUNT);
            contributors[rank][step] = context.allReduce(gradient, ReduceOp.SUM).contributors();
            values[rank][step] = gradient;
        }

        /** Lost or doubled residuals would show in the sums of later steps. */
        void check(int lost, String when) throws Exception {
            List<Integer> all = List.of(0, 1, 2);
            List<Integer> kept = all.stream().filter(rank -> rank != lost).toList();
            float[][] residuals = new float[3][COUNT];
            for (int step = 0; step < STEPS; step++) {
                int contributing = contributors[kept.getFirst()][step];
                float[] expected = sum(contributing == 3 ? all : kept, step, residuals);
                for (int rank : kept) {
                    assertEquals(contributing, contributors[rank][step], when + ", step " + step + ", rank " + rank);
                    assertArrayEquals(expected, values[rank][step], when + ", step " + step + ", rank " + rank);
                }
            }
        }

        /** The expected sum, from codec and plain arithmetic alone. */
        private static float[] sum(List<Integer> ranks, int step, float[][] residuals) throws Exception {
            float[] sum = new float[COUNT];
            for (int rank : ranks) {
                float[] values = gradient(rank, step, COUNT);
                for (int i = 0; i < COUNT; i++) {
                    values[i] += residuals[rank][i];
                }
                float[] sent = ranks.size() == 1
                        ? values.clone()
                        : Sparse.largest(values, FRACTION); // a single rank sends nothing, so it encodes nothing
                for (int i = 0; i < COUNT; i++) {
                    residuals[rank][i] = values[i] - sent[i];
                    sum[i] += sent[i];
                }
            }
            return sum;
        }
    }

    /** Returns false if the victim survived the run. */
    private static boolean killDuringTraining(int victim, int after) throws Exception {
        try (var group = new TestGroup(3, OPTIONS.as(new CompressionStrategy.TopK(FRACTION)))) {
            NodeId dead = group.nodes.get(victim);
            group.fabric.killAfter(dead, after, () -> group.told.add("killed"));
            var record = new Training();
            TestGroup.Run run = group.start((rank, context) -> {
                for (int step = 0; step < STEPS; step++) {
                    record.step(context, rank, step);
                }
                if (rank == victim) {
                    group.told.add("end");
                }
            });
            boolean killed = group.awaitOne("killed", "end").equals("killed");
            if (killed) {
                group.change(group.without(dead));
                group.end(dead);
            }
            List<Integer> kept =
                    Stream.of(0, 1, 2).filter(rank -> rank != victim).toList();
            String when = "rank " + victim + " killed after " + after;
            assertEquals(Map.of(), run.join(kept), when);
            record.check(victim, when);
            return killed;
        }
    }

    /** The last record to rank 1 is lost: the others return, and rank 1 gets the result from the one that stays. */
    @Test
    void errorFeedbackOfAForwardedSumIsOwedOnce() throws Exception {
        try (var group = new TestGroup(3, OPTIONS.as(new CompressionStrategy.TopK(FRACTION)))) {
            NodeId dead = group.nodes.getFirst();
            var sent = new AtomicInteger();
            group.fabric.tamper((from, header) -> from.equals(dead) && sent.incrementAndGet() == 4 ? null : header);
            var record = new Training();
            TestGroup.Run run = group.start((rank, context) -> {
                for (int step = 0; step < (rank == 0 ? 1 : STEPS); step++) {
                    record.step(context, rank, step);
                    group.told.add("returned " + rank);
                }
            });
            group.awaitTold("returned 0", "returned 2");
            group.fabric.kill(dead);
            group.awaitTold("broken 1");
            assertEquals(1, group.change(group.without(dead)).forwards().size());
            group.end(dead);
            assertEquals(Map.of(), run.join(List.of(1, 2)));
            assertEquals(3, record.contributors[1][0], "the lost one had contributed");
            assertEquals(2, record.contributors[1][1]);
            record.check(0, "forwarded");
        }
    }

    /** The result is being forwarded when its only holder dies: the encoded values return to the residuals. */
    @Test
    void errorFeedbackOfAForwardThatFailsGoesBack() throws Exception {
        try (var group = new TestGroup(3, OPTIONS.as(new CompressionStrategy.TopK(FRACTION)))) {
            NodeId first = group.nodes.getFirst();
            NodeId last = group.nodes.get(2);
            var sent = new AtomicInteger();
            group.fabric.tamper((from, header) -> from.equals(first) && sent.incrementAndGet() == 4 ? null : header);
            float[][] got = new float[STEPS][];
            TestGroup.Run run = group.start((rank, context) -> {
                for (int step = 0; step < (rank == 1 ? STEPS : 1); step++) {
                    float[] values = gradient(rank, step, COUNT);
                    context.allReduce(values, ReduceOp.SUM);
                    if (rank == 1) {
                        got[step] = values;
                    }
                }
                group.told.add("returned " + rank);
            });
            group.awaitTold("returned 0", "returned 2");
            group.fabric.kill(first);
            group.awaitTold("broken 1");
            List<Resolver.Report> reports = group.freeze(group.without(first));
            assertEquals(1, group.decide(reports).forwards().size());
            group.fabric.kill(last);
            group.install(List.of(group.nodes.get(1)));
            group.change(List.of(group.nodes.get(1)));
            assertEquals(Map.of(), run.join(List.of(1)));
            float[][] residuals = new float[3][COUNT];
            for (int step = 0; step < STEPS; step++) {
                assertArrayEquals(Training.sum(List.of(1), step, residuals), got[step], "step " + step);
            }
        }
    }

    /** The codec, computed on arrays. */
    private static final class Sparse {
        static float[] largest(float[] values, double fraction) throws Exception {
            var codec = new TopKCodec(fraction, false, KERNELS);
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
