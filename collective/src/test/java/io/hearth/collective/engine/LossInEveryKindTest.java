package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.BroadcastStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.ReduceStrategy;
import io.hearth.collective.schedule.LinkModel;
import io.hearth.collective.schedule.Shares;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.PeerLostException;
import io.hearth.core.ReduceOp;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.identity.NodeId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A member is lost at any record of any collective: all remaining members have the right result, or none has one. */
final class LossInEveryKindTest {
    private static final int WORLD_MAX = Boolean.getBoolean("hearth.full") ? 4 : 3;
    private static final int ROOT = 1;
    private static final int COUNT = 300;
    private static final int BLOCK = 150;
    private static final float UNTOUCHED = -7;
    /** Slow links and crowded ports, so that all-gather and reduce-scatter go round the ring. */
    private static final LinkModel CROWDED = new LinkModel(0, 1000, 0, 0, 4, 0);

    enum Kind {
        REDUCE_SCATTER,
        ALL_GATHER,
        ALL_TO_ALL,
        REDUCE,
        GATHER,
        SCATTER,
        BROADCAST,
        /** In place, over the contribution. */
        SUM_OVER,
        /** In place, beside the contribution. */
        SUM_APART,
        /** As SUM_OVER, but a loss ends the call. */
        SUM_FAIL_FAST;

        boolean hasRoot() {
            return this != REDUCE_SCATTER && this != ALL_GATHER && this != ALL_TO_ALL && !isSum();
        }

        boolean isSum() {
            return this == SUM_OVER || this == SUM_APART || this == SUM_FAIL_FAST;
        }

        LossPolicy policy() {
            return this == SUM_FAIL_FAST ? LossPolicy.FAIL_FAST : LossPolicy.RETRY;
        }
    }

