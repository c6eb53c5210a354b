package io.hearth.collective.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

/** Every schedule there is, with what it must end in by plain sequential arithmetic. */
enum Patterns {
    RING_ALL_REDUCE,
    DIRECT_ALL_REDUCE,
    WEIGHTED_ALL_REDUCE,
    WHOLE_EXCHANGE,
    TREE_ALL_REDUCE,
    STAR_ALL_REDUCE,
    RING_REDUCE_SCATTER,
    DIRECT_REDUCE_SCATTER,
    RING_REDUCE,
    TREE_REDUCE,
    STAR_REDUCE,
    RING_ALL_GATHER,
    DIRECT_ALL_GATHER,
    STAR_GATHER,
    STAR_SCATTER,
    RING_BROADCAST,
    TREE_BROADCAST,
    SEND_RECEIVE,
    HELD_ROUND;

    /** Sizes in elements and bytes. */
    record Size(int world, int count, int element, int segment) {
        long bytes() {
            return (long) count * element;
        }
    }

    /** The schedule of each position, and what a position's buffer must end in. */
    record Pattern(IntFunction<Schedule> schedule, Outcome outcome) {}

    @FunctionalInterface
    interface Outcome {
        void tell(int position, Oracle expected);
    }

    /** This kind; {@code root} is also a seed for shares and blocks. */
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
            case SEND_RECEIVE ->
                new Pattern(
                        p -> size.world == 1
                                ? new HeldRound(p, 1)
                                : new SendReceive(
                                        p,
                                        size.world,
                                        root,
                                        (root + 1 + size.count % (size.world - 1)) % size.world,
                                        size.bytes(),
                                        size.segment),
                        (p, sum) -> {
                            if (size.world > 1) {
                                int to = (root + 1 + size.count % (size.world - 1)) % size.world;
                                sum.onlyAt(to, () -> sum.copy(root, 0, size.count));
                            }
                        });
            case HELD_ROUND -> new Pattern(p -> new HeldRound(p, size.world), (p, sum) -> {});
        };
    }

    /** Whether buffers hold sums on their way where the result is not. */
    boolean isScratch() {
        return switch (this) {
            case RING_REDUCE_SCATTER, RING_REDUCE, TREE_REDUCE -> true;
            default -> false;
        };
    }

    /** Whether whoever is through knows that all began. */
    boolean isBarrier() {
        return switch (this) {
            case DIRECT_REDUCE_SCATTER, RING_REDUCE, TREE_REDUCE, STAR_REDUCE, STAR_GATHER, STAR_SCATTER -> false;
            case TREE_BROADCAST, SEND_RECEIVE, RING_REDUCE_SCATTER -> false;
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

    /** What the buffer of one position must hold; ranges that nobody writes down stay as they are. */
    static final class Oracle {
        final long[] expected;
        private final int position;
        private final List<long[]> inputs;
        private final LongBinaryOperator op;
        private final LongUnaryOperator average;
        private final int element;

        Oracle(
                int position,
                long[] before,
                List<long[]> inputs,
                LongBinaryOperator op,
                LongUnaryOperator average,
                int element) {
            this.position = position;
            this.expected = before.clone();
            this.inputs = inputs;
            this.op = op;
            this.average = average;
            this.element = element;
        }

        void onlyAt(int root, Runnable what) {
            if (position == root) {
                what.run();
            }
        }

        /** In a world of one nothing is received. */
        void inPositionOrder(long from, long to) {
            for (int i = (int) from; i < to && inputs.size() > 1; i++) {
                expected[i] = inputs.getFirst()[i];
                for (int other = 1; other < inputs.size(); other++) {
                    expected[i] = op.applyAsLong(expected[i], inputs.get(other)[i]);
                }
                expected[i] = average.applyAsLong(expected[i]);
            }
        }

        /** Share c begins with position c + offset, and each next one puts its own before what came. */
        void ringShares(Shares shares, int offset, IntStream which) {
            int world = inputs.size();
            which.filter(share -> world > 1).forEach(share -> {
                for (int i = (int) shares.start(share); i < shares.start(share) + shares.count(share); i++) {
                    expected[i] = inputs.get((share + offset) % world)[i];
                    for (int step = 1; step < world; step++) {
                        expected[i] = op.applyAsLong(inputs.get((share + offset + step) % world)[i], expected[i]);
                    }
                    expected[i] = average.applyAsLong(expected[i]);
                }
            });
        }

        void inChain(int root) {
            int world = inputs.size();
            for (int i = 0; i < expected.length && world > 1; i++) {
                expected[i] = inputs.get((root + 1) % world)[i];
                for (int step = 2; step <= world; step++) {
                    expected[i] = op.applyAsLong(expected[i], inputs.get((root + step) % world)[i]);
                }
                expected[i] = average.applyAsLong(expected[i]);
            }
        }

        void inTree(int root) {
            for (int i = 0; i < expected.length && inputs.size() > 1; i++) {
                expected[i] = average.applyAsLong(subtree(root, 0, inputs.size(), i));
            }
        }

        /** Numbers number to number + room - 1 belong to the subtree, as far as there are any. */
        private long subtree(int root, int number, int room, int i) {
            int world = inputs.size();
            long sum = inputs.get((root + number) % world)[i];
            for (int step = 1; step < room && number + step < world; step *= 2) {
                sum = op.applyAsLong(sum, subtree(root, number + step, step, i));
            }
            return sum;
        }

        void copy(int from, int start, int end) {
            if (from != position) {
                System.arraycopy(inputs.get(from), start, expected, start, end - start);
            }
        }

        void blocks(Blocks blocks, IntStream which) {
            which.forEach(block -> block(blocks, block, block));
        }

        void block(Blocks blocks, int block, int from) {
            int start = (int) (blocks.offset(block) / element);
            copy(from, start, start + (int) (blocks.length(block) / element));
        }
    }
}
