package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.DistributedContext;
import io.hearth.core.ReduceOp;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LyingMemberIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long LIES = Long.getLong("hearth.lies", Boolean.getBoolean("hearth.full") ? 40_000 : 20_000);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private static final class Training {
        final AtomicBoolean enough = new AtomicBoolean();
        final AtomicLong sums = new AtomicLong();

        Void run(AutoDiscoveryBackend trainer) throws Exception {
            trainer.waitForPeers(1, PATIENCE);
            DistributedContext cluster = trainer.context();
            while (true) {
                float[] sum = {enough.get() ? 1 : 0};
                cluster.allReduce(sum, ReduceOp.SUM);
                sums.incrementAndGet();
                if (sum[0] > 0) {
                    return null;
                }
            }
        }
    }

    @Test
    void theOthersTrainOnWhateverAMemberSays() throws Exception {
        try (var nodes = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<AutoDiscoveryBackend> trainers = nodes.trainers(2);
            var training = new Training();
            String liarsName;
            long sumsMeanwhile;
            List<Future<Void>> ends = trainers.stream()
                    .map(trainer -> threads.submit(() -> training.run(trainer)))
                    .toList();
            try (var keys = nodes.keys();
                    var liar = new LyingMember(
                            keys, trainers.stream().map(TestNodes::address).toList(), 7)) {
                trainers.getFirst().waitForPeers(1, PATIENCE);
                liar.enter(PATIENCE.toNanos());
                long sums = training.sums.get();
                long epoch = trainers.getFirst().status().view().epoch();
                long beginNanos = System.nanoTime();
                liar.lie(LIES);
                double seconds = (System.nanoTime() - beginNanos) / 1e9;
                sumsMeanwhile = training.sums.get() - sums;
                ClusterStatus status = trainers.getFirst().status();
                System.out.printf(
                        "%d lies in %.1f s: %d sums, %d views, %d links of the liar ended, faults %s%n",
                        LIES, seconds, sumsMeanwhile, status.view().epoch() - epoch, liar.linksLost(), status.faults());
                liarsName = liar.id().shortText();
            }
            training.enough.set(true);
            for (Future<Void> end : ends) {
                end.get();
            }
            assertTrue(sumsMeanwhile > 0, "nobody trained meanwhile");
            for (AutoDiscoveryBackend trainer : trainers) {
                assertEquals(Optional.empty(), trainer.node().failure());
                assertEquals(1, trainer.peerCount());
                assertEquals(
                        List.of(liarsName),
                        trainer.status().faults().stream()
                                .map(ClusterStatus.Fault::who)
                                .toList(),
                        "its lies have an owner, and nobody else is blamed for their number");
            }
        }
    }
}
