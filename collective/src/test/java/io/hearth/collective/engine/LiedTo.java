package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.select.Engines;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.BroadcastStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.ReduceStrategy;
import io.hearth.collective.schedule.LinkModel;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.identity.NodeId;
import io.hearth.transport.StreamSource;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;

/**
 * A group that sums twice, in native memory between guard bytes, while rank 1 lies. When a stream breaks, the next view excludes
 * the liar. Each sum of each honest rank must be right for the contributors that it names (under a lossy codec: the same on all
 * ranks), or end in a typed error and leave the memory unchanged. No guard byte may change, and no rank may wait for ever.
 */
public final class LiedTo {
    static final int LIAR = 1;
    private static final int SUMS = 2;
    private static final int GUARD_BYTES = 64;
    private static final byte GUARD = 0x5A;
    private static final float UNTOUCHED = -7;

    /** Every way for sums; {@code ONE_SHOT} and {@code TWO_HOPS} are both {@link AllReduceStrategy#DIRECT}. */
    public enum Way {
        RING(AllReduceStrategy.RING),
        IN_PLACE(AllReduceStrategy.RING),
        ONE_SHOT(AllReduceStrategy.DIRECT),
        TWO_HOPS(AllReduceStrategy.DIRECT),
        TREE(AllReduceStrategy.TREE),
        CENTRALIZED(AllReduceStrategy.CENTRALIZED),
        HIERARCHICAL(AllReduceStrategy.HIERARCHICAL),
        HIERARCHICAL_IN_PLACE(AllReduceStrategy.HIERARCHICAL),
        QUANTISED(AllReduceStrategy.DIRECT, "int8:8"),
        QUANTISED_RING(AllReduceStrategy.RING, "int8:8"),
        SPARSE(AllReduceStrategy.AUTO, "topk:0.1"),
        SPARSE_IN_PLACE(AllReduceStrategy.AUTO, "dgc:0.1"),
        DENSER_THAN_PLAIN(AllReduceStrategy.AUTO, "topk:0.9"),
        LOW_RANK(AllReduceStrategy.AUTO, "powersgd:1");

        private final AllReduceStrategy strategy;
        private final String compression;

        Way(AllReduceStrategy strategy) {
            this(strategy, "none");
        }

        Way(AllReduceStrategy strategy, String compression) {
            this.strategy = strategy;
            this.compression = compression;
        }

        /** Segments of 512 bytes; up to {@code inTurn} bytes are played without a receiver thread. */
        public EngineOptions options(int inTurn) {
            var bytesAreDear = new LinkModel(0, 1000, 0, 0, 1, 0);
            return EngineOptions.DEFAULTS
                    .within(Duration.ofMinutes(1))
                    .as(CompressionStrategy.parse(compression))
                    .with(new CollectiveConfig(
                            strategy,
                            BroadcastStrategy.AUTO,
                            ReduceStrategy.AUTO,
                            512,
                            inTurn,
                            this == IN_PLACE || this == HIERARCHICAL_IN_PLACE || this == SPARSE_IN_PLACE
                                    ? 0
                                    : Long.MAX_VALUE,
                            1024 * 1024,
                            this == TWO_HOPS ? bytesAreDear : LinkModel.GIGABIT));
        }
    }

    private final String what;
    private final int count;
    private final SortedMap<Integer, Throwable> errors = new ConcurrentSkipListMap<>();
    private final List<String> broken = new ArrayList<>();
    private final boolean isLossy;
    private final ConcurrentHashMap<Integer, float[]> lossy = new ConcurrentHashMap<>(); // by sum, equal on all ranks

    private LiedTo(String what, int count, boolean isLossy) {
        this.what = what;
        this.count = count;
        this.isLossy = isLossy;
    }

    /** Runs the group and checks it; {@code what} is for error texts. */
    public static LiedTo play(int world, EngineOptions options, int count, LyingStreams.Lie lie, String what)
            throws Exception {
        var fabric = new MemoryFabric();
        boolean hasIslands = options.config().allReduce() == AllReduceStrategy.HIERARCHICAL;
        return play(TestGroup.nodes(world, hasIslands ? 2 : 1), fabric::of, options, count, lie, what);
    }

    /** Runs and checks a group over other streams, of nodes in rank order. */
    public static LiedTo play(
            List<NodeId> nodes,
            Function<NodeId, StreamSource> sources,
            EngineOptions options,
            int count,
            LyingStreams.Lie lie,
            String what)
            throws Exception {
        var played = new LiedTo(what, count, !options.compression().equals(CompressionStrategy.NONE));
        NodeId liar = nodes.get(LIAR);
        try (var group = new TestGroup(
                nodes,
                options,
                List.of(),
                rank -> Engines.best().newReducer(),
                node -> node.equals(liar) ? new LyingStreams(sources.apply(node), lie) : sources.apply(node),
                Clock.system())) {
            played.run(group);
        }
        return played;
    }

