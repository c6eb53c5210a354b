package io.hearth.collective.schedule;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** All schedules, each with its expected result by sequential arithmetic. */
enum Patterns {
    RING_ALL_REDUCE,
    DIRECT_ALL_REDUCE,
    WEIGHTED_ALL_REDUCE,
    WHOLE_EXCHANGE,
    TREE_ALL_REDUCE,
    STAR_ALL_REDUCE,
    ISLAND_ALL_REDUCE,
    WEIGHTED_ISLAND_ALL_REDUCE,
    RING_REDUCE_SCATTER,
    DIRECT_REDUCE_SCATTER,
    RING_REDUCE,
    TREE_REDUCE,
    STAR_REDUCE,
    RING_ALL_GATHER,
    DIRECT_ALL_GATHER,
    DIRECT_ALL_TO_ALL,
    STAR_GATHER,
    STAR_SCATTER,
    RING_BROADCAST,
    TREE_BROADCAST,
    COMPLETION_BARRIER;

    /** Sizes in elements and bytes. */
    record Size(int world, int count, int element, int segment) {
        long bytes() {
            return (long) count * element;
        }
    }

    /** The schedule of each position, and the expected buffer of a position. */
    record Pattern(IntFunction<Schedule> schedule, Outcome outcome) {}

    @FunctionalInterface
    interface Outcome {
        void expect(int position, Oracle expected);
    }

    /** The pattern of this kind; {@code root} is also a seed for shares and blocks. */
    Pattern of(Size size, int root) {
        return switch (this) {
            case RING_ALL_REDUCE ->
                new Pattern(
                        p -> new RingAllReduce(p, size.world, size.count, size.element, size.segment),
                        (p, sum) -> sum.ringShares(
                                Shares.equal(size.count, size.world), 0, IntStream.range(0, size.world)));
            case DIRECT_ALL_REDUCE ->
                new Pattern(
                        p -> new DirectAllReduce(p, Shares.equal(size.count, size.world), size.element, size.segment),
                        (p, sum) -> sum.inPositionOrder(0, size.count));
            case WEIGHTED_ALL_REDUCE ->
                new Pattern(
                        p -> new DirectAllReduce(
                                p, Shares.weighted(size.count, weights(size.world, root)), size.element, size.segment),
                        (p, sum) -> sum.inPositionOrder(0, size.count));
            case WHOLE_EXCHANGE ->
                new Pattern(
                        p -> new WholeExchange(p, size.world, size.count, size.element, size.segment),
                        (p, sum) -> sum.inPositionOrder(0, size.count));
            case TREE_ALL_REDUCE ->
                new Pattern(
                        p -> new TreeAllReduce(p, size.world, size.count, size.element, size.segment),
                        (p, sum) -> sum.inTree(0));
            case STAR_ALL_REDUCE ->
                new Pattern(
                        p -> new StarAllReduce(p, size.world, root, size.count, size.element, size.segment),
                        (p, sum) -> sum.inPositionOrder(0, size.count));
            case ISLAND_ALL_REDUCE -> {
                Islands islands = islands(size.world, root);
                yield islands(size, islands, Shares.equal(size.count, islands.count()));
            }
            case WEIGHTED_ISLAND_ALL_REDUCE -> {
                Islands islands = islands(size.world, root);
                List<Double> weights = weights(islands.count(), root % islands.count());
                yield islands(size, islands, Shares.weighted(size.count, weights));
            }
            case RING_REDUCE_SCATTER ->
                new Pattern(
                        p -> new RingReduceScatter(p, shares(size, root), size.element, size.segment),
                        (p, sum) -> sum.ringShares(shares(size, root), 1, IntStream.of(p)));
            case DIRECT_REDUCE_SCATTER ->
                new Pattern(
                        p -> new DirectReduceScatter(p, shares(size, root), size.element, size.segment),
                        (p, sum) -> sum.inPositionOrder(
                                shares(size, root).start(p),
                                shares(size, root).start(p) + shares(size, root).count(p)));
            case RING_REDUCE ->
                new Pattern(
                        p -> new RingReduce(p, size.world, root, size.count, size.element, size.segment),
                        (p, sum) -> sum.onlyAt(root, () -> sum.inChain(root)));
            case TREE_REDUCE ->
                new Pattern(
                        p -> new TreeReduce(p, size.world, root, size.count, size.element, size.segment),
                        (p, sum) -> sum.onlyAt(root, () -> sum.inTree(root)));
            case STAR_REDUCE ->
                new Pattern(
                        p -> new StarReduce(p, size.world, root, size.count, size.element, size.segment),
                        (p, sum) -> sum.onlyAt(root, () -> sum.inPositionOrder(0, size.count)));
            case RING_ALL_GATHER ->
                new Pattern(
                        p -> new RingAllGather(p, blocks(size, root), size.segment),
                        (p, sum) -> sum.blocks(blocks(size, root), IntStream.range(0, size.world)));
            case DIRECT_ALL_GATHER ->
                new Pattern(
                        p -> new DirectAllGather(p, blocks(size, root), size.segment),
                        (p, sum) -> sum.blocks(blocks(size, root), IntStream.range(0, size.world)));
            case DIRECT_ALL_TO_ALL -> {
                int block = size.count / size.world;
                yield new Pattern(
                        p -> new DirectAllToAll(p, size.world, (long) block * size.element, size.segment),
                        (p, sum) -> sum.turned(block));
            }
            case STAR_GATHER ->
                new Pattern(
                        p -> new StarGather(p, root, blocks(size, root), size.segment),
                        (p, sum) ->
                                sum.onlyAt(root, () -> sum.blocks(blocks(size, root), IntStream.range(0, size.world))));
            case STAR_SCATTER ->
                new Pattern(
                        p -> new StarScatter(p, root, blocks(size, root), size.segment),
                        (p, sum) -> sum.block(blocks(size, root), p, root));
            case RING_BROADCAST ->
                new Pattern(
                        p -> new RingBroadcast(p, size.world, root, size.bytes(), size.segment),
                        (p, sum) -> sum.copy(root, 0, size.count));
            case TREE_BROADCAST ->
                new Pattern(
                        p -> new TreeBroadcast(p, size.world, root, size.bytes(), size.segment),
                        (p, sum) -> sum.copy(root, 0, size.count));
            case COMPLETION_BARRIER -> new Pattern(p -> new CompletionBarrier(p, size.world), (p, sum) -> {});
        };
    }

