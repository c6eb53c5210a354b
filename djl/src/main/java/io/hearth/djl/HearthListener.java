package io.hearth.djl;

import ai.djl.engine.EngineException;
import ai.djl.nn.Parameter;
import ai.djl.training.Trainer;
import ai.djl.training.listener.TrainingListenerAdapter;
import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.collective.DistributedContext;
import io.hearth.core.CollectiveException;
import io.hearth.core.HearthException;
import io.hearth.core.ReduceOp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Trains one model on the machines of a LAN: a listener of a trainer of the Deep Java Library (DJL), the same on each machine.
 *
 * <pre>{@code
 * var config = new DefaultTrainingConfig(Loss.softmaxCrossEntropyLoss())
 *         .addTrainingListeners(HearthListener.join(2));
 * }</pre>
 *
 * <p>DJL tells its listeners about a batch between the backward pass and the step of the optimizer; there the gradients of all machines are
 * averaged. In the first batch all take the weights and the gradients of rank 0, so the models may begin with different weights. What has
 * no gradient, such as the mean of a batch norm, is that of rank 0 after each batch. All machines must make the same number of steps; give
 * each its own part of the data. If a machine dies, the others average without it and go on; one that starts later waits for the next
 * training.
 *
 * <p>A trainer must have one device, since DJL shows the gradients of its first only. One thread calls at a time, as DJL does.
 */
public final class HearthListener extends TrainingListenerAdapter {
    private final DistributedContext cluster;
    private final @Nullable AutoDiscoveryBackend owned; // ends with the training
    private @Nullable Values gradients; // those of the first batch; the memory stays
    private @Nullable Values rest;

    private HearthListener(DistributedContext cluster, @Nullable AutoDiscoveryBackend owned) {
        this.cluster = cluster;
        this.owned = owned;
    }

    /** For a cluster that the caller has, and closes. */
    public static HearthListener of(DistributedContext cluster) {
        return new HearthListener(cluster, null);
    }

    /**
     * Finds the other machines, with the settings of this one, and waits for them, a minute at most. Closing the trainer leaves them.
     *
     * @param worldSize machines together, 2 or more
     * @throws HearthException if there is no secret, or too few machines were found; the text says what to do
     * @throws InterruptedException if this thread was interrupted; nothing is open then
     */
    public static HearthListener join(int worldSize) throws HearthException, InterruptedException {
        return join(worldSize, HearthConfig.defaults(), Duration.ofMinutes(1));
    }

    /** As {@link #join(int)}, with other settings and another longest wait. */
    public static HearthListener join(int worldSize, HearthConfig config, Duration longest)
            throws HearthException, InterruptedException {
        if (worldSize < 2) {
            throw new IllegalArgumentException("worldSize must be 2 or more, got " + worldSize);
        }
        AutoDiscoveryBackend node = AutoDiscoveryBackend.start(config);
        try {
            node.waitForPeers(worldSize - 1, longest);
            return new HearthListener(node.context(worldSize), node);
        } catch (HearthException | InterruptedException | RuntimeException failed) {
            node.close();
            throw failed;
        }
    }

    /** Averages the gradients. */
    @Override
    public void onTrainingBatch(Trainer trainer, BatchData batchData) {
        try {
            Values averaged = gradients;
            Values kept = rest;
            if (averaged == null || kept == null) {
                begin(trainer);
            } else {
                averaged.read();
                cluster.allReduce(averaged.tensors(), ReduceOp.AVG);
                averaged.write();
                kept.takeFromFirst(cluster);
            }
        } catch (CollectiveException failed) {
            throw new EngineException("the gradients were not averaged: " + failed.getMessage(), failed);
        }
    }

    private void begin(Trainer trainer) throws CollectiveException {
        if (trainer.getDevices().length != 1) {
            throw new EngineException("HearthListener needs a trainer with one device, and this one has "
                    + trainer.getDevices().length + ": set it with optDevices");
        }
        List<Parameter> learned = new ArrayList<>();
        List<Parameter> others = new ArrayList<>();
        for (Parameter each : trainer.getModel().getBlock().getParameters().values()) {
            (each.requiresGradient() ? learned : others).add(each);
        }
        Values.of(learned).takeFromFirst(cluster);
        var kept = Values.of(others);
        kept.takeFromFirst(cluster);
        var averaged = Values.gradients(learned);
        averaged.takeFromFirst(cluster);
        gradients = averaged;
        rest = kept;
    }

    /** Leaves the cluster, if {@link #join} made it. DJL calls this when the trainer is closed. */
    @Override
    public void onTrainingEnd(Trainer trainer) {
        if (owned != null) {
            owned.close();
        }
    }
}
