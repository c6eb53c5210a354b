package io.hearth.cli.chaos;

import io.hearth.cli.chaos.plan.ChaosEvent;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.StepStart;
import io.hearth.core.CollectiveException;
import io.hearth.core.HearthException;
import io.hearth.core.ReduceOp;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.examples.Digits;
import io.hearth.examples.DigitsRecipe;
import io.hearth.examples.DigitsSteps;
import io.hearth.examples.Mlp;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Trains the digits until the driver stops it. A worker that was removed, or that comes late, joins the group at the begin of a step and takes over the state of the others.
 *
 * <p>One more number travels with the gradients: it is above 0 as soon as one worker was told to stop. All workers see it in the same step, so they end after the same step. It is part of the shared state, for workers that join in that step.
 */
final class ChaosDigits {
    private static final long SEED = 1;
    private static final int FAILURES_MAX = 1_000;

    private final DistributedContext cluster;
    private final Consumer<ChaosEvent> events;
    private final Mlp model = DigitsRecipe.model(SEED);
    private final DigitsSteps steps = new DigitsSteps(Digits.load(), SEED);
    private final float[] isOver = new float[1];
    private int failures;

    ChaosDigits(DistributedContext cluster, Consumer<ChaosEvent> events) {
        this.cluster = cluster;
        this.events = events;
    }

    void run(BooleanSupplier isToldToStop) throws HearthException {
        cluster.share("model", model.parameters(), model.velocity(), isOver);
        StepStart step = begin();
        while (isOver[0] == 0) {
            try {
                train(step.step(), isToldToStop.getAsBoolean());
            } catch (CollectiveException outside) {
                report(outside);
            }
            step = begin();
        }
        events.accept(new ChaosEvent.Ended(System.nanoTime(), step.step(), state()));
    }

    private void train(long step, boolean isToldToStop) throws CollectiveException {
        float[] gradients = model.gradients(steps.batch(step, cluster.rank(), cluster.worldSize()));
        float[] all = Arrays.copyOf(gradients, gradients.length + 1);
        all[gradients.length] = isToldToStop ? 1 : 0;
        CollectiveResult result = cluster.allReduce(all, ReduceOp.AVG);
        events.accept(new ChaosEvent.Summed(System.nanoTime(), step, result.contributors(), ChaosEvent.UNKNOWN));
        isOver[0] = all[gradients.length];
        model.step(Arrays.copyOf(all, gradients.length));
    }

    /** Begins a step. It retries until this worker is a member of the group. */
    private StepStart begin() throws HearthException {
        while (true) {
            try {
                StepStart step = cluster.beginStep();
                events.accept(new ChaosEvent.Begun(
                        System.nanoTime(), step.step(), cluster.rank(), cluster.worldSize(), step.replaced(), state()));
                failures = 0;
                return step;
            } catch (CollectiveException outside) {
                report(outside);
            }
        }
    }

    private void report(CollectiveException outside) throws HearthException {
        String why = String.valueOf(outside.getMessage());
        events.accept(
                outside instanceof RemovedFromClusterException
                        ? new ChaosEvent.Removed(System.nanoTime(), why)
                        : new ChaosEvent.Failed(System.nanoTime(), why));
        if (++failures > FAILURES_MAX) {
            throw new HearthException("no step began in " + FAILURES_MAX + " tries; the last: " + why);
        }
    }

    private String state() {
        ByteBuffer bytes = ByteBuffer.allocate(2 * Float.BYTES * model.parameters().length);
        bytes.asFloatBuffer().put(model.parameters()).put(model.velocity());
        var sum = new CRC32C();
        sum.update(bytes);
        return HexFormat.of().toHexDigits((int) sum.getValue());
    }
}
