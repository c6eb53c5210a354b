package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.BroadcastStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Ownership;
import io.hearth.collective.ReduceStrategy;
import io.hearth.collective.Work;
import io.hearth.collective.schedule.LinkModel;
import io.hearth.collective.schedule.Shares;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random calls of all collectives in random groups, compared with a sequential computation. */
final class CollectivesPropertyTest {
    private static final int WORLD_MAX = 16;
    private static final int SEEDS = (Boolean.getBoolean("hearth.full") ? 5 : 1) * WORLD_MAX;
    private static final int[] IN_TURN = {0, 4096};
    private static final int BUCKET_BYTES = 1024;
    private static final List<Long> IN_PLACE_MIN = List.of(Long.MAX_VALUE, 0L, 300L);
    private static final byte UNTOUCHED = 0x55;
    /** Measured links; slow links, so that sums take two hops; crowded ports, so that all schedules go round the ring. */
    private static final List<LinkModel> LINKS =
            List.of(LinkModel.GIGABIT, new LinkModel(0, 1000, 0, 0, 1, 0), new LinkModel(0, 1000, 0, 0, 4, 0));

    static LongStream seeds() {
        Long one = Long.getLong("hearth.seed"); // -Dhearth.seed=17 plays exactly one group
        return one == null ? LongStream.range(0, SEEDS) : LongStream.of(one);
    }

    private enum Kind {
        ALL_REDUCE,
        LIST,
        ASYNC,
        REDUCE_SCATTER,
        ALL_TO_ALL,
        UNEQUAL,
        BEGUN,
        ALL_GATHER,
        REDUCE,
        GATHER,
        SCATTER,
        BROADCAST,
        BARRIER,
        /** A transfer from one rank to another and one back, while the other ranks continue. */
        PAIR
    }

    /** One collective, the same on all ranks. */
    private record Ask(
            Kind kind,
            DataType type,
            ReduceOp op,
            CollectiveOptions how,
            int length,
            int root,
            int peer,
            boolean isWhole,
            long seed) {
        static Ask draw(SplittableRandom random, int world) {
            int[] lengths = {0, 1, 3, 7, world - 1, world, world + 1, 64, 101, 257, 499, 1009};
            Kind kind = random.nextInt(3) == 0 ? Kind.ALL_REDUCE : any(Kind.values(), random);
            return new Ask(
                    kind,
                    any(DataType.values(), random),
                    any(ReduceOp.values(), random),
                    how(random, world),
                    lengths[random.nextInt(lengths.length)],
                    random.nextInt(world),
                    random.nextInt(world),
                    kind.compareTo(Kind.ASYNC) > 0 || random.nextInt(4) > 0,
                    random.nextLong());
        }

        /** Sometimes with weights, some of them 0, or with explicit strategies. */
        private static CollectiveOptions how(SplittableRandom random, int world) {
            CollectiveOptions how = CollectiveOptions.DEFAULTS.by(any(AllReduceStrategy.values(), random));
            if (random.nextInt(4) == 0) {
                double[] weights = new double[world];
                for (int rank = 0; rank < world; rank++) {
                    weights[rank] = random.nextInt(3) * random.nextDouble();
                }
                weights[random.nextInt(world)] = 1;
                how = how.by(Ownership.weighted(weights));
            }
            if (random.nextBoolean()) {
                how = how.by(any(BroadcastStrategy.values(), random)).by(any(ReduceStrategy.values(), random));
            }
            return how;
        }

        byte[] input(int rank) {
            return isWhole
                    ? TypedValues.encode(type, TypedValues.whole(type, op, rank, length, seed), 1)
                    : TypedValues.awkward(type, rank, length, seed);
        }

        byte[] sum(int world) {
            return TypedValues.combined(
                    type,
                    op,
                    IntStream.range(0, world)
                            .mapToObj(rank -> TypedValues.whole(type, op, rank, length, seed))
                            .toList());
        }

        int bytes() {
            return length * type.bytes();
        }

        /** The starts of a list's tensors, and the end of the last; some are empty, some larger than a bucket. */
        List<Integer> cuts() {
            var random = new SplittableRandom(seed);
            var cuts = new ArrayList<Integer>();
            int tensors = length == 0 ? random.nextInt(3) : random.nextInt(1, 5);
            for (int i = 1; i < tensors; i++) {
                cuts.add(random.nextInt(length + 1) * type.bytes());
            }
            Collections.sort(cuts);
            if (tensors > 0) {
                cuts.addFirst(0);
                cuts.add(bytes());
            }
            return cuts;
        }
    }

