package io.hearth.bench;

import io.hearth.core.CollectiveException;
import io.hearth.core.HearthException;
import io.hearth.examples.Batch;
import io.hearth.examples.Batches;
import io.hearth.examples.Mlp;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One training. Four nodes, each a rank of a group over loopback, train with 32 images each per step. The network has 784 inputs, 128 hidden units and 10 outputs. The optimizer is stochastic gradient descent with momentum 0.9 and a rate of 0.1, in the last quarter of the epochs 0.01. The seed sets the split of the images, the initial weights and the order of the images, so two trainings with one seed differ only in their codecs.
 *
 * <p>All nodes have the same weights to the last bit, which every step checks. So one network represents all of them.
 */
final class ConvergenceRun {
    static final int NODES = 4;
    static final int BATCH = 32;
    static final int GLOBAL_BATCH = NODES * BATCH;

    private static final int HIDDEN = 128;
    private static final float RATE = 0.1f;
    private static final float LAST_RATE = 0.01f;
    private static final float MOMENTUM = 0.9f;

    private final ConvergenceCodec codec;
    private final long seed;
    private final int epochs;

    /** A training with {@code epochs} passes over the images. */
    ConvergenceRun(ConvergenceCodec codec, long seed, int epochs) {
        this.codec = codec;
        this.seed = seed;
        this.epochs = epochs;
    }

    /**
     * Trains the network and tests it.
     *
     * @throws HearthException a value left the range of the codec; the message says in which step
     */
    ConvergenceLine train(MnistImages images) throws HearthException, InterruptedException {
        MnistImages.Split split = images.split(seed);
        var model = new Mlp(MnistImages.PIXELS, HIDDEN, MnistImages.CLASSES, RATE, seed);
        var batches = new Batches(split.train(), BATCH, epochs, seed);
        try (var sum = new EngineSum(codec, NODES, model.matrices(), model.parameters().length)) {
            train(model, batches, sum);
            return new ConvergenceLine(codec.text(), seed, 100 * model.accuracy(split.test()), sum.sentRatio());
        }
    }

    private void train(Mlp model, Batches batches, EngineSum sum) throws HearthException, InterruptedException {
        float[][] gradients = new float[NODES][model.parameters().length];
        float momentum = codec.momentum(MOMENTUM);
        for (int epoch = 0; epoch < epochs; epoch++) {
            float rate = rate(epoch, epochs);
            Batches ofEpoch = batches.epoch(epoch);
            List<Iterator<Batch>> shards = IntStream.range(0, NODES)
                    .mapToObj(rank -> ofEpoch.shard(rank, NODES).iterator())
                    .toList();
            for (int step = 0; step < ofEpoch.steps(NODES); step++) {
                for (int rank = 0; rank < NODES; rank++) {
                    model.gradients(shards.get(rank).next(), gradients[rank]);
                }
                mean(gradients, sum, epoch, step);
                model.step(gradients[0], rate, momentum);
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    /** The learning rate in that epoch, from 0. */
    static float rate(int epoch, int epochs) {
        return 4L * epoch < 3L * epochs ? RATE : LAST_RATE;
    }

    private void mean(float[][] gradients, EngineSum sum, int epoch, int step)
            throws HearthException, InterruptedException {
        try {
            sum.mean(gradients);
        } catch (CollectiveException ended) {
            throw new HearthException(
                    "training with " + codec.text() + " and seed " + seed + " ended in epoch " + (epoch + 1) + ", step "
                            + (step + 1) + ": " + ended.getMessage(),
                    ended);
        }
        for (int rank = 1; rank < gradients.length; rank++) {
            int differs = Arrays.mismatch(gradients[0], gradients[rank]);
            if (differs >= 0) {
                throw new AssertionError(
                        "nodes 0 and " + rank + " differ at value " + differs + " with " + codec.text());
            }
        }
    }
}
