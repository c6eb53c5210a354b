package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.DistributedContext;
import io.hearth.collective.Work;
import io.hearth.core.HearthException;
import io.hearth.core.NotEnoughPeersException;
import io.hearth.core.ReduceOp;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A trainer that ends at once, and what a wait for peers tells. */
final class AbortIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void abortEndsAnOpenSumAndTheOthersGoOn() throws Exception {
        try (var nodes = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<AutoDiscoveryBackend> trainers = nodes.trainers(3);
            var contexts = new ArrayList<Future<DistributedContext>>();
            for (AutoDiscoveryBackend trainer : trainers) {
                contexts.add(threads.submit(() -> {
                    trainer.waitForPeers(2, PATIENCE);
                    DistributedContext cluster = trainer.context();
                    assertEquals(3, sum(cluster)); // the first sum of a group waits for all
                    return cluster;
                }));
            }
            for (Future<DistributedContext> context : contexts) {
                context.get();
            }
            Work open = contexts.get(0).get().allReduceAsync(new float[] {1}, ReduceOp.SUM);
            trainers.get(0).abort();
            assertThrows(HearthException.class, open::await);
            var sums = new ArrayList<Future<Float>>();
            for (Future<DistributedContext> other : contexts.subList(1, 3)) {
                sums.add(threads.submit(() -> sum(other.get())));
            }
            assertEquals(2, sums.get(0).get());
            assertEquals(2, sums.get(1).get());
            trainers.get(0).abort();
            trainers.get(0).close();
        }
    }

    private static float sum(DistributedContext cluster) throws Exception {
        float[] one = {1};
        cluster.allReduce(one, ReduceOp.SUM);
        return one[0];
    }

    @Test
    void aWaitTellsWhatItFinds() throws Exception {
        try (var nodes = new TestNodes(folder)) {
            List<AutoDiscoveryBackend> trainers = nodes.trainers(2);
            var found = new ArrayList<Integer>();
            trainers.get(0).waitForPeers(1, PATIENCE, (now, wanted, why) -> {
                assertEquals(1, wanted);
                assertTrue(!why.isEmpty());
                found.add(now);
            });
            assertEquals(found.stream().sorted().toList(), found, "rises");
            var late = new ArrayList<String>();
            assertThrows(
                    NotEnoughPeersException.class,
                    () -> trainers.get(0).waitForPeers(2, Duration.ofMillis(1), (_, _, why) -> late.add(why)));
            assertTrue(late.getFirst().startsWith("here: "), late.getFirst());
        }
    }
}
