package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.BroadcastStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Ownership;
import io.hearth.collective.ReduceStrategy;
import io.hearth.collective.Tensor;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The options of a call and their effects. */
final class CallOptionsTest {
    private static final int MIB = 1024 * 1024;
    private static final CollectiveOptions USUAL = CollectiveOptions.DEFAULTS;

    private interface Ask {
        void make(DistributedContext context) throws CollectiveException;
    }

    /** The schedules that rank 0 of three plays. */
    private static String played(Ask ask) throws Exception {
        return played(TestGroup.nodes(3, 1), ask);
    }

    private static String played(List<NodeId> nodes, Ask ask) throws Exception {
        var algorithms = new ArrayList<String>();
        try (var group = new TestGroup(nodes, EngineOptions.DEFAULTS, List.of())) {
            group.engine(0).trace(new CollectiveTrace() {
                @Override
                public void segment(long number, Phase phase, int rank, long bytes, long since, long until) {
                    // only the schedule counts
                }

                @Override
                public void ended(Collective collective) {
                    algorithms.add(collective.algorithm());
                }
            });
            group.start((_, context) -> ask.make(context)).joinWell();
        }
        return String.join(" ", algorithms);
    }

    @Test
    void broadcastAndReduceGoAsACallAsks() throws Exception {
        for (BroadcastStrategy way : List.of(BroadcastStrategy.RING, BroadcastStrategy.TREE)) {
            String name = way == BroadcastStrategy.RING ? "RingBroadcast" : "TreeBroadcast";
            String played = played(context -> context.with(USUAL.by(way)).broadcast(new float[1000], 1));
            assertTrue(played.contains(name), way + ": " + played);
        }
        Map<ReduceStrategy, String> names = Map.of(
                ReduceStrategy.RING, "RingReduce",
                ReduceStrategy.TREE, "TreeReduce",
                ReduceStrategy.CENTRALIZED, "StarReduce");
        for (Map.Entry<ReduceStrategy, String> entry : names.entrySet()) {
            String played =
                    played(context -> context.with(USUAL.by(entry.getKey())).reduce(new float[1000], ReduceOp.SUM, 1));
            assertTrue(played.contains(entry.getValue()), entry + ": " + played);
        }
    }

    /** Ranks 0 and 1 are on one machine. */
    @ParameterizedTest
    @CsvSource({
        "2, HIERARCHICAL, 100000, IslandAllReduce",
        "2, HIERARCHICAL, 1000000, IslandAllReduce",
        "2, HIERARCHICAL, 10, WholeExchange",
        "2, AUTO, 1000000, RingAllReduce",
        "1, HIERARCHICAL, 100000, DirectAllReduce",
        "1, HIERARCHICAL, 1000000, IslandAllReduce",
        "3, HIERARCHICAL, 100000, DirectAllReduce"
    })
    void aSumGoesByIslandsOnlyWhereThereAreSome(int perMachine, AllReduceStrategy way, int count, String name)
            throws Exception {
        String played = played(
                TestGroup.nodes(3, perMachine),
                context -> context.with(USUAL.by(way)).allReduce(new float[count], ReduceOp.SUM));
        assertTrue(played.contains(name), played);
    }

