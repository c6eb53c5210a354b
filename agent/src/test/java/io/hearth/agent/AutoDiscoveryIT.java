package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.peers.Sources;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.collective.DistributedContext;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.NotEnoughPeersException;
import io.hearth.core.ReduceOp;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole nodes in one process, on real sockets of the loopback interface. */
final class AutoDiscoveryIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(300);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
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

    @Test
    void nodesOfOneHomeMeetWithoutMdns() throws Exception {
        System.setProperty(Sources.DEAF, "true");
        try (var nodes = new TestNodes(folder)) {
            HearthConfig config = TestNodes.loopback().home(nodes.home());
            AutoDiscoveryBackend first = nodes.keep(AutoDiscoveryBackend.start(config));
            AutoDiscoveryBackend second = nodes.keep(AutoDiscoveryBackend.start(config));
            AutoDiscoveryBackend third = nodes.keep(AutoDiscoveryBackend.start(config));
            for (AutoDiscoveryBackend node : List.of(first, second, third)) {
                assertEquals(2, node.waitForPeers(2, PATIENCE), node.status()::explain);
            }
        } finally {
            System.clearProperty(Sources.DEAF);
        }
    }

    @Test
    void whenOneLeavesInTheMiddleTheOthersGoOnWithTheSameSums() throws Exception {
        try (var nodes = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<AutoDiscoveryBackend> trainers = nodes.trainers(3);
            var begun = new CountDownLatch(1);
            var staying = new ArrayList<Future<List<Float>>>();
            for (AutoDiscoveryBackend trainer : trainers.subList(0, 2)) {
                staying.add(threads.submit(() -> {
                    trainer.waitForPeers(2, PATIENCE);
                    DistributedContext cluster = trainer.context();
                    var sums = new ArrayList<Float>();
                    while (sums.size() < 20 || cluster.worldSize() == 3) {
                        sums.add(sum(cluster));
                    }
                    sums.add(sum(cluster));
                    return sums;
                }));
            }
            Future<?> leaving = threads.submit(() -> {
                AutoDiscoveryBackend trainer = trainers.get(2);
                trainer.waitForPeers(2, PATIENCE);
                DistributedContext cluster = trainer.context();
                for (int step = 0; step < 5; step++) {
                    assertEquals(3, sum(cluster));
                }
                begun.countDown();
                trainer.close();
                return null;
            });
            begun.await();
            leaving.get();
            List<Float> first = staying.get(0).get();
            assertEquals(first, staying.get(1).get());
            assertEquals(new HashSet<>(List.of(2f, 3f)), new HashSet<>(first));
            assertEquals(
                    first, first.stream().sorted((a, b) -> Float.compare(b, a)).toList(), "3 first, then only 2");
            assertEquals(2, first.getLast());
        }
    }

    /** One element from every rank, so the sum is the world size. */
    private static float sum(DistributedContext cluster) throws Exception {
        float[] ones = new float[1_000];
        Arrays.fill(ones, 1);
        cluster.allReduce(ones, ReduceOp.SUM);
        assertEquals(ones[0], ones[ones.length - 1]);
        return ones[0];
    }

    @Test
    void whoComesAfterTheFirstCollectiveWaitsAndSaysSo() throws Exception {
        try (var nodes = new TestNodes(folder)) {
            AutoDiscoveryBackend alone = nodes.trainer(TestNodes.loopback());
            assertEquals(1, alone.context().worldSize());
            AutoDiscoveryBackend late = nodes.trainer(TestNodes.loopback().deadline(Duration.ofSeconds(2)));
            late.addPeer(TestNodes.address(alone));
            Optional<ClusterStatus> told = late.node()
                    .latestStatus()
                    .await(
                            status -> status.waiting()
                                    .filter(why -> why.contains("its group is training"))
                                    .isPresent(),
                            PATIENCE);
            assertTrue(told.isPresent(), late.status()::explain);
            assertEquals(1, late.waitForPeers(1, PATIENCE), "there is a group at work that it may enter");
            var tooLate = assertThrows(NotEnoughPeersException.class, late::context);
            String said = String.valueOf(tooLate.getMessage());
            assertTrue(said.contains("others of the group are at work without this node"), said);
            assertTrue(said.contains(alone.id().shortText()), said);
            assertTrue(said.contains("trains without steps: no trainer can enter, in another view"), said);
            assertEquals(1, sum(alone.context()), "the one that trains is not disturbed");
            assertEquals(1, late.status().view().members());
        }
    }

    @Test
    void oneTrainerAloneIsAWorldOfOne() throws Exception {
        try (var nodes = new TestNodes(folder)) {
            AutoDiscoveryBackend alone = nodes.trainer(TestNodes.loopback());
            assertEquals(0, alone.waitForPeers(0, Duration.ZERO));
            DistributedContext cluster = alone.context();
            assertEquals(0, cluster.rank());
            assertEquals(1, cluster.worldSize());
            assertTrue(cluster.isMaster());
            float[] values = {1, Float.NaN, -0f, Float.POSITIVE_INFINITY};
            cluster.allReduce(values, ReduceOp.AVG);
            assertArrayEquals(new float[] {1, Float.NaN, -0f, Float.POSITIVE_INFINITY}, values);
            cluster.barrier();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theEndOfATrainerEndsItsWaitForPeers(boolean isAborted) throws Exception {
        try (var nodes = new TestNodes(folder);
                var threads = Executors.newSingleThreadExecutor()) {
            AutoDiscoveryBackend alone = nodes.trainer(TestNodes.loopback());
            var waits = new CountDownLatch(1);
            Future<Integer> found =
                    threads.submit(() -> alone.waitForPeers(3, Duration.ofMinutes(10), (_, _, _) -> waits.countDown()));
            waits.await();
            if (isAborted) {
                alone.abort();
            } else {
                alone.close();
            }
            var ended = assertThrows(ExecutionException.class, () -> found.get(60, TimeUnit.SECONDS));
            assertTrue(String.valueOf(ended.getCause()).contains("closed while it waited for peers"), ended::toString);
        }
    }

    @Test
    void waitingThatEndsWithoutEnoughPeersNamesWhoIsThereAndWhoWasRefused() throws Exception {
        try (var nodes = new TestNodes(folder)) {
            List<AutoDiscoveryBackend> two = nodes.trainers(2);
            assertEquals(
                    1,
                    two.get(0).waitForPeers(1, PATIENCE)); // a peer linked later, at that host, would end the refusal
            AutoDiscoveryBackend stranger =
                    nodes.keep(AutoDiscoveryBackend.start(TestNodes.loopback().home(nodes.strangersHome())));
            stranger.addPeer(TestNodes.address(two.get(0)));
            for (AutoDiscoveryBackend either : List.of(two.get(0), stranger)) {
                Optional<ClusterStatus> refused = either.node()
                        .latestStatus()
                        .await(status -> !status.refused().isEmpty(), PATIENCE);
                assertTrue(refused.isPresent());
                assertTrue(refused.get().refused().getFirst().why().contains("another namespace"));
            }
            var tooFew =
                    assertThrows(NotEnoughPeersException.class, () -> two.get(0).waitForPeers(2, SHORT));
            String said = String.valueOf(tooFew.getMessage());
            assertTrue(said.startsWith("found 1 of 2 peers of group 'default' in namespace 'test' (key "), said);
            assertTrue(said.contains("here: " + two.get(1).id().shortText()), said);
            assertTrue(said.contains("refused: " + stranger.id().peer().shortText() + " at 127.0.0.1"), said);
            assertEquals(1, stranger.status().view().members(), "the stranger sits alone");
            assertEquals(2, two.get(0).status().view().members());
        }
    }

    @Test
    void ranksThatCallDifferentSizesAllGetTheSameError() throws Exception {
        try (var nodes = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            var ends = new ArrayList<Future<Object>>();
            int size = 10;
            for (AutoDiscoveryBackend trainer : nodes.trainers(3)) {
                int elements = size++;
                ends.add(threads.submit(() -> {
                    trainer.waitForPeers(2, PATIENCE);
                    trainer.context().allReduce(new float[elements], ReduceOp.SUM);
                    return "no error";
                }));
            }
            for (Future<Object> end : ends) {
                var ended = assertThrows(ExecutionException.class, end::get);
                var mismatch = assertInstanceOf(CollectiveMismatchException.class, ended.getCause());
                assertTrue(String.valueOf(mismatch.getMessage()).matches("(?s).*1[012].*1[012].*"), mismatch::toString);
            }
        }
    }

    @Test
    void closingLeavesNoThreadBehind() throws Exception {
        var before = Thread.getAllStackTraces().keySet();
        try (var nodes = new TestNodes(folder)) {
            List<AutoDiscoveryBackend> two = nodes.trainers(2);
            two.get(0).waitForPeers(1, PATIENCE);
            var running = Thread.getAllStackTraces().keySet().stream()
                    .map(Thread::getName)
                    .toList();
            assertTrue(running.stream().anyMatch(name -> name.startsWith("hearth-loop-")), running::toString);
        }
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            boolean ofTheJvm = thread.getThreadGroup() == null
                    || "InnocuousThreadGroup".equals(thread.getThreadGroup().getName())
                    || thread.getName().startsWith("ForkJoinPool")
                    || thread.getName().startsWith("VirtualThread");
            if (!before.contains(thread) && !ofTheJvm) {
                assertTrue(
                        thread.join(Duration.ofSeconds(10)),
                        () -> "still running: " + thread + " at " + Arrays.toString(thread.getStackTrace()));
            }
        }
    }
}
