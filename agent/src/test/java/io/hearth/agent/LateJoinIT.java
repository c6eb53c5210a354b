package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.StepStart;
import io.hearth.core.DeadlineExceededException;
import io.hearth.core.ReduceOp;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trainers that enter a running training, on real sockets of the loopback interface. */
final class LateJoinIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WEIGHTS = 300_000;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    /** Trains until the test ends it, which all ranks learn by the same sum. */
    private static final class Training {
        final AtomicBoolean enough = new AtomicBoolean();
        final AtomicLong steps = new AtomicLong();
        final AtomicLong worldMost = new AtomicLong();

        float[] run(AutoDiscoveryBackend trainer, float seed, int peers) throws Exception {
            trainer.waitForPeers(peers, PATIENCE);
            DistributedContext cluster = trainer.context();
            float[] weights = new float[WEIGHTS];
            Arrays.fill(weights, seed);
            cluster.share("weights", weights);
            StepStart start = cluster.beginStep();
            while (true) {
                steps.accumulateAndGet(start.step(), Math::max);
                float[] gradients = new float[WEIGHTS];
                Arrays.fill(gradients, (cluster.rank() + 1) / 8f);
                gradients[0] = enough.get() ? 1 : 0;
                cluster.allReduce(gradients, ReduceOp.SUM);
                worldMost.accumulateAndGet(cluster.worldSize(), Math::max);
                for (int i = 1; i < WEIGHTS; i++) {
                    weights[i] += gradients[i] * (i % 7);
                }
                start = cluster.beginStep();
                if (gradients[0] > 0) {
                    weights[0] = start.step();
                    return weights;
                }
            }
        }
    }

    @Test
    void whoComesLateTakesOverTheStateAndTheStepAndAllEndAlike() throws Exception {
        try (var nodes = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            var training = new Training();
            var ends = new ArrayList<Future<float[]>>();
            for (AutoDiscoveryBackend trainer : nodes.trainers(2)) {
                float seed = ends.size();
                ends.add(threads.submit(() -> training.run(trainer, seed, 1)));
            }
            while (training.steps.get() < 5) {
                assertFalse(ends.stream().anyMatch(Future::isDone), "somebody ended early");
                Thread.onSpinWait();
            }
            AutoDiscoveryBackend late = nodes.trainer(TestNodes.loopback());
            late.waitForPeers(2, PATIENCE);
            assertFalse(late.context().isMaster(), "it is not in yet");
            assertThrows(IllegalStateException.class, () -> late.context().rank());
            assertThrows(IllegalStateException.class, () -> late.context().worldSize());
            ends.add(threads.submit(() -> training.run(late, 100, 2)));
            while (training.worldMost.get() < 3) {
                assertFalse(ends.stream().anyMatch(Future::isDone), "somebody ended early");
                Thread.onSpinWait();
            }
            training.enough.set(true);
            float[] first = ends.getFirst().get();
            assertTrue(first[0] > 5, "the newcomer counts its steps as the others do");
            for (Future<float[]> end : ends) {
                assertArrayEquals(first, end.get());
            }
        }
    }

    @Test
    void whoWasGivenAnErrorOfItsOwnComesBackByBeginningAStep() throws Exception {
        try (var nodes = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<AutoDiscoveryBackend> trainers = nodes.trainers(2);
            var back = new AtomicBoolean();
            Future<float[]> steady = threads.submit(() -> {
                DistributedContext cluster = begun(trainers.get(0));
                float[] weights = {7};
                cluster.share("weights", weights);
                cluster.beginStep();
                while (!back.get()) {
                    Thread.onSpinWait(); // works until the other trainer gives up
                }
                do {
                    cluster.beginStep();
                } while (cluster.worldSize() < 2);
                weights[0]++;
                cluster.beginStep();
                return weights;
            });
            DistributedContext cluster = begun(trainers.get(1));
            float[] weights = {7};
            cluster.share("weights", weights);
            assertEquals(0, cluster.beginStep().step());
            float[] values = new float[10];
            var impatient = CollectiveOptions.DEFAULTS.within(Duration.ofMillis(200));
            assertThrows(DeadlineExceededException.class, () -> cluster.allReduce(values, ReduceOp.SUM, impatient));
            weights[0] = -1;
            back.set(true);
            StepStart again = cluster.beginStep();
            assertTrue(again.replaced());
            weights[0]++;
            cluster.beginStep();
            assertArrayEquals(steady.get(), weights);
        }
    }

    private static DistributedContext begun(AutoDiscoveryBackend trainer) throws Exception {
        trainer.waitForPeers(1, PATIENCE);
        return trainer.context();
    }
}