    @Test
    void aBarrierIsToldAsOne() throws Exception {
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS)) {
            Map<Integer, Throwable> thrown = group.start((rank, context) -> {
                        if (rank == 0) {
                            context.barrier();
                        } else {
                            group.engine(1)
                                    .allReduce(MemorySegment.ofArray(new byte[0]), DataType.UINT8, ReduceOp.SUM, USUAL);
                        }
                    })
                    .join();
            for (int rank = 0; rank < 2; rank++) {
                String said = String.valueOf(assertInstanceOf(CollectiveMismatchException.class, thrown.get(rank))
                        .getMessage());
                assertTrue(said.contains("a barrier") && said.contains("all-reduce SUM of 0 uint8"), said);
            }
        }
    }

    private interface Input {
        byte[] of(int rank);
    }

    private static byte[] summed(int world, Ownership ownership, CollectiveOptions how, Input input, long[] sent)
            throws Exception {
        byte[][] got = new byte[world][];
        var order = new ArrayList<>(CollectiveEngineTest.ranks(world));
        Collections.reverse(order);
        var config = CollectiveConfig.DEFAULTS.cut(512, 1024);
        try (var group = new TestGroup(world, EngineOptions.DEFAULTS.with(config), order)) {
            group.start((rank, _) -> {
                        MemorySegment values = MemorySegment.ofArray(input.of(rank));
                        sent[rank] = group.engine(rank)
                                .allReduce(values, DataType.FLOAT32, ReduceOp.AVG, how.by(ownership))
                                .bytesSent();
                        got[rank] = values.toArray(ValueLayout.JAVA_BYTE);
                    })
                    .joinWell();
        }
        for (byte[] other : got) {
            assertArrayEquals(got[0], other);
        }
        return got[0];
    }

    /** Ownership from one owner to one share each, over world sizes; some ranks own nothing. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 13, 16})
    void whoOwnsWhatChangesWhatIsSentAndNoBit(int world) throws Exception {
        Input input = rank -> TypedValues.awkward(DataType.FLOAT32, rank, 6007, 17);
        long[] equal = new long[world];
        byte[] expected = summed(world, Ownership.EQUAL, USUAL, input, equal);
        for (double first : new double[] {0, 0.5, 1e9}) {
            double[] weights = new double[world];
            for (int rank = 0; rank < world; rank++) {
                weights[rank] = rank == 0 && world > 1 ? first : rank % 3 + 1;
            }
            long[] sent = new long[world];
            assertArrayEquals(expected, summed(world, Ownership.weighted(weights), USUAL, input, sent));
            if (world > 2) {
                assertTrue(first < 1 ? sent[0] < equal[0] : sent[0] > equal[0], world + ": " + sent[0]);
            }
        }
    }

    @Test
    void partsThatAreQuantisedHaveOwnersToo() throws Exception {
        var how = USUAL.as(CompressionStrategy.parse("bf16"));
        Input input = rank ->
                MemorySegment.ofArray(CollectiveEngineTest.input(rank, 60_000)).toArray(ValueLayout.JAVA_BYTE);
        long[] equal = new long[4];
        byte[] expected = summed(4, Ownership.EQUAL, how, input, equal);
        for (Ownership ownership : List.of(Ownership.weighted(0, 1, 2, 1), Ownership.weighted(1, 0, 0, 0))) {
            long[] sent = new long[4];
            assertArrayEquals(expected, summed(4, ownership, how, input, sent));
            assertTrue(sent[1] != equal[1], ownership::toString);
        }
    }

    @Test
    void inAnotherWorldThanTheWeightsAllOwnTheSame() throws Exception {
        Input input = rank -> TypedValues.awkward(DataType.FLOAT32, rank, 5000, 17);
        long[] equal = new long[3];
        long[] sent = new long[3];
        assertArrayEquals(
                summed(3, Ownership.EQUAL, USUAL, input, equal),
                summed(3, Ownership.weighted(1, 0), USUAL, input, sent));
        for (int rank = 0; rank < 3; rank++) {
            assertTrue(Math.abs(equal[rank] - sent[rank]) < 100, "the weights are told, and no more");
        }
    }

    @Test
    void weightsThatNobodyCanHaveAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Ownership.weighted(0, 0));
        assertThrows(IllegalArgumentException.class, () -> Ownership.weighted(1, -1));
        assertThrows(IllegalArgumentException.class, () -> Ownership.weighted(1, Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> Ownership.weighted(new double[257]));
        assertEquals(" owned 2:1:0.5", Ownership.weighted(2, 1, 0.5).text());
    }

    /** The sum has the type of its elements; see {@link ReduceOp#AVG}. */
    @Test
    void anAverageWrapsOrOverflowsBeforeItIsDivided() throws Exception {
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS)) {
            group.start((rank, context) -> {
                        byte[] unsigned = {(byte) 200, 100, 3};
                        average(context, unsigned, DataType.UINT8);
                        assertArrayEquals(new byte[] {72, 100, 3}, unsigned);
                        byte[] signed = {100, (byte) (rank == 0 ? -3 : 0), 127};
                        average(context, signed, DataType.INT8);
                        assertArrayEquals(new byte[] {-28, -1, -1}, signed);
                        int[] ints = {Integer.MAX_VALUE, rank == 0 ? -3 : 0, 7};
                        context.allReduce(Tensor.of(ints), ReduceOp.AVG);
                        assertArrayEquals(new int[] {-1, -1, 7}, ints);
                        short[] halves = {Float.floatToFloat16(40_000), Float.floatToFloat16(3)};
                        context.allReduce(Tensor.of(MemorySegment.ofArray(halves), DataType.FLOAT16), ReduceOp.AVG);
                        assertEquals(Float.POSITIVE_INFINITY, Float.float16ToFloat(halves[0]));
                        assertEquals(3, Float.float16ToFloat(halves[1]));
                    })
                    .joinWell();
        }
    }

    private static void average(DistributedContext context, byte[] values, DataType type) throws CollectiveException {
        context.allReduce(Tensor.of(MemorySegment.ofArray(values), type), ReduceOp.AVG);
    }

    /** The root's array is copied, because the data threads cannot read it. The values of other ranks do not count and are not copied. */
    @Test
    void aBroadcastOfAnArrayTakesOneCopyOnEachRank() throws Exception {
        try (var group = new TestGroup(2, EngineOptions.DEFAULTS)) {
            group.start((rank, context) -> {
                        float[] values = new float[MIB];
                        values[MIB - 1] = rank + 1;
                        context.broadcast(values, 0);
                        assertEquals(1, values[MIB - 1]);
                        assertEquals(4L * MIB, group.engine(rank).takeWorkBytesPeak());
                    })
                    .joinWell();
        }
    }
}
