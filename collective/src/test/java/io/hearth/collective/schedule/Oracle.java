package io.hearth.collective.schedule;

import java.util.List;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

/** The expected buffer of one position; a range without an expectation stays as it was. */
final class Oracle {
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

    /** Share c begins with position c + offset; each next position's value is the left operand, the received one the right. */
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

    /** Each leader adds its members to itself; the owner of a share adds the islands after its own to it, around. */
    void inIslands(Islands islands, Shares shares) {
        int[] leaders = IntStream.range(0, islands.world())
                .filter(position -> islands.leaders().get(position) == position)
                .toArray();
        for (int owner = 0; owner < leaders.length && inputs.size() > 1; owner++) {
            for (int i = (int) shares.start(owner); i < shares.start(owner) + shares.count(owner); i++) {
                expected[i] = island(islands, leaders[owner], i);
                for (int step = 1; step < leaders.length; step++) {
                    int leader = leaders[(owner + step) % leaders.length];
                    expected[i] = op.applyAsLong(expected[i], island(islands, leader, i));
                }
                expected[i] = average.applyAsLong(expected[i]);
            }
        }
    }

    private long island(Islands islands, int leader, int i) {
        long sum = inputs.get(leader)[i];
        for (int member = 0; member < inputs.size(); member++) {
            if (member != leader && islands.leaders().get(member) == leader) {
                sum = op.applyAsLong(sum, inputs.get(member)[i]);
            }
        }
        return sum;
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

    /** The subtree has the numbers from {@code number} to number + room - 1, as far as they exist. */
    private long subtree(int root, int number, int room, int i) {
        int world = inputs.size();
        long sum = inputs.get((root + number) % world)[i];
        for (int step = 1; step < room && number + step < world; step *= 2) {
            sum = op.applyAsLong(sum, subtree(root, number + step, step, i));
        }
        return sum;
    }

    /** Block k is the one of position p - k; block 0 stays. */
    void turned(int block) {
        for (int step = 1; step < inputs.size(); step++) {
            copy(Math.floorMod(position - step, inputs.size()), step * block, (step + 1) * block);
        }
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
