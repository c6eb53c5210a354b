package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.group.GroupLayout;
import io.hearth.core.ReduceOp;
import io.hearth.topology.ClusterTopology;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trainers on loopback measure their links, report them, and take over a plan at the beginning of a step. */
final class MeasuredPlanIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private static boolean isMeasured(ClusterTopology topology, int nodes) {
        return topology.links().stream()
                        .filter(link -> link.bytesPerSecond().isPresent())
                        .count()
                == (long) nodes * (nodes - 1);
    }

    private static void awaitMeasured(AutoDiscoveryBackend trainer, int nodes) throws InterruptedException {
        assertTrue(
                trainer.node()
                        .latestTopology()
                        .await(topology -> isMeasured(topology, nodes), PATIENCE)
                        .isPresent(),
                () -> "links: " + trainer.topology().links());
    }

    @Test
    void everyNodeLearnsEveryRateAndAllTakeOverOnePlan() throws Exception {
        int nodes = 3;
        try (var group = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<AutoDiscoveryBackend> trainers = group.trainers(nodes);
            for (AutoDiscoveryBackend trainer : trainers) {
                awaitMeasured(trainer, nodes);
            }
            var layouts = new ArrayList<Future<GroupLayout>>();
            for (AutoDiscoveryBackend trainer : trainers) {
                layouts.add(threads.submit((Callable<GroupLayout>) () -> {
                    trainer.waitForPeers(nodes - 1, PATIENCE);
                    var cluster = trainer.context(nodes);
                    float[] isPlanned = {0};
                    while (isPlanned[0] < 1) { // until all have the plan; JUnit's limit ends it otherwise
                        cluster.beginStep();
                        isPlanned[0] = layout(trainer).plan().costs().ring().isMeasured() ? 1 : 0;
                        cluster.allReduce(isPlanned, ReduceOp.MIN);
                    }
                    float[] values = {cluster.rank() + 1};
                    cluster.allReduce(values, ReduceOp.SUM);
                    assertEquals(6, values[0]);
                    cluster.barrier();
                    return layout(trainer);
                }));
            }
            GroupLayout first = layouts.getFirst().get();
            for (Future<GroupLayout> layout : layouts) {
                assertEquals(first.plan(), layout.get().plan());
            }
        }
    }

    private static GroupLayout layout(AutoDiscoveryBackend trainer) {
        return Optional.of(trainer.node())
                .flatMap(HearthNode::engine)
                .orElseThrow()
                .layout();
    }
}