    private static <T> T any(T[] values, SplittableRandom random) {
        return values[random.nextInt(values.length)];
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Got(byte[] bytes, CollectiveResult result) {}

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void allRanksEndWithWhatOneAfterTheOtherWouldGive(long seed) throws Exception {
        var random = new SplittableRandom(seed);
        int world = 1 + (int) (seed % WORLD_MAX);
        int inTurn = IN_TURN[random.nextInt(IN_TURN.length)];
        var config = new CollectiveConfig(
                AllReduceStrategy.AUTO,
                any(BroadcastStrategy.values(), random),
                any(ReduceStrategy.values(), random),
                256,
                inTurn,
                IN_PLACE_MIN.get(random.nextInt(IN_PLACE_MIN.size())),
                BUCKET_BYTES,
                LINKS.get(random.nextInt(LINKS.size())));
        var order = new ArrayList<>(CollectiveEngineTest.ranks(world));
        Collections.shuffle(order, new Random(seed));
        List<Ask> asks = IntStream.range(0, world > 5 ? 20 : 40)
                .mapToObj(_ -> Ask.draw(random, world))
                .toList();
        List<NodeId> nodes = TestGroup.nodes(world, 1 + random.nextInt(3));
        try (var group = new TestGroup(nodes, EngineOptions.DEFAULTS.with(config), order)) {
            group.fabric.tellsRoom(random.nextBoolean());
            var got = new Got[world][asks.size()];
            group.start((rank, _) -> {
                        var placement = new SplittableRandom(seed * 31 + rank);
                        for (int i = 0; i < asks.size(); i++) {
                            got[rank][i] = play(group.engine(rank), asks.get(i), rank, placement);
                        }
                    })
                    .joinWell();
            for (int i = 0; i < asks.size(); i++) {
                for (int rank = 0; rank < world; rank++) {
                    String what = "seed " + seed + ", rank " + rank + " of " + world + ", call " + i + ": "
                            + asks.get(i) + " by " + config;
                    check(asks.get(i), rank, got[rank][i], got[0][i], world, what);
                }
            }
        }
    }

    /** Memory on the heap or native, at any address, for this thread or for all. */
    private static MemorySegment room(SplittableRandom random, long bytes, boolean forAllThreads) {
        int skew = random.nextInt(9);
        MemorySegment whole = random.nextBoolean()
                ? MemorySegment.ofArray(new byte[Math.toIntExact(bytes + skew)])
                : forAllThreads || random.nextBoolean()
                        ? Arena.ofAuto().allocate(bytes + skew)
                        : confined(bytes + skew);
        return whole.asSlice(skew, bytes).fill(UNTOUCHED);
    }

    @SuppressWarnings("resource") // freed with its thread
    private static MemorySegment confined(long bytes) {
        return Arena.ofConfined().allocate(bytes);
    }

    private static MemorySegment filled(SplittableRandom random, byte[] bytes, boolean forAllThreads) {
        return room(random, bytes.length, forAllThreads).copyFrom(MemorySegment.ofArray(bytes));
    }

    private static Got play(DistributedBackend backend, Ask ask, int rank, SplittableRandom random) throws Exception {
        CollectiveOptions how = ask.how;
        byte[] before = ask.input(rank);
        MemorySegment input = filled(random, before, ask.kind == Kind.ASYNC);
        MemorySegment output = input;
        int world = backend.worldSize();
        CollectiveResult result;
        switch (ask.kind) {
            case ALL_REDUCE -> {
                output = random.nextBoolean() ? input : room(random, ask.bytes(), false);
                result = backend.allReduce(input, output, ask.type, ask.op, how);
            }
            case LIST -> result = backend.allReduce(tensors(ask, input), ask.type, ask.op, how);
            case ASYNC -> result = playAsync(backend, ask, tensors(ask, input), how);
            case REDUCE_SCATTER -> result = backend.reduceScatter(input, ask.type, ask.op, how);
            case ALL_GATHER -> {
                output = room(random, (long) ask.bytes() * world + ask.type.bytes(), false);
                result = backend.allGather(input, output, ask.type, how);
            }
            case ALL_TO_ALL -> {
                MemorySegment blocks = filled(random, sent(ask, rank, world), false);
                output = room(random, (long) ask.bytes() * world, false);
                result = backend.allToAll(blocks, output, ask.length, ask.type, how);
            }
            case UNEQUAL -> {
                output = room(random, (long) ask.bytes() * world, false);
                MemorySegment own = input.asSlice(0, (long) shorter(ask, rank) * ask.type.bytes());
                List<Long> counts = backend.allGatherUnequal(own, output, ask.type, how);
                assertEquals(
                        IntStream.range(0, world)
                                .mapToObj(other -> (long) shorter(ask, other))
                                .toList(),
                        counts);
                result = new CollectiveResult(world, 0, 0, ask.length);
            }
            case BEGUN -> {
                MemorySegment values = filled(random, before, true);
                Work work = backend.begin(ranks -> ranks.broadcast(values, ask.type, ask.root, how));
                backend.barrier(how);
                assertTrue(work.isDone(), "what was begun before a call has ended before it");
                result = work.await(Duration.ZERO).orElseThrow();
                assertEquals(result, work.completion().toCompletableFuture().get());
                output = values;
            }
            case REDUCE -> result = backend.reduce(input, ask.type, ask.op, ask.root, how);
            case GATHER -> {
                output = room(random, rank == ask.root ? (long) ask.bytes() * world : 3, false);
                result = backend.gather(input, output, ask.type, ask.root, how);
            }
            case SCATTER -> {
                MemorySegment blocks = filled(random, rank == ask.root ? scattered(ask, world) : new byte[5], false);
                output = room(random, ask.bytes(), false);
                result = backend.scatter(blocks, output, ask.type, ask.root, how);
            }
            case BROADCAST -> result = backend.broadcast(input, ask.type, ask.root, how);
            case BARRIER -> {
                backend.barrier(how);
                result = new CollectiveResult(world, 0, 0, 0);
            }
            case PAIR -> {
                boolean isPair = ask.peer != ask.root;
                if (isPair && rank == ask.root) {
                    backend.send(input, ask.type, ask.peer, how);
                }
                if (isPair && (rank == ask.root || rank == ask.peer)) {
                    output = room(random, ask.bytes(), false);
                    backend.receive(output, ask.type, rank == ask.root ? ask.peer : ask.root, how);
                }
                if (isPair && rank == ask.peer) {
                    backend.send(input, ask.type, ask.root, how);
                }
                result = new CollectiveResult(world, 0, 0, 0);
            }
            default -> throw new AssertionError(ask);
        }
        if (!output.equals(input)) {
            assertArrayEquals(before, input.toArray(ValueLayout.JAVA_BYTE), "the input is intact");
        }
        return new Got(output.toArray(ValueLayout.JAVA_BYTE), result);
    }

    private static List<MemorySegment> tensors(Ask ask, MemorySegment values) {
        List<Integer> cuts = ask.cuts();
        return IntStream.range(1, cuts.size())
                .mapToObj(i -> values.asSlice(cuts.get(i - 1), cuts.get(i) - cuts.get(i - 1)))
                .toList();
    }

    /** Begins all at once, except the last one, which waits for them. */
    private static CollectiveResult playAsync(
            DistributedBackend backend, Ask ask, List<MemorySegment> tensors, CollectiveOptions how) throws Exception {
        var works = new ArrayList<Work>();
        long count = 0;
        for (MemorySegment tensor : tensors.subList(0, Math.max(0, tensors.size() - 1))) {
            works.add(backend.allReduceAsync(tensor, ask.type, ask.op, how));
        }
        if (!tensors.isEmpty()) {
            count += backend.allReduce(tensors.getLast(), ask.type, ask.op, how).count();
        }
        for (Work work : works.reversed()) {
            assertTrue(work.isDone(), "what was begun before a call has ended before it");
            count += work.await().count();
        }
        return new CollectiveResult(backend.worldSize(), 0, 0, count);
    }

    /** Elements of a rank's block where blocks have different lengths. */
    private static int shorter(Ask ask, int rank) {
        return Math.max(0, ask.length - rank);
    }

    /** A block for each rank: the rank's own values, of which those before the receiver's rank are untouched. */
    private static byte[] sent(Ask ask, int rank, int world) {
        return concat(
                IntStream.range(0, world).mapToObj(to -> marked(ask, rank, to)).toList());
    }

    private static byte[] marked(Ask ask, int from, int to) {
        byte[] block = ask.input(from);
        Arrays.fill(block, 0, Math.min(block.length, to), UNTOUCHED);
        return block;
    }

    private static byte[] scattered(Ask ask, int world) {
        return concat(IntStream.range(0, world).mapToObj(ask::input).toList());
    }

    private static byte[] concat(List<byte[]> parts) {
        byte[] all = new byte[parts.stream().mapToInt(part -> part.length).sum()];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }

    private static byte[] untouched(int bytes) {
        byte[] all = new byte[bytes];
        Arrays.fill(all, UNTOUCHED);
        return all;
    }

    private static void check(Ask ask, int rank, Got got, Got atZero, int world, String what) {
        boolean isRoot = rank == ask.root;
        long first = 0;
        long count = ask.length;
        byte[] expected;
        switch (ask.kind) {
            case ALL_REDUCE, LIST, ASYNC -> expected = ask.isWhole ? ask.sum(world) : atZero.bytes;
            case REDUCE_SCATTER -> {
                Shares shares = Shares.equal(ask.length, world);
                first = shares.start(rank);
                count = shares.count(rank);
                expected = ask.input(rank);
                int from = (int) first * ask.type.bytes();
                System.arraycopy(ask.sum(world), from, expected, from, (int) count * ask.type.bytes());
            }
            case ALL_GATHER -> {
                expected = concat(List.of(scattered(ask, world), untouched(ask.type.bytes())));
                count *= world;
            }
            case ALL_TO_ALL -> {
                expected = concat(IntStream.range(0, world)
                        .mapToObj(from -> marked(ask, from, rank))
                        .toList());
                count *= world;
            }
            case UNEQUAL -> {
                byte[] all = concat(IntStream.range(0, world)
                        .mapToObj(from -> Arrays.copyOf(ask.input(from), shorter(ask, from) * ask.type.bytes()))
                        .toList());
                expected = concat(List.of(all, untouched(ask.bytes() * world - all.length)));
            }
            case REDUCE -> {
                expected = isRoot ? ask.sum(world) : ask.input(rank);
                count = isRoot ? count : 0;
            }
            case GATHER -> {
                expected = isRoot ? scattered(ask, world) : untouched(3);
                count = isRoot ? count * world : 0;
            }
            case SCATTER -> expected = ask.input(rank);
            case BROADCAST, BEGUN -> expected = ask.input(ask.root);
            case BARRIER -> {
                expected = ask.input(rank);
                count = 0;
            }
            case PAIR -> {
                expected = ask.input(isRoot ? ask.peer : rank == ask.peer ? ask.root : rank);
                count = 0;
            }
            default -> throw new AssertionError(ask);
        }
        assertEquals(-1, TypedValues.difference(ask.type, expected, got.bytes), what + "; first difference");
        assertEquals(first, got.result.first(), what);
        assertEquals(count, got.result.count(), what);
        assertEquals(world, got.result.contributors(), what);
    }
}
