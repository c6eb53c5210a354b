package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Tensor;
import io.hearth.collective.sum.compressed.EncodedParts;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.block.PassDenseCodec;
import io.hearth.compression.codecs.Codecs;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every compressed sum has the same bits at every rank, equal to those of its codec with plain arithmetic. */
final class CompressedSumsTest {
    private static final int WORLD_MAX = Boolean.getBoolean("hearth.full") ? 5 : 3;
    private static final int FEW = 3; // of the records that are lost, every third
    private static final int STRIDE = Boolean.getBoolean("hearth.full") ? 1 : FEW;
    private static final int SEGMENT_BYTES = 512;
    private static final int STEPS = 4;

    /** Most bytes of headers, tags, signature and magnitudes of a small sum. */
    private static final int HEADS_BYTES = 700;

    enum Way {
        INT8("int8:8,rounding=nearest", AllReduceStrategy.AUTO),
        INT8_RING("int8:8,rounding=nearest", AllReduceStrategy.RING),
        INT8_IN_PLACE("int8:8,rounding=nearest", AllReduceStrategy.AUTO),
        INT4("int4:16", AllReduceStrategy.DIRECT),
        INT4_RING_IN_PLACE("int4:8", AllReduceStrategy.RING),
        INT8_DENSE("int8:8,rounding=nearest,nonfinite=dense", AllReduceStrategy.AUTO),
        INT4_DENSE_IN_PLACE("int4:16,nonfinite=dense", AllReduceStrategy.DIRECT),
        INT4_DENSE_RING("int4:8,nonfinite=dense", AllReduceStrategy.RING),
        INT8_OWING("int8:8,rounding=nearest,residual=float32", AllReduceStrategy.AUTO),
        INT4_FORGETFUL("int4:16,residual=none", AllReduceStrategy.RING),
        BF16_OWING("bf16,residual=float32", AllReduceStrategy.DIRECT),
        INT8_STOCHASTIC("int8:8", AllReduceStrategy.AUTO),
        INT4_STOCHASTIC("int4:16,rounding=stochastic", AllReduceStrategy.DIRECT),
        FP16_DENSE("fp16,nonfinite=dense", AllReduceStrategy.AUTO),
        FP16("fp16", AllReduceStrategy.AUTO),
        BF16_RING("bf16", AllReduceStrategy.RING),
        TOP_K("topk:0.05", AllReduceStrategy.AUTO),
        TOP_K_FORGETFUL("topk:0.05,residual=none", AllReduceStrategy.AUTO),
        TOP_K_CHUNKS("topk:0.25,chunk=64", AllReduceStrategy.AUTO),
        TOP_K_CHUNKS_IN_PLACE("topk:0.05,chunk=64,bits=4", AllReduceStrategy.AUTO),
        TOP_K_CHUNKS_DENSE_IN_PLACE("topk:0.05,chunk=128,bits=2,nonfinite=dense", AllReduceStrategy.AUTO),
        TOP_K_CHUNKS_NARROW("topk:0.05,chunk=64,residual=bfloat16", AllReduceStrategy.AUTO),
        TOP_K_NARROW_IN_PLACE("topk:0.05,residual=bfloat16", AllReduceStrategy.AUTO),
        TOP_K_NARROW_DENSE("topk:0.05,residual=bfloat16,nonfinite=dense", AllReduceStrategy.AUTO),
        INT4_NARROW("int4:16,residual=bfloat16", AllReduceStrategy.DIRECT),
        INT8_NARROW_DENSE("int8:8,rounding=nearest,residual=bfloat16,nonfinite=dense", AllReduceStrategy.RING),
        TOP_K_IN_PLACE("topk:0.05", AllReduceStrategy.AUTO),
        TOP_K_DENSE_IN_PLACE("topk:0.05,nonfinite=dense", AllReduceStrategy.AUTO),
        RANDOM_K("randomk:0.1", AllReduceStrategy.AUTO),
        RANDOM_K_FORGETFUL("randomk:0.1,residual=none", AllReduceStrategy.AUTO),
        RANDOM_K_DENSE("randomk:0.1,nonfinite=dense", AllReduceStrategy.AUTO),
        DGC("dgc:0.05,warmup=1", AllReduceStrategy.AUTO),
        DGC_IN_PLACE("dgc:0.05,clip=1", AllReduceStrategy.AUTO),
        DGC_REUSE("dgc:0.05,momentum=0.5,reuse=3", AllReduceStrategy.AUTO),
        LOW_RANK("powersgd:1", AllReduceStrategy.AUTO),
        LOW_RANK_FORGETFUL("powersgd:1,residual=none", AllReduceStrategy.AUTO);

