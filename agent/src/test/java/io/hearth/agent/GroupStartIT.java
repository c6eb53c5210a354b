package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.status.ClusterStatus;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.StepStart;
import io.hearth.collective.Tensor;
import io.hearth.core.NotEnoughPeersException;
import io.hearth.core.NotEnoughRanksException;
import io.hearth.core.ReduceOp;
import io.hearth.core.ReenterableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No trainer trains with fewer ranks than it required, on real sockets of the loopback interface. */
final class GroupStartIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(4);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    /** A {@link LineTrainer} in a separate process. */
    private static final class Child implements AutoCloseable {
        private final Process process;
        private final BufferedReader said;

        Child(Path home, AutoDiscoveryBackend other) throws IOException {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "@" + Path.of(System.getProperty("hearth.root"), "bin", "jvm.args"),
                            "--add-modules=jdk.incubator.vector",
                            "-XX:TieredStopAtLevel=1",
                            "-Xmx256m",
                            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                            "-cp",
                            System.getProperty("java.class.path"),
                            LineTrainer.class.getName(),
                            home.toString(),
                            TestNodes.address(other).toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            said = process.inputReader(StandardCharsets.UTF_8);
        }

        String line() throws IOException {
            return String.valueOf(said.readLine());
        }

        void goOn() throws IOException {
            process.outputWriter().write("go on\n");
            process.outputWriter().flush();
        }

        void signal(String name) throws Exception {
            assertEquals(
                    0,
                    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                            .start()
                            .waitFor());
        }

        void kill() {
            process.destroyForcibly().onExit().join();
        }

        @Override
        public void close() {
            kill();
        }
    }

    private static void await(AutoDiscoveryBackend node, Predicate<ClusterStatus> wanted) throws InterruptedException {
        TestNodes.await(node, wanted, PATIENCE);
    }

    private static float sum(DistributedContext cluster) throws Exception {
        float[] ones = {1};
        cluster.allReduce(ones, ReduceOp.SUM);
        return ones[0];
    }

    @Tag("full")
    @Test
    void aJuniorThatIsPausedBeforeItsContextIsWaitedForAndGetsOneWhenItIsBack() throws Exception {
        try (var nodes = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            AutoDiscoveryBackend senior = nodes.trainer(TestNodes.loopback());
            try (var junior = new Child(nodes.home(), senior)) {
                assertEquals(1, senior.waitForPeers(1, PATIENCE));
                assertEquals("peers 1", junior.line());
                junior.signal("STOP");
                Future<DistributedContext> started = threads.submit(() -> senior.context());
                await(senior, status -> status.view().members() == 1);
                assertFalse(started.isDone(), "it has the whole view to itself, and asked for two ranks");
                junior.signal("CONT");
                junior.goOn();
                DistributedContext cluster = started.get();
                assertEquals(2, cluster.worldSize());
                assertEquals(2, sum(cluster));
                assertTrue(junior.line().matches("rank [01] of 2"));
                assertEquals("sum 2.0", junior.line());
                junior.goOn();
            }
        }
    }

    @Tag("full")
    @Test
    void aJuniorThatIsRestartedBeforeItsContextIsWaitedFor() throws Exception {
        try (var nodes = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            AutoDiscoveryBackend senior = nodes.trainer(TestNodes.loopback());
            Path home = nodes.home();
            Future<DistributedContext> started;
            try (var junior = new Child(home, senior)) {
                assertEquals(1, senior.waitForPeers(1, PATIENCE));
                assertEquals("peers 1", junior.line());
                started = threads.submit(() -> senior.context());
                await(senior, status -> status.view().members() == 2);
                junior.kill();
            }
            await(senior, status -> status.view().members() == 1);
            assertFalse(started.isDone());
            try (var again = new Child(home, senior)) {
                assertEquals("peers 1", again.line());
                again.goOn();
                assertEquals(2, sum(started.get()));
                assertTrue(again.line().matches("rank [01] of 2"));
                assertEquals("sum 2.0", again.line());
                again.goOn();
            }
        }
    }

    @Tag("full")
    @Test
    void theLargestMinimumCountsAndWhoIsMissingIsNamed() throws Exception {
        try (var nodes = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            AutoDiscoveryBackend modest = nodes.trainer(TestNodes.loopback());
            AutoDiscoveryBackend idle = nodes.trainer(TestNodes.loopback());
            AutoDiscoveryBackend choosy = nodes.trainer(TestNodes.loopback().deadline(SHORT));
            idle.addPeer(TestNodes.address(modest));
            choosy.addPeer(TestNodes.address(modest));
            choosy.addPeer(TestNodes.address(idle));
            await(modest, status -> status.view().members() == 3);
            Future<DistributedContext> first = threads.submit(() -> modest.context());
            await(
                    choosy,
                    status -> status.trainers().stream()
                            .anyMatch(other -> other.text().contains("for 1 rank")));
            var late = assertThrows(NotEnoughPeersException.class, () -> choosy.context(4));
            String said = String.valueOf(late.getMessage());
            assertTrue(said.startsWith("group 'default' did not start with 4 ranks within 4.0 s: "), said);
            assertTrue(said.contains("3 ranks are there, and it needs 4"), said);
            assertTrue(said.contains(modest.id().shortText()) && said.contains("waits in context() for 1 rank"), said);
            assertTrue(said.contains(idle.id().shortText()) && said.contains("has not called context() yet"), said);
            assertFalse(first.isDone(), "the idle one is in the view, too");
            await(modest, status -> status.view().members() == 2);
            Future<DistributedContext> second = threads.submit(() -> choosy.context(3));
            await(modest, status -> status.view().members() == 3);
            assertEquals(3, idle.context().worldSize());
            assertEquals(3, first.get().worldSize());
            assertEquals(3, second.get().worldSize());
        }
    }

    private static List<AutoDiscoveryBackend> trainers(TestNodes nodes, HearthConfig config, int count)
            throws Exception {
        var trainers = new ArrayList<AutoDiscoveryBackend>();
        for (int i = 0; i < count; i++) {
            AutoDiscoveryBackend trainer = nodes.trainer(config);
            for (AutoDiscoveryBackend other : trainers) {
                trainer.addPeer(TestNodes.address(other));
            }
            trainers.add(trainer);
        }
        return trainers;
    }

    /** With steps the next step waits, without them the next collective does, and every rank gets an error at its deadline. */
    @Tag("full")
    @Test
    void belowTheMinimumEveryRankWaitsAndGetsATypedErrorAtItsDeadline() throws Exception {
        for (boolean bySteps : new boolean[] {true, false}) {
            try (var nodes = new TestNodes(folder.resolve("steps-" + bySteps));
                    ExecutorService threads = Executors.newCachedThreadPool()) {
                var config = TestNodes.loopback().minimumRanks(3).deadline(SHORT);
                List<AutoDiscoveryBackend> trainers = trainers(nodes, config, 3);
                await(trainers.getFirst(), status -> status.view().members() == 3);
                var summed = new CountDownLatch(3);
                var ends = new ArrayList<Future<Object>>();
                for (AutoDiscoveryBackend trainer : trainers) {
                    ends.add(threads.submit(() -> {
                        DistributedContext cluster = trainer.context();
                        cluster.share("weights", new float[10]);
                        for (int step = 0; ; step++) {
                            if (bySteps) {
                                cluster.beginStep();
                            }
                            assertEquals(3, sum(cluster));
                            if (step == 3) {
                                summed.countDown();
                                summed.await();
                                if (trainer.equals(trainers.getLast())) {
                                    trainer.close();
                                    return "left";
                                }
                            }
                        }
                    }));
                }
                for (Future<Object> end : ends.subList(0, 2)) {
                    Throwable error =
                            assertThrows(ExecutionException.class, end::get).getCause();
                    assertInstanceOf(NotEnoughRanksException.class, error);
                    assertInstanceOf(ReenterableException.class, error);
                    String said = String.valueOf(error.getMessage());
                    assertTrue(said.contains(bySteps ? "the beginning of a step" : "all-reduce"), said);
                    assertTrue(said.contains("and it needs 3"), said);
                }
                assertEquals("left", ends.getLast().get());
            }
        }
    }

    @Test
    void whoComesToAFullGroupIsASpareAndTakesThePlaceThatBecomesFree() throws Exception {
        try (var nodes = new TestNodes(folder);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<AutoDiscoveryBackend> trainers =
                    trainers(nodes, TestNodes.loopback().minimumRanks(2).maximumRanks(2), 3);
            var contexts = new ArrayList<Future<StepStart>>();
            for (AutoDiscoveryBackend trainer : trainers) {
                contexts.add(threads.submit(() -> begun(trainer)));
            }
            while (contexts.stream().filter(Future::isDone).count() < 2) {
                Thread.onSpinWait();
            }
            int spare = 0;
            while (contexts.get(spare).isDone()) {
                spare++;
            }
            AutoDiscoveryBackend waits = trainers.get(spare);
            AutoDiscoveryBackend stays = trainers.get((spare + 1) % 3);
            AutoDiscoveryBackend leaves = trainers.get((spare + 2) % 3);
            await(
                    waits,
                    status -> status.waiting()
                            .filter(why -> why.contains("a spare"))
                            .isPresent());
            assertEquals(2, stays.context().worldSize());
            assertEquals(2, waits.waitForPeers(2, PATIENCE), "both places are taken");
            assertEquals(2, stays.status().view().members());
            leaves.close();
            long step = stays.context().beginStep().step();
            assertEquals(step, contexts.get(spare).get().step(), "it goes on where the group is");
            assertEquals(2, waits.context().worldSize());
            assertEquals(2, stays.context().worldSize());
        }
    }

    private static StepStart begun(AutoDiscoveryBackend trainer) throws Exception {
        DistributedContext cluster = trainer.context();
        cluster.share("weights", Tensor.of(new long[] {7}));
        return cluster.beginStep();
    }
}
