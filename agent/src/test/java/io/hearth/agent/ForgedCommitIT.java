package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.status.ClusterStatus;
import io.hearth.collective.DistributedContext;
import io.hearth.core.ReduceOp;
import io.hearth.core.RemovedFromClusterException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A view needs no proof, so a member can forge one. The others report the sender, and none of them ends. */
final class ForgedCommitIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void aForgedViewEndsNobodyAndNamesItsSender() throws Exception {
        try (var nodes = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<AutoDiscoveryBackend> trainers = nodes.trainers(2);
            AutoDiscoveryBackend victim = trainers.getFirst();
            AutoDiscoveryBackend witness = trainers.getLast();
            victim.waitForPeers(1, PATIENCE);
            witness.waitForPeers(1, PATIENCE);
            List<Future<DistributedContext>> contexts = trainers.stream()
                    .map(trainer -> threads.submit(() -> trainer.context()))
                    .toList();
            DistributedContext work = contexts.getFirst().get();
            contexts.getLast().get();
            try (var keys = nodes.keys();
                    var liar = new LyingMember(
                            keys, trainers.stream().map(TestNodes::address).toList(), LyingMember.Manner.AGENT, 7)) {
                liar.enter(PATIENCE.toNanos());
                String name = liar.id().shortText();
                await(victim, status -> status.view().members() == 3);
                await(witness, status -> status.view().members() == 3);
                Future<?> open = threads.submit(() -> {
                    work.allReduce(new float[] {1}, ReduceOp.SUM); // the other node never calls it
                    return null;
                });
                liar.forgeViewsWithout(victim.id());

                ClusterStatus seen = await(witness, status -> isBlamed(status, name));
                assertEquals(name, seen.view().toldBy(), seen::toString);
                ClusterStatus out = await(victim, status -> isBlamed(status, name));
                assertSaysWhoToldIt(out.waiting().orElse(""), name, witness);
                Throwable end =
                        assertThrows(ExecutionException.class, open::get).getCause();
                assertInstanceOf(RemovedFromClusterException.class, end);
                assertSaysWhoToldIt(String.valueOf(end.getMessage()), name, witness);
            }
            for (AutoDiscoveryBackend trainer : trainers) {
                assertEquals(Optional.empty(), trainer.node().failure());
            }
        }
    }

    /** The victim may have got the forged view from the witness: then it names the witness, and the witness names the liar. */
    private static void assertSaysWhoToldIt(String text, String liar, AutoDiscoveryBackend witness) {
        assertTrue(
                text.contains("told by " + liar)
                        || text.contains("told by " + witness.id().shortText()),
                text);
    }

    private static boolean isBlamed(ClusterStatus status, String who) {
        return status.faults().stream()
                .anyMatch(fault -> fault.who().equals(who) && fault.why().contains("one of the two is forged"));
    }

    private static ClusterStatus await(AutoDiscoveryBackend node, Predicate<ClusterStatus> expected)
            throws InterruptedException {
        return TestNodes.await(node, expected, PATIENCE);
    }
}