    /** Input and output of one rank; the output is unchanged if the root was lost. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Outcome(float[] before, float[] after, Optional<CollectiveResult> result) {}

    static Stream<Arguments> ways() {
        CollectiveConfig config = CollectiveConfig.DEFAULTS.cut(512, 512);
        var crowded = new CollectiveConfig(
                config.allReduce(), config.broadcast(), config.reduce(), 512, 512, 0, config.bucketBytes(), CROWDED);
        Stream<Arguments> pairs = Stream.of(Kind.REDUCE_SCATTER, Kind.ALL_GATHER, Kind.ALL_TO_ALL)
                .flatMap(kind -> Stream.of(Arguments.of(kind, config), Arguments.of(kind, crowded)));
        Stream<Arguments> stars = Stream.of(Kind.GATHER, Kind.SCATTER).map(kind -> Arguments.of(kind, config));
        Stream<Arguments> reductions = Stream.of(ReduceStrategy.RING, ReduceStrategy.TREE, ReduceStrategy.CENTRALIZED)
                .map(way -> Arguments.of(Kind.REDUCE, config.by(way)));
        Stream<Arguments> broadcasts = Stream.of(BroadcastStrategy.RING, BroadcastStrategy.TREE)
                .map(way -> Arguments.of(Kind.BROADCAST, config.by(way)));
        Stream<Arguments> sums = Stream.of(Kind.SUM_OVER, Kind.SUM_APART, Kind.SUM_FAIL_FAST)
                .flatMap(kind -> Stream.of(AllReduceStrategy.AUTO, AllReduceStrategy.HIERARCHICAL)
                        .map(way -> Arguments.of(kind, config.by(way).inPlaceFrom(COUNT * Float.BYTES))));
        return Stream.of(pairs, stars, reductions, broadcasts, sums).flatMap(part -> part);
    }

    @Tag("full")
    @ParameterizedTest
    @MethodSource("ways")
    void allThatStayHaveTheResultOrNoneHas(Kind kind, CollectiveConfig config) throws Exception {
        for (int world = 2; world <= WORLD_MAX; world++) {
            for (int victim = 0; victim < world; victim++) {
                int after = 0;
                while (kill(kind, config, world, victim, after)) {
                    after++;
                }
                assertTrue(after > 1, "the last kill was after " + after);
            }
        }
    }

    @Test
    void whoIsRemovedInASumInPlaceHasItsInputBack() throws Exception {
        for (int after = 0; after < 10; after++) {
            CollectiveConfig config = CollectiveConfig.DEFAULTS
                    .by(after % 2 == 0 ? AllReduceStrategy.RING : AllReduceStrategy.HIERARCHICAL)
                    .cut(512, 512)
                    .inPlaceFrom(0);
            EngineOptions options =
                    EngineOptions.DEFAULTS.within(Duration.ofMinutes(1)).with(config);
            try (var group = new TestGroup(2, options, List.of(0, 1))) {
                group.fabric.killAfter(group.nodes.getFirst(), after / 2, () -> group.told.add("killed"));
                float[] left = new float[COUNT];
                TestGroup.Run run = group.start((rank, _) -> sum(
                        Kind.SUM_OVER,
                        group.engine(rank),
                        CollectiveEngineTest.input(rank, COUNT),
                        rank == 1 ? left : new float[COUNT]));
                group.awaitOne("broken 1 "); // all records that arrived were handled
                group.engine(1).removed(new RemovedFromClusterException("others went on"));
                Map<Integer, Throwable> thrown = run.join(List.of(1));
                assertInstanceOf(RemovedFromClusterException.class, thrown.get(1), "after " + after);
                assertArrayEquals(CollectiveEngineTest.input(1, COUNT), left, "after " + after);
            }
        }
    }

    private static List<NodeId> nodes(CollectiveConfig config, int world) {
        return TestGroup.nodes(world, config.allReduce() == AllReduceStrategy.HIERARCHICAL ? 2 : 1);
    }

    /** Returns false if the victim survived the call and the next one. */
    private static boolean kill(Kind kind, CollectiveConfig config, int world, int victim, int after) throws Exception {
        EngineOptions options = EngineOptions.DEFAULTS
                .within(Duration.ofMinutes(1))
                .with(config)
                .onLoss(kind.policy());
        try (var group = new TestGroup(
                nodes(config, world), options, CollectiveEngineTest.ranks(world).reversed())) {
            group.fabric.tellsRoom(kind == Kind.SUM_APART || kind == Kind.SUM_FAIL_FAST);
            var outcomes = new Outcome[world];
            var sums = new float[world];
            NodeId dead = group.nodes.get(victim);
            group.fabric.killAfter(dead, after, () -> group.told.add("killed"));
            TestGroup.Run run = group.start((rank, context) -> {
                try {
                    outcomes[rank] = play(kind, group.engine(rank), rank, world);
                    sums[rank] = next(kind, context, rank);
                } finally {
                    group.told.add("end");
                }
            });
            String what = group.awaitOne("killed", "end");
            for (int ends = 1; what.equals("end") && ends < world; ends++) {
                what = group.awaitOne("killed", "end");
            }
            boolean isKilled = what.equals("killed");
            if (isKilled) {
                group.awaitFirstCall(group.without(dead)); // the root is a rank of the first view
                group.change(group.without(dead));
                group.end(dead);
            }
            List<Integer> kept = IntStream.range(0, world)
                    .filter(rank -> !isKilled || rank != victim)
                    .boxed()
                    .toList();
            String when = kind + " in a world of " + world + ", rank " + victim + " killed after " + after;
            assertEquals(Map.of(), run.join(kept), when);
            check(kind, kept, world, victim, outcomes, when);
            for (int rank : kept) {
                assertEquals(sums[kept.getFirst()], sums[rank], when + ": the call that follows");
            }
            return isKilled;
        }
    }

    private static float next(Kind kind, DistributedContext context, int rank) throws CollectiveException {
        float[] values = {1 << rank};
        try {
            context.allReduce(values, ReduceOp.SUM);
        } catch (PeerLostException lost) {
            if (kind.policy() == LossPolicy.RETRY) {
                throw lost;
            }
            return UNTOUCHED;
        }
        return values[0];
    }

    private static float[] blocks(int rank, int world) {
        return CollectiveEngineTest.input(rank, BLOCK * world);
    }

    private static Outcome play(Kind kind, DistributedBackend backend, int rank, int world) throws CollectiveException {
        float[] input = kind == Kind.SCATTER || kind == Kind.ALL_TO_ALL
                ? blocks(rank, world)
                : CollectiveEngineTest.input(rank, COUNT);
        float[] output = input;
        if (kind == Kind.ALL_GATHER || kind == Kind.GATHER) {
            output = new float[COUNT * world];
            Arrays.fill(output, UNTOUCHED);
        } else if (kind == Kind.ALL_TO_ALL) {
            output = new float[BLOCK * world];
            Arrays.fill(output, UNTOUCHED);
        } else if (kind == Kind.SCATTER) {
            output = CollectiveEngineTest.input(rank, BLOCK);
        }
        float[] before = output.clone();
        Optional<CollectiveResult> result;
        try {
            result = Optional.of(
                    kind.isSum()
                            ? sum(kind, backend, input, output)
                            : play(kind, backend, MemorySegment.ofArray(input), MemorySegment.ofArray(output)));
        } catch (PeerLostException rootLost) {
            result = Optional.empty();
        }
        return new Outcome(before, output, result);
    }

