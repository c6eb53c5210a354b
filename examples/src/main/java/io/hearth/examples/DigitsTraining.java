package io.hearth.examples;

import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.collective.DistributedContext;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.ReduceOp;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;

/**
 * Data-parallel training of a real classifier on real handwritten digits: a whole training script, as a user writes one.
 *
 * <p>Every node holds the same model, made from one seed. In each step a node computes the gradients of its own share of the batch, the
 * cluster averages them, and every node takes the same step: the weights stay the same to the last bit.
 */
public final class DigitsTraining {
    private DigitsTraining() {}

    /** A listener for the progress of a training. */
    public interface Progress {
        /**
         * Called after each epoch.
         *
         * @param epoch counted from 1
         * @param steps taken so far
         * @param loss of this node's last batch
         */
        void epochDone(int epoch, long steps, double loss);
    }

    /**
     * The result of a training.
     *
     * @param steps taken
     * @param rightImages number of test images that the model classifies correctly
     * @param testImages number of all test images; none was trained on
     * @param weightsSha256 of the float32 weights, little-endian
     */
    public record Outcome(long steps, int rightImages, int testImages, String weightsSha256) {}

    /** Trains with at least one other machine of the namespace "home"; it waits for the first peer, so it never trains alone. */
    public static void main(String[] arguments) throws Exception {
        try (var hearth = AutoDiscoveryBackend.start(HearthConfig.defaults().namespace("home"))) {
            hearth.waitForPeers(1, Duration.ofSeconds(60));
            DistributedContext cluster = hearth.context();
            Outcome outcome = train(cluster, DigitsRecipe.EPOCHS, 1, (epoch, steps, loss) -> {
                if (cluster.isLead()) {
                    System.out.printf("epoch %d, loss %.4f%n", epoch, loss);
                }
            });
            System.out.printf("%d of %d test images right%n", outcome.rightImages(), outcome.testImages());
        }
    }

    /**
     * Trains the digits and tests the model; all ranks call this with the same arguments.
     *
     * <p>Each epoch is divided again among the ranks that are there then: if a node is lost, its share of that epoch is not trained.
     *
     * @param epochs passes over the training images, at least 1
     * @param seed of the first weights and of the shuffles
     * @throws CollectiveException if the cluster could not continue with this node; the message names the reason
     */
    public static Outcome train(DistributedContext cluster, int epochs, long seed, Progress progress)
            throws CollectiveException {
        return train(cluster, epochs, seed, Mlp.MOMENTUM, progress);
    }

    /**
     * As {@link #train(DistributedContext, int, long, Progress)}, with a momentum.
     *
     * @param momentum of the optimiser, 0 to below 1; see {@link CompressionStrategy#momentumLeft}
     * @throws CollectiveException as there
     */
    public static Outcome train(DistributedContext cluster, int epochs, long seed, float momentum, Progress progress)
            throws CollectiveException {
        Digits digits = Digits.load();
        Mlp model = DigitsRecipe.model(seed);
        Batches batches = DigitsRecipe.batches(digits, cluster.worldSize(), epochs, seed);
        long steps = 0;
        for (int epoch = 0; epoch < epochs; epoch++) {
            for (Batch batch : batches.epoch(epoch).shard(cluster.rank(), cluster.worldSize())) {
                float[] gradients = model.gradients(batch);
                cluster.allReduce(gradients, ReduceOp.AVG);
                model.step(gradients, momentum);
                steps++;
            }
            progress.epochDone(epoch + 1, steps, model.loss());
        }
        cluster.barrier(); // no rank leaves before all have the last step
        return new Outcome(steps, model.right(digits.test()), digits.test().size(), sha256(model.parameters()));
    }

    private static String sha256(float[] weights) {
        ByteBuffer bytes = ByteBuffer.allocate(weights.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(weights);
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.array()));
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError("every JDK has SHA-256", missing);
        }
    }
}
