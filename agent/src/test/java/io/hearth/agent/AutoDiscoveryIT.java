package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

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

/** Whole nodes in one process, on real sockets of the loopback interface. */
final class AutoDiscoveryIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void threeTrainersMeetAndSumToTheSameBits() throws Exception {
        try (var nodes = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<AutoDiscoveryBackend> trainers = nodes.trainers(3);
            var sums = new ArrayList<Future<float[]>>();
            for (int i = 0; i < trainers.size(); i++) {
                AutoDiscoveryBackend trainer = trainers.get(i);
                float share = 0.1f * (i + 1);
                sums.add(threads.submit(() -> {
                    trainer.waitForPeers(2, PATIENCE);
                    var cluster = trainer.context();
                    float[] values = new float[100_003];
                    for (int element = 0; element < values.length; element++) {
                        values[element] = share * element;
                    }
                    cluster.allReduce(values, ReduceOp.SUM);
                    return values;
                }));
            }
            float[] first = sums.get(0).get();
            assertEquals(0.6f * 100_002, first[100_002], 0.05f);
            assertArrayEquals(first, sums.get(1).get());
            assertArrayEquals(first, sums.get(2).get());
            var ranks = new ArrayList<Integer>();
            for (AutoDiscoveryBackend trainer : trainers) {
                ranks.add(trainer.context().rank());
            }
            assertEquals(List.of(0, 1, 2), ranks.stream().sorted().toList());
        }
    }
}