        private final String compression;
        private final AllReduceStrategy algorithm;

        Way(String compression, AllReduceStrategy algorithm) {
            this.compression = compression;
            this.algorithm = algorithm;
        }

        /** Up to {@code inTurn} bytes are played without a receiver thread. */
        public EngineOptions options(int inTurn) {
            boolean isInPlace = name().endsWith("_IN_PLACE");
            return EngineOptions.DEFAULTS
                    .within(Duration.ofMinutes(1))
                    .as(CompressionStrategy.parse(compression))
                    .with(CollectiveConfig.DEFAULTS
                            .by(algorithm)
                            .cut(SEGMENT_BYTES, inTurn)
                            .inPlaceFrom(isInPlace ? 0 : Long.MAX_VALUE));
        }

        SumOracles oracles() {
            return new SumOracles(
                    CompressionStrategy.parse(compression), algorithm == AllReduceStrategy.RING, SEGMENT_BYTES);
        }

        boolean passesDense() {
            return compression.endsWith("nonfinite=dense");
        }

        /** A tensor that is too small travels uncompressed, and another algorithm adds in another order. */
        boolean isCompressed(int count) {
            if (this == LOW_RANK || this == LOW_RANK_FORGETFUL) {
                int columns = SumOracles.columns(Math.max(1, count));
                return Math.ceilDiv(count, columns) + columns < count;
            }
            return !(CompressionStrategy.parse(compression) instanceof CompressionStrategy.Coded coded)
                    || !(PassDenseCodec.within(Codecs.of(coded)) instanceof BlockCodec codec)
                    || EncodedParts.pays(codec, count);
        }
    }

