package io.hearth.examples;

/**
 * Divides the training images step by step, for groups that change while they train. A rank's images of a step depend on the step, the rank
 * and the world size alone. So a node that joins later takes part at once.
 *
 * <p>Every node shuffles in the same way, from the seed and the number of the pass; each step takes the next
 * {@link DigitsRecipe#GLOBAL_BATCH} images. Images that do not fill a step are left out of that pass.
 */
public final class DigitsSteps {
    private final Batch samples;
    private final long seed;
    private final int stepsPerEpoch;
    private int[] order = {};
    private long orderedEpoch = -1;

    /**
     * Over the training images.
     *
     * @param seed the same on all nodes
     */
    public DigitsSteps(Digits digits, long seed) {
        this.samples = digits.train();
        this.seed = seed;
        this.stepsPerEpoch = samples.size() / DigitsRecipe.GLOBAL_BATCH;
    }

    /**
     * The images of a rank in a step: all ranks get the same number of images, none twice.
     *
     * @param step counted from 0
     * @param rank 0 to {@code worldSize - 1}
     * @param worldSize 1 to {@link DigitsRecipe#GLOBAL_BATCH}
     */
    public Batch batch(long step, int rank, int worldSize) {
        if (step < 0 || worldSize < 1 || worldSize > DigitsRecipe.GLOBAL_BATCH || rank < 0 || rank >= worldSize) {
            throw new IllegalArgumentException("need a step from 0, 1 to " + DigitsRecipe.GLOBAL_BATCH
                    + " ranks and one of them, got step " + step + ", rank " + rank + " of " + worldSize);
        }
        long epoch = step / stepsPerEpoch;
        if (epoch != orderedEpoch) {
            order = Shuffle.order(samples.size(), seed * 0x9e37_79b9_7f4a_7c15L + epoch);
            orderedEpoch = epoch;
        }
        int share = DigitsRecipe.GLOBAL_BATCH / worldSize;
        int from = (int) (step % stepsPerEpoch) * DigitsRecipe.GLOBAL_BATCH + rank * share;
        return samples.pick(order, from, share, (int) Math.min(epoch, Integer.MAX_VALUE));
    }
}
