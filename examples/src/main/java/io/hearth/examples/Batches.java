package io.hearth.examples;

import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A data set in batches, for one or more passes, divided among the nodes of a cluster.
 *
 * <p>Every node shuffles in the same way, from the seed and the number of the pass. Global step {@code s} takes the next
 * {@code worldSize * batchSize} samples, and each rank its own {@code batchSize} of them. So all ranks get the same number of batches, and
 * 4 nodes with batches of 16 see in each step the same samples as one node with batches of 64. Samples that do not fill a global step are
 * left out of that pass; the next pass leaves out others.
 */
public final class Batches {
    private final Batch samples;
    private final int batchSize;
    private final int firstEpoch;
    private final int endEpoch;
    private final long seed;

    /**
     * All passes from the first.
     *
     * @param samples the data set; kept
     * @param batchSize samples per rank and step, at least 1
     * @param epochs passes over the data, at least 1
     * @param seed the same on all nodes
     */
    public Batches(Batch samples, int batchSize, int epochs, long seed) {
        this(samples, batchSize, 0, epochs, seed);
        if (batchSize < 1 || epochs < 1) {
            throw new IllegalArgumentException(
                    "need at least one sample per batch and one epoch, got " + batchSize + " and " + epochs);
        }
    }

    private Batches(Batch samples, int batchSize, int firstEpoch, int endEpoch, long seed) {
        this.samples = samples;
        this.batchSize = batchSize;
        this.firstEpoch = firstEpoch;
        this.endEpoch = endEpoch;
        this.seed = seed;
    }

    /** Only that pass, for loops that divide the data again in each pass. */
    public Batches epoch(int epoch) {
        if (epoch < firstEpoch || epoch >= endEpoch) {
            throw new IllegalArgumentException(
                    "need an epoch from " + firstEpoch + " to " + (endEpoch - 1) + ", got " + epoch);
        }
        return new Batches(samples, batchSize, epoch, epoch + 1, seed);
    }

    /** Steps of one pass, the same on every rank. */
    public int stepsPerEpoch(int worldSize) {
        int steps = (int) (samples.size() / ((long) worldSize * batchSize));
        if (worldSize < 1 || steps == 0) {
            throw new IllegalArgumentException(samples.size() + " samples are too few for one step of " + worldSize
                    + " ranks with " + batchSize + " each");
        }
        return steps;
    }

    /** Steps of all passes, the same on every rank. */
    public int steps(int worldSize) {
        return stepsPerEpoch(worldSize) * (endEpoch - firstEpoch);
    }

    /**
     * This rank's batches of all passes, in order; each is made when the iterator reaches it.
     *
     * @param rank 0 to {@code worldSize - 1}
     */
    public Iterable<Batch> shard(int rank, int worldSize) {
        if (rank < 0 || rank >= worldSize) {
            throw new IllegalArgumentException("need 0 <= rank < world size, got rank " + rank + " of " + worldSize);
        }
        int steps = stepsPerEpoch(worldSize);
        return () -> IntStream.range(firstEpoch, endEpoch)
                .boxed()
                .flatMap(epoch -> batches(epoch, rank, worldSize, steps))
                .iterator();
    }

    private Stream<Batch> batches(int epoch, int rank, int worldSize, int steps) {
        int[] order = Shuffle.order(samples.size(), epochSeed(epoch));
        return IntStream.range(0, steps)
                .mapToObj(step -> samples.pick(order, (step * worldSize + rank) * batchSize, batchSize, epoch));
    }

    /** A seed per epoch; neighbouring epochs and seeds give seeds far apart. */
    private long epochSeed(int epoch) {
        return seed * 0x9e37_79b9_7f4a_7c15L + epoch;
    }
}