    private static float[] gradient(int rank, int step, int count) {
        var random = new SplittableRandom(rank * 1009L + step);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) (random.nextDouble() - 0.5);
        }
        return values;
    }

    private static IntFunction<float[]> of(int step, int count) {
        return rank -> gradient(rank, step, count);
    }

    static Stream<Arguments> ways() {
        return ways(_ -> true);
    }

    private static Stream<Arguments> ways(Predicate<Way> wanted) {
        return Stream.of(Way.values())
                .filter(wanted)
                .flatMap(way ->
                        Stream.of(0, CollectiveConfig.IN_TURN_BYTES_MAX).map(inTurn -> Arguments.of(way, inTurn)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void allRanksGetWhatTheCodecGives(Way way, int inTurn) throws Exception {
        for (int world = 1; world <= WORLD_MAX; world++) {
            for (int count : new int[] {0, 1, 7, 300, 5003}) {
                if (way.isCompressed(count)) {
                    compare(way, inTurn, world, count);
                }
            }
        }
    }

    private static void compare(Way way, int inTurn, int world, int count) throws Exception {
        List<Integer> ranks = CollectiveEngineTest.ranks(world);
        float[][][] got = new float[world][STEPS][];
        try (var group = new TestGroup(world, way.options(inTurn))) {
            group.start((rank, context) -> {
                        for (int step = 0; step < STEPS; step++) {
                            got[rank][step] = gradient(rank, step, count);
                            context.allReduce(got[rank][step], ReduceOp.SUM);
                        }
                    })
                    .joinWell();
        }
        try (var oracles = way.oracles()) {
            for (int step = 0; step < STEPS; step++) {
                float[] expected = oracles.sum(step + 1, ranks, of(step, count));
                for (int rank : ranks) {
                    String where = "world " + world + ", " + count + " values, step " + step + ", rank " + rank;
                    assertArrayEquals(expected, got[rank][step], where);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void anAverageIsTheSumDivided(Way way) throws Exception {
        int world = 4; // dividing by it is exact
        int count = 1009;
        List<Integer> ranks = CollectiveEngineTest.ranks(world);
        float[][] got = new float[world][];
        try (var group = new TestGroup(world, way.options(0))) {
            group.start((rank, context) -> {
                        got[rank] = gradient(rank, 0, count);
                        context.allReduce(got[rank], ReduceOp.AVG);
                    })
                    .joinWell();
        }
        try (var oracles = way.oracles()) {
            float[] sum = oracles.sum(1, ranks, of(0, count));
            for (int rank : ranks) {
                for (int i = 0; i < count; i++) {
                    assertEquals(sum[i] / world, got[rank][i], 1e-6f, "rank " + rank + ", value " + i);
                }
                assertArrayEquals(got[0], got[rank], "rank " + rank);
            }
        }
    }

    static Stream<Arguments> refusing() {
        return ways(way -> !way.passesDense());
    }

    static Stream<Arguments> passing() {
        return ways(Way::passesDense);
    }

    /** A plain sum includes the residuals and leaves none; the next sum is compressed again. */
    @ParameterizedTest
    @MethodSource("passing")
    void aValueThatCannotBeCarriedPassesWithPlainOnes(Way way, int inTurn) throws Exception {
        int count = 2000;
        for (float odd : new float[] {Float.NaN, Float.NEGATIVE_INFINITY, 40_000f, Float.MAX_VALUE}) {
            for (int world = 1; world <= 3; world++) {
                List<Integer> ranks = CollectiveEngineTest.ranks(world);
                int last = world - 1;
                IntFunction<IntFunction<float[]>> gradients = step -> rank -> {
                    float[] values = gradient(rank, step, count);
                    values[700] = step == 2 && rank == last ? odd : values[700];
                    return values;
                };
                float[][][] got = new float[world][STEPS][];
                try (var group = new TestGroup(world, way.options(inTurn))) {
                    group.start((rank, context) -> {
                                for (int step = 0; step < STEPS; step++) {
                                    got[rank][step] = gradients.apply(step).apply(rank);
                                    context.allReduce(got[rank][step], ReduceOp.SUM);
                                }
                            })
                            .joinWell();
                }
                try (var oracles = way.oracles()) {
                    for (int step = 0; step < STEPS; step++) {
                        float[] expected = oracles.sum(step + 1, ranks, gradients.apply(step));
                        for (int rank : ranks) {
                            String where = odd + ", world " + world + ", step " + step + ", rank " + rank;
                            assertArrayEquals(expected, got[rank][step], where);
                        }
                    }
                }
            }
        }
    }

    /** No single value is beyond the codec's range, but the sum is. */
    @Test
    void aSumBeyondTheRangePassesToo() throws Exception {
        int world = 3;
        float[][] got = new float[world][];
        try (var group = new TestGroup(world, Way.FP16_DENSE.options(0))) {
            group.start((rank, context) -> {
                        got[rank] = new float[100];
                        got[rank][70] = 30_000;
                        context.allReduce(got[rank], ReduceOp.SUM);
                    })
                    .joinWell();
        }
        for (float[] sum : got) {
            float[] expected = new float[100];
            expected[70] = 90_000;
            assertArrayEquals(expected, sum);
        }
    }

    /** The value is a sum, not a rank's own, and its index counts from the tensor's first value. */
    @ParameterizedTest
    @EnumSource(
            value = AllReduceStrategy.class,
            names = {"DIRECT", "RING"})
    void aSumBeyondTheRangeIsToldAsSuch(AllReduceStrategy way) throws Exception {
        int world = 3;
        int at = 1700;
        var options = EngineOptions.DEFAULTS
                .within(Duration.ofMinutes(1))
                .as(CompressionStrategy.parse("fp16"))
                .with(CollectiveConfig.DEFAULTS.by(way).cut(SEGMENT_BYTES, 0));
        for (ReduceOp op : new ReduceOp[] {ReduceOp.SUM, ReduceOp.AVG}) {
            float[][] got = new float[world][];
            Map<Integer, Throwable> thrown;
            try (var group = new TestGroup(world, options)) {
                thrown = group.start((rank, context) -> {
                            got[rank] = new float[2000];
                            got[rank][at] = 30_000;
                            context.allReduce(got[rank], op);
                        })
                        .join();
            }
            if (op == ReduceOp.AVG && way == AllReduceStrategy.DIRECT) { // it is divided before it is encoded
                assertEquals(Map.of(), thrown);
                assertEquals(30_000, got[1][at]);
                continue;
            }
            assertEquals(world, thrown.size());
            for (Throwable error : thrown.values()) {
                assertTrue(
                        String.valueOf(error.getMessage()).contains("summed gradient value " + at + " is 90000.0"),
                        error.toString());
            }
        }
    }

    /** If encodings have no fewer bytes than plain values, plain values travel. Otherwise slots are hardly longer than encodings. */
    @Test
    void smallTensorsCostNoMoreBytesThanTheyHave() throws Exception {
        int[] counts = {1, 8, 9, 300, 4810};
        for (String compression : new String[] {"fp16", "int8", "int8,nonfinite=dense", "int4"}) {
            var codec = Codecs.of((CompressionStrategy.Coded) CompressionStrategy.parse(compression));
            try (var group = new TestGroup(4, EngineOptions.DEFAULTS.as(CompressionStrategy.parse(compression)))) {
                group.start((rank, context) -> {
                            for (int count : counts) {
                                long before = context.metricsSnapshot().wireBytes();
                                context.allReduce(gradient(rank, 0, count), ReduceOp.SUM);
                                long sent = context.metricsSnapshot().wireBytes() - before;
                                long most = Math.min(4L * count, codec.encodedBytesMax(count) * 5 / 4 + 64);
                                String what = compression + ", " + count + " values: " + sent;
                                assertTrue(sent <= 3 * most + HEADS_BYTES, what);
                                if (count == 4810 && compression.equals("int8")) {
                                    assertTrue(sent < 1.6 * codec.encodedBytesMax(count) + HEADS_BYTES, what);
                                }
                            }
                        })
                        .joinWell();
            }
        }
    }

    /** Errors that would break a call in the middle are thrown before it, and the group continues. */
    @Test
    void whatHasNoRoomIsRefusedBeforeAnythingIsSent() throws Exception {
        var options = EngineOptions.DEFAULTS.with(CollectiveConfig.DEFAULTS.cut(SEGMENT_BYTES, 0));
        try (var group = new TestGroup(2, options)) {
            group.start((rank, context) -> {
                        float[] values = new float[5000];
                        var large = CollectiveOptions.DEFAULTS.as(CompressionStrategy.parse("int8:1024"));
                        var error = assertThrows(
                                IllegalArgumentException.class, () -> context.allReduce(values, ReduceOp.SUM, large));
                        assertTrue(String.valueOf(error.getMessage()).contains("smaller blocks"), error.toString());
                        context.allReduce(values, ReduceOp.SUM);
                    })
                    .joinWell();
        }
        for (String compression : new String[] {"topk:0.5", "int4:8", "dgc:0.5", "powersgd:1"}) {
            var strategy = CompressionStrategy.parse(compression);
            try (var group = new TestGroup(1, EngineOptions.DEFAULTS.as(strategy))) {
                group.start((rank, context) -> {
                            float[] values = new float[64];
                            for (int tensor = 0; tensor < 4096; tensor++) {
                                context.allReduce(
                                        values, ReduceOp.SUM, CollectiveOptions.DEFAULTS.forTensor("t" + tensor));
                            }
                            var more = CollectiveOptions.DEFAULTS.forTensor("one more");
                            assertThrows(
                                    IllegalStateException.class,
                                    () -> context.allReduce(values, ReduceOp.SUM, more),
                                    compression);
                            context.allReduce(values, ReduceOp.SUM, CollectiveOptions.DEFAULTS.forTensor("t0"));
                        })
                        .joinWell();
            }
        }
    }

    /**
     * A value that cannot be carried is found after any number of records. All ranks get the same error, no residual counts twice,
     * and the group continues.
     */
    @ParameterizedTest
    @MethodSource("refusing")
    void aValueThatCannotBeCarriedEndsTheSumOnAllRanks(Way way, int inTurn) throws Exception {
        int world = 3;
        int count = 2000;
        boolean isBf16 = way == Way.BF16_RING || way == Way.BF16_OWING;
        boolean carries = way == Way.FP16 || isBf16;
        float bad = way == Way.FP16 ? 1e6f : isBf16 ? Float.MAX_VALUE : Float.NaN;
        List<Integer> ranks = CollectiveEngineTest.ranks(world);
        for (int at : new int[] {0, 700, 1200, 1999}) {
            float[][][] got = new float[world][STEPS][];
            var told = new TreeMap<Integer, String>();
            try (var group = new TestGroup(world, way.options(inTurn))) {
                group.start((rank, context) -> {
                            for (int step = 0; step < STEPS; step++) {
                                float[] values = gradient(rank, step, count);
                                got[rank][step] = values;
                                if (step == 2) {
                                    values[at] = rank == 1 ? bad : values[at];
                                    float[] before = values.clone();
                                    var error = assertThrows(
                                            CollectiveException.class, () -> context.allReduce(values, ReduceOp.SUM));
                                    synchronized (told) {
                                        told.put(rank, String.valueOf(error.getMessage()));
                                    }
                                    assertArrayEquals(before, values);
                                } else {
                                    context.allReduce(values, ReduceOp.SUM);
                                }
                            }
                        })
                        .joinWell();
            }
            assertEquals(3, told.size(), carries + " at " + at);
            for (String text : told.values()) {
                assertTrue(text.contains("gradient value") && text.contains("rank 1"), text);
            }
            try (var oracles = way.oracles()) {
                for (int step : new int[] {0, 1, 3}) {
                    float[] expected = oracles.sum(step + 1, ranks, of(step, count));
                    for (int rank : ranks) {
                        assertArrayEquals(expected, got[rank][step], "at " + at + ", step " + step + ", rank " + rank);
                    }
                }
            }
        }
    }

    /** Encodings of fixed length that are longer than plain values, so that plain values travel. */
    @Test
    void aValueThatCannotBeCarriedEndsAPlainSumOfWholeChunksToo() throws Exception {
        var options = EngineOptions.DEFAULTS.as(CompressionStrategy.parse("topk:1,chunk=64"));
        try (var group = new TestGroup(3, options)) {
            group.start((rank, context) -> {
                        float[] values = gradient(rank, 0, 2000);
                        values[1500] = rank == 1 ? Float.NaN : 0;
                        var error =
                                assertThrows(CollectiveException.class, () -> context.allReduce(values, ReduceOp.SUM));
                        assertTrue(String.valueOf(error.getMessage()).contains("gradient value 1500"), error::toString);
                        context.allReduce(gradient(rank, 1, 2000), ReduceOp.SUM);
                    })
                    .joinWell();
        }
    }

    /** A call that runs again restores its residuals; a result that some members have counts for all. */
    @ParameterizedTest
    @EnumSource(names = {"INT8", "INT4_DENSE_RING", "TOP_K_IN_PLACE"})
    void aLossAtAnyRecordLeavesSumsThatAreRightAndNothingOwedTwice(Way way) throws Exception {
        loseRecords(way, STRIDE);
    }

    private static void loseRecords(Way way, int stride) throws Exception {
        for (int victim = 0; victim < 3; victim++) {
            int after = 0;
            while (kill(way, victim, after)) {
                after += stride;
            }
            assertTrue(after >= STEPS, "the last kill was after " + after);
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"INT8", "INT4_DENSE_RING", "TOP_K_IN_PLACE"})
    void aLossOfOtherWaysDoesToo(Way way) throws Exception {
        loseRecords(way, FEW);
    }

    /** Returns false if the victim survived the run. */
    private static boolean kill(Way way, int victim, int after) throws Exception {
        int count = 300;
        try (var group = new TestGroup(3, way.options(0))) {
            NodeId dead = group.nodes.get(victim);
            group.fabric.killAfter(dead, after, () -> group.told.add("killed"));
            float[][][] got = new float[3][STEPS][];
            int[][] contributors = new int[3][STEPS];
            TestGroup.Run run = group.start((rank, context) -> {
                for (int step = 0; step < STEPS; step++) {
                    float[] values = gradient(rank, step, count);
                    contributors[rank][step] =
                            context.allReduce(values, ReduceOp.SUM).contributors();
                    got[rank][step] = values;
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
            try (var oracles = way.oracles()) {
                for (int step = 0; step < STEPS; step++) {
                    int contributing = contributors[kept.getFirst()][step];
                    List<Integer> ranks = contributing == 3 ? List.of(0, 1, 2) : kept;
                    float[] expected = oracles.sum(step + 1, ranks, of(step, count));
                    for (int rank : kept) {
                        String where = when + ", step " + step + ", rank " + rank;
                        assertEquals(contributing, contributors[rank][step], where);
                        assertArrayEquals(expected, got[rank][step], where);
                    }
                }
            }
            return killed;
        }
    }

    /** A job that restarts with its saved memories continues as if it had never stopped. */
    @ParameterizedTest
    @EnumSource(Way.class)
    void whatIsOwedCanBeSavedAndRestored(Way way) throws Exception {
        int count = 1009;
        float[][][] got = new float[2][STEPS][];
        try (var arena = Arena.ofShared()) {
            MemorySegment[] saved = new MemorySegment[2];
            for (int from : new int[] {0, 2}) {
                try (var group = new TestGroup(2, way.options(0))) {
                    group.start((rank, context) -> {
                                if (from > 0) {
                                    context.restoreCompression(saved[rank]);
                                }
                                for (int step = from; step < from + 2; step++) {
                                    got[rank][step] = gradient(rank, step, count);
                                    context.allReduce(got[rank][step], ReduceOp.SUM);
                                }
                                saved[rank] = context.saveCompression(arena);
                            })
                            .joinWell();
                }
            }
        }
        try (var oracles = way.oracles()) {
            for (int step = 0; step < STEPS; step++) {
                float[] expected = oracles.sum(step % 2 + 1, List.of(0, 1), of(step, count));
                assertArrayEquals(expected, got[0][step], "step " + step);
                assertArrayEquals(expected, got[1][step], "step " + step);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"INT8_IN_PLACE", "TOP_K_IN_PLACE", "TOP_K_DENSE_IN_PLACE"})
    void aSumInPlaceTakesLessMemoryThanItsValues(Way way) throws Exception {
        long bytes = 1L << 20;
        try (var arena = Arena.ofShared();
                var group = new TestGroup(2, way.options(0))) {
            MemorySegment[] values = {arena.allocate(bytes, 8), arena.allocate(bytes, 8)};
            group.start((rank, context) -> {
                        for (int step = 0; step < STEPS; step++) {
                            context.allReduce(Tensor.of(values[rank], DataType.FLOAT32), ReduceOp.SUM);
                        }
                    })
                    .joinWell();
            for (int rank : CollectiveEngineTest.ranks(2)) {
                long peak = group.engine(rank).takeWorkBytesPeak();
                assertTrue(peak < bytes, "rank " + rank + " held " + peak + " bytes");
            }
        }
    }
}