    /** Errors of honest ranks, by rank. */
    SortedMap<Integer, Throwable> errors() {
        return errors;
    }

    /** Reports of broken streams. A rank that rejects a record closes its streams, so the liar may be the first to report. */
    List<String> broken() {
        return broken;
    }

    private void run(TestGroup group) throws Exception {
        int world = group.nodes.size();
        TestGroup.Work work = (rank, context) -> {
            for (int sum = 0; sum < SUMS; sum++) {
                sum(group.engine(rank), rank, world, sum);
            }
        };
        settle(group, work, broken).forEach((rank, thrown) -> {
            assertTrue(thrown instanceof CollectiveException, what + ", rank " + rank + ": " + thrown);
            errors.put(rank, thrown);
        });
    }

    /**
     * Runs until the work of all honest ranks has ended, and removes the liar when the first stream breaks.
     *
     * @param broken reports of broken streams; this method adds to it
     * @return exceptions of honest ranks
     */
    static Map<Integer, Throwable> settle(TestGroup group, TestGroup.Work work, List<String> broken)
            throws InterruptedException {
        NodeId liar = group.nodes.get(LIAR);
        TestGroup.Run run = group.start((rank, context) -> {
            try {
                work.run(rank, context);
            } finally {
                group.told.add("end " + rank);
            }
        });
        List<Integer> honest = CollectiveEngineTest.ranks(group.nodes.size()).stream()
                .filter(rank -> rank != LIAR)
                .toList();
        int ended = 0;
        boolean isOut = false;
        while (ended < honest.size()) {
            String said = group.awaitOne("end", "broken");
            if (said.startsWith("end")) {
                ended += said.equals("end " + LIAR) ? 0 : 1;
            } else {
                broken.add(said);
                if (!isOut) {
                    isOut = true;
                    group.change(group.without(liar));
                    group.of(liar).removed(new RemovedFromClusterException("lied"));
                }
            }
        }
        group.told.stream().filter(said -> said.startsWith("broken")).forEach(broken::add);
        return run.join(honest);
    }

    private float[] input(int rank, int sum) {
        return CollectiveEngineTest.input(rank + 100 * sum, count);
    }

    private void sum(CollectiveEngine engine, int rank, int world, int sum) throws CollectiveException {
        long bytes = 4L * count;
        try (var arena = Arena.ofShared()) {
            MemorySegment room =
                    arena.allocate(2 * bytes + 3L * GUARD_BYTES, 64).fill(GUARD);
            MemorySegment input = room.asSlice(GUARD_BYTES, bytes);
            MemorySegment output = room.asSlice(2L * GUARD_BYTES + bytes, bytes);
            float[] untouched = new float[count];
            Arrays.fill(untouched, UNTOUCHED);
            MemorySegment.copy(input(rank, sum), 0, input, ValueLayout.JAVA_FLOAT, 0, count);
            MemorySegment.copy(untouched, 0, output, ValueLayout.JAVA_FLOAT, 0, count);
            Optional<CollectiveResult> result = Optional.empty();
            try {
                result = Optional.of(
                        engine.allReduce(input, output, DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS));
            } finally {
                float[] expected = result.map(got -> expected(got.contributors(), world, sum))
                        .orElse(untouched);
                String where = what + ", rank " + rank + ", sum " + sum;
                if (rank != LIAR) {
                    float[] got = output.toArray(ValueLayout.JAVA_FLOAT);
                    boolean isRounded = isLossy && result.isPresent();
                    float[] first = isRounded ? lossy.putIfAbsent(sum, got) : expected;
                    assertArrayEquals(first == null ? got : first, got, where);
                }
                assertArrayEquals(input(rank, sum), input.toArray(ValueLayout.JAVA_FLOAT), where + ": the input");
                for (int guard = 0; guard < 3; guard++) {
                    byte[] expectedGuard = new byte[GUARD_BYTES];
                    Arrays.fill(expectedGuard, GUARD);
                    assertArrayEquals(
                            expectedGuard,
                            room.asSlice(guard * (bytes + GUARD_BYTES), GUARD_BYTES)
                                    .toArray(ValueLayout.JAVA_BYTE),
                            where + ": guard " + guard);
                }
            }
        }
    }

    private float[] expected(int contributors, int world, int sum) {
        List<Integer> with = CollectiveEngineTest.ranks(world).stream()
                .filter(rank -> contributors == world || rank != LIAR)
                .map(rank -> rank + 100 * sum)
                .toList();
        assertEquals(with.size(), contributors, what);
        return CollectiveEngineTest.sum(with, count);
    }
}