    /** Whether buffers hold partial sums outside the result. */
    boolean isScratch() {
        return switch (this) {
            case RING_REDUCE_SCATTER, RING_REDUCE, TREE_REDUCE -> true;
            default -> false;
        };
    }

    /** Whether the result may replace the input. */
    boolean mayBeInPlace() {
        return switch (this) {
            case RING_ALL_REDUCE, ISLAND_ALL_REDUCE, WEIGHTED_ISLAND_ALL_REDUCE -> true;
            default -> false;
        };
    }

    /** Whether a position that completes the schedule knows that all began it. */
    boolean isBarrier() {
        return switch (this) {
            case DIRECT_REDUCE_SCATTER, RING_REDUCE, TREE_REDUCE, STAR_REDUCE, STAR_GATHER, STAR_SCATTER -> false;
            case TREE_BROADCAST, RING_REDUCE_SCATTER -> false;
            default -> true;
        };
    }

    static List<Double> weights(int world, int seed) {
        List<Double> weights = new ArrayList<>();
        for (int position = 0; position < world; position++) {
            weights.add(position == seed ? 1.5 : (position + seed) % 3 * 0.7);
        }
        return weights;
    }

    static Pattern islands(Size size, Islands islands, Shares shares) {
        return new Pattern(
                p -> new IslandAllReduce(p, islands, shares, size.element, size.segment),
                (p, sum) -> sum.inIslands(islands, shares));
    }

    /** One island, neighbours in islands of 1, 2, 3, …, distant positions in islands with a late leader, or each position alone. */
    private static Islands islands(int world, int seed) {
        return switch (seed % 4) {
            case 0 -> blocks(world);
            case 1 -> new Islands(Collections.nCopies(world, seed % world));
            case 2 ->
                new Islands(IntStream.range(0, world)
                        .map(position -> Math.max(position, world - 1 - (world - 1 - position) % 3))
                        .boxed()
                        .toList());
            default -> Islands.alone(world);
        };
    }

    private static Islands blocks(int world) {
        List<Integer> leaders = new ArrayList<>();
        for (int size = 1; leaders.size() < world; size++) {
            leaders.addAll(Collections.nCopies(Math.min(size, world - leaders.size()), leaders.size()));
        }
        return new Islands(leaders);
    }

    private static Shares shares(Size size, int seed) {
        return seed % 2 == 0
                ? Shares.equal(size.count, size.world)
                : Shares.weighted(size.count, weights(size.world, seed));
    }

    /** Blocks with gaps, some of them empty. */
    static Blocks blocks(Size size, int seed) {
        Shares shares = shares(size, seed);
        List<Long> offsets = new ArrayList<>();
        List<Long> lengths = new ArrayList<>();
        for (int position = 0; position < size.world; position++) {
            offsets.add(shares.start(position) * size.element);
            lengths.add(Math.max(0, shares.count(position) - (position + seed) % 3) * size.element);
        }
        return Blocks.at(offsets, lengths);
    }
}