    /** Sums in native memory; {@code output} gets its content at the end, also after an error. */
    private static CollectiveResult sum(Kind kind, DistributedBackend backend, float[] input, float[] output)
            throws CollectiveException {
        MemorySegment in = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, input);
        MemorySegment out = kind == Kind.SUM_APART ? Arena.ofAuto().allocate(in.byteSize()) : in;
        try {
            CollectiveResult result =
                    backend.allReduce(in, out, DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
            if (kind == Kind.SUM_APART) {
                assertArrayEquals(input, in.toArray(ValueLayout.JAVA_FLOAT), "the contribution is intact");
            }
            return result;
        } finally {
            MemorySegment.copy(out, ValueLayout.JAVA_FLOAT, 0, output, 0, output.length);
        }
    }

    private static CollectiveResult play(Kind kind, DistributedBackend backend, MemorySegment in, MemorySegment out)
            throws CollectiveException {
        CollectiveOptions how = CollectiveOptions.DEFAULTS;
        return switch (kind) {
            case REDUCE_SCATTER -> backend.reduceScatter(in, DataType.FLOAT32, ReduceOp.SUM, how);
            case ALL_GATHER -> backend.allGather(in, out, DataType.FLOAT32, how);
            case ALL_TO_ALL -> backend.allToAll(in, out, BLOCK, DataType.FLOAT32, how);
            case REDUCE -> backend.reduce(in, DataType.FLOAT32, ReduceOp.SUM, ROOT, how);
            case GATHER -> backend.gather(in, out, DataType.FLOAT32, ROOT, how);
            case SCATTER -> backend.scatter(in, out, DataType.FLOAT32, ROOT, how);
            case BROADCAST -> backend.broadcast(in, DataType.FLOAT32, ROOT, how);
            case SUM_OVER, SUM_APART, SUM_FAIL_FAST -> throw new AssertionError(kind);
        };
    }

    private static void check(Kind kind, List<Integer> kept, int world, int victim, Outcome[] outcomes, String when) {
        Optional<CollectiveResult> first = outcomes[kept.getFirst()].result;
        boolean survivesLoss = kind.policy() == LossPolicy.RETRY;
        if (kept.size() == world || (survivesLoss && (!kind.hasRoot() || kept.contains(ROOT)))) {
            assertTrue(first.isPresent(), when);
        }
        int contributors = first.map(CollectiveResult::contributors).orElse(world);
        List<Integer> with = CollectiveEngineTest.ranks(world);
        if (contributors < world) {
            with = with.stream().filter(rank -> rank != victim).toList();
        }
        for (int rank : kept) {
            Outcome outcome = outcomes[rank];
            assertEquals(first.isPresent(), outcome.result.isPresent(), when + ": all or nothing");
            float[] expected = first.isPresent() ? expected(kind, rank, with, world, outcome.before) : outcome.before;
            assertArrayEquals(expected, outcome.after, when + ", rank " + rank);
            outcome.result.ifPresent(result -> assertEquals(contributors, result.contributors(), when));
        }
    }

    private static float[] expected(Kind kind, int rank, List<Integer> with, int world, float[] before) {
        float[] expected = before.clone();
        int place = with.indexOf(rank);
        boolean isTarget = rank == ROOT || kind == Kind.ALL_GATHER;
        switch (kind) {
            case REDUCE_SCATTER -> {
                Shares shares = Shares.equal(COUNT, with.size());
                int from = (int) shares.start(place);
                System.arraycopy(
                        CollectiveEngineTest.sum(with, COUNT), from, expected, from, (int) shares.count(place));
            }
            case ALL_GATHER, GATHER -> {
                for (int i = 0; i < with.size() && isTarget; i++) {
                    System.arraycopy(CollectiveEngineTest.input(with.get(i), COUNT), 0, expected, i * COUNT, COUNT);
                }
            }
            case REDUCE -> {
                if (isTarget) {
                    return CollectiveEngineTest.sum(with, COUNT);
                }
            }
            case ALL_TO_ALL -> {
                for (int i = 0; i < with.size(); i++) {
                    System.arraycopy(blocks(with.get(i), world), place * BLOCK, expected, i * BLOCK, BLOCK);
                }
            }
            case SCATTER -> System.arraycopy(blocks(ROOT, world), place * BLOCK, expected, 0, BLOCK);
            case BROADCAST -> {
                return CollectiveEngineTest.input(ROOT, COUNT);
            }
            case SUM_OVER, SUM_APART, SUM_FAIL_FAST -> {
                return CollectiveEngineTest.sum(with, COUNT);
            }
        }
        return expected;
    }
}
