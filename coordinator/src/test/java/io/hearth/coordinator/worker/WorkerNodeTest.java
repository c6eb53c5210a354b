package io.hearth.coordinator.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.coordinator.Exchange;
import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.hearth.coordinator.Tensor;
import io.hearth.coordinator.collective.Plan;
import io.hearth.core.SetupException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Real workers and a coordinator on loopback. */
@Timeout(120)
final class WorkerNodeTest {
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    private Path folder;

    private static Plan groups(Integer... groups) {
        return new Plan.Hierarchical(List.of(groups));
    }

    record Case(int size, Plan plan) {
        @Override
        public String toString() {
            return size + " workers, " + plan;
        }
    }

    static Stream<Case> plans() {
        return Stream.concat(
                IntStream.rangeClosed(1, 5)
                        .boxed()
                        .flatMap(size -> Stream.of(new Case(size, new Plan.Star()), new Case(size, new Plan.Ring()))),
                Stream.of(
                        new Case(1, groups(7)),
                        new Case(2, groups(0, 1)),
                        new Case(3, groups(0, 0, 1)),
                        new Case(3, groups(0, 1, 1)),
                        new Case(4, groups(0, 1, 0, 0)),
                        new Case(5, groups(0, 0, 0, 1, 2)),
                        new Case(5, groups(1, 0, 0, 1, 0))));
    }

    private static Map<String, Tensor> gradients(int rank, int round) {
        return Map.of(
                "layer.weight", Tensor.of(List.of(2, 2), rank, 10 * rank, round, -rank),
                "layer.bias", Tensor.vector(rank * rank),
                "scale", Tensor.of(List.of(), 2 * round),
                "none", Tensor.of(List.of(0)));
    }

    private static Tensor get(Map<String, Tensor> tensors, String name) {
        return Objects.requireNonNull(tensors.get(name));
    }

    interface Waits {
        void on(WorkerNode node) throws ExchangeException, InterruptedException;
    }

    static Stream<Arguments> waits() {
        return Stream.of(new Plan.Ring(), new Plan.Star())
                .flatMap(plan -> Stream.of(0, 1)
                        .flatMap(rank -> Stream.of(
                                Arguments.of("average", plan, rank, (Waits) node -> node.average(gradients(rank, 1))),
                                Arguments.of("barrier", plan, rank, (Waits) WorkerNode::barrier),
                                Arguments.of("broadcast", plan, rank, (Waits)
                                        node -> node.broadcast("w", Tensor.vector(1), 0)))));
    }

    /** The other workers do not come. Its time limit, an hour, does not count then. */
    @ParameterizedTest(name = "{0}, {1}, rank {2}")
    @MethodSource("waits")
    void anInterruptEndsACall(String what, Plan plan, int rank, Waits call) throws Exception {
        try (var cluster = new Cluster(folder, LONG)) {
            List<WorkerNode> nodes = cluster.start(
                    cluster.settings(3, plan).withTimes(Duration.ofMillis(50), Duration.ofSeconds(40), LONG));
            WorkerNode alone = nodes.stream()
                    .filter(node -> node.rank() == rank)
                    .findFirst()
                    .orElseThrow();
            var ended = new CompletableFuture<String>();
            Thread caller = Thread.ofPlatform().start(() -> {
                try {
                    call.on(alone);
                    ended.complete("it returned");
                } catch (InterruptedException expected) {
                    ended.complete("interrupted");
                } catch (ExchangeException failed) {
                    ended.completeExceptionally(failed);
                }
            });
            caller.interrupt();
            assertEquals("interrupted", ended.get());
        }
    }

    /** Average, barrier and broadcast from each root, twice; the means are plain ones, whatever the groups are. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("plans")
    void workersAverageMeetAndBroadcast(Case each) throws Exception {
        try (var cluster = new Cluster(folder, LONG)) {
            List<WorkerNode> nodes = cluster.start(cluster.settings(each.size(), each.plan()));
            float ranks = (each.size() - 1) / 2f;
            double squares = IntStream.range(0, each.size())
                    .mapToDouble(i -> i * i)
                    .average()
                    .orElseThrow();
            for (int round = 1; round <= 2; round++) {
                int now = round;
                var means = Cluster.all(nodes, node -> node.average(gradients(node.rank(), now)));
                for (Map<String, Tensor> mean : means) {
                    assertEquals(List.of(2, 2), get(mean, "layer.weight").shape());
                    assertArrayEquals(
                            new float[] {ranks, 10 * ranks, round, -ranks},
                            get(mean, "layer.weight").data(),
                            1e-5f);
                    assertArrayEquals(
                            new float[] {(float) squares},
                            get(mean, "layer.bias").data(),
                            1e-5f);
                    assertArrayEquals(
                            new float[] {2 * round}, get(mean, "scale").data());
                    assertEquals(0, get(mean, "none").data().length);
                    assertArrayEquals(
                            get(means.getFirst(), "layer.bias").data(),
                            get(mean, "layer.bias").data()); // bit for bit
                }
                var passed = new AtomicInteger();
                var seen = Cluster.all(nodes, node -> {
                    passed.incrementAndGet();
                    node.barrier();
                    return passed.get();
                });
                assertTrue(seen.stream().allMatch(count -> count == each.size()), seen::toString);
                for (int root = 0; root < each.size(); root++) {
                    int from = root;
                    var tensors =
                            Cluster.all(nodes, node -> node.broadcast("w", Tensor.vector(node.rank(), now), from));
                    tensors.forEach(tensor -> assertArrayEquals(new float[] {from, now}, tensor.data()));
                }
            }
        }
    }

    /** Tensors of many parts, larger than what a connection holds while nobody reads. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("large")
    void largeTensorsGoInParts(Case each) throws Exception {
        int length = 3_000_001;
        try (var cluster = new Cluster(folder, LONG)) {
            List<WorkerNode> nodes = cluster.start(cluster.settings(each.size(), each.plan()));
            var means = Cluster.all(nodes, node -> {
                var data = new float[length];
                for (int i = 0; i < length; i++) {
                    data[i] = i % 1_000 + node.rank();
                }
                return get(node.average(Map.of("w", Tensor.vector(data))), "w").data();
            });
            for (float[] mean : means) {
                for (int i = 0; i < length; i += 997) {
                    assertEquals(i % 1_000 + (each.size() - 1) / 2f, mean[i], 1e-3f);
                }
            }
            var copies = Cluster.all(nodes, node -> {
                var data = new float[length];
                data[length - 1] = node.rank();
                return node.broadcast("w", Tensor.vector(data), 1).data();
            });
            copies.forEach(copy -> assertEquals(1, copy[length - 1]));
        }
    }

    static Stream<Case> large() {
        return Stream.of(new Case(3, new Plan.Star()), new Case(3, new Plan.Ring()), new Case(4, groups(0, 0, 1, 1)));
    }

    private static Reason failure(CompletableFuture<?> future) {
        return assertThrows(ExchangeException.class, () -> Cluster.result(future))
                .reason();
    }

    static Stream<Case> several() {
        return Stream.of(new Case(4, new Plan.Star()), new Case(4, new Plan.Ring()), new Case(4, groups(0, 0, 1, 1)));
    }

    /** The original averages what is there, over the number of all. Afterwards the workers go on. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("several")
    void namesAndShapesThatDifferFailOnAll(Case each) throws Exception {
        try (var cluster = new Cluster(folder, LONG)) {
            List<WorkerNode> nodes = cluster.start(cluster.settings(each.size(), each.plan()));
            List<Map<String, Tensor>> others = List.of(
                    Map.of("w", Tensor.vector(1, 2, 3)),
                    Map.of("v", Tensor.vector(1, 2)),
                    Map.of(),
                    Map.of("w", Tensor.vector(1, 2), "v", Tensor.vector(1)),
                    Map.of("w", Tensor.of(List.of(2, 1), 1, 2)));
            for (Map<String, Tensor> other : others) {
                for (int odd : List.of(0, 3)) {
                    var calls = new ArrayList<CompletableFuture<?>>();
                    nodes.forEach(node -> calls.add(Cluster.begin(
                            () -> node.average(node.rank() == odd ? other : Map.of("w", Tensor.vector(1, 2))))));
                    calls.forEach(call -> assertEquals(Reason.MISMATCH, failure(call)));
                }
            }
            var broadcasts = new ArrayList<CompletableFuture<?>>();
            nodes.forEach(node -> broadcasts.add(Cluster.begin(() ->
                    node.broadcast("w", Tensor.vector(new float[node.rank() == 3 ? 2 : 1]), 0))));
            broadcasts.forEach(call -> assertEquals(Reason.MISMATCH, failure(call)));
            var means = Cluster.all(nodes, node -> node.average(Map.of("w", Tensor.vector(node.rank()))));
            means.forEach(
                    mean -> assertArrayEquals(new float[] {1.5f}, get(mean, "w").data()));
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("several")
    void aWorkerThatDoesNotComeEndsTheCallOfAll(Case each) throws Exception {
        try (var cluster = new Cluster(folder, LONG)) {
            WorkerSettings settings = cluster.settings(each.size(), each.plan());
            List<WorkerNode> nodes = cluster.start(
                    settings.withTimes(settings.heartbeats(), settings.startTimeout(), Duration.ofMillis(700)));
            var calls = new ArrayList<CompletableFuture<?>>();
            nodes.stream().filter(node -> node.rank() != 2).forEach(node -> {
                calls.add(Cluster.begin(() -> node.average(Map.of("w", Tensor.vector(1)))));
            });
            calls.forEach(call -> assertEquals(Reason.TIMEOUT, failure(call)));
            var late = assertThrows(ExchangeException.class, () -> nodes.get(2).average(Map.of("w", Tensor.vector(1))));
            assertTrue(List.of(Reason.TIMEOUT, Reason.MISMATCH).contains(late.reason()), late.toString());
            var means = Cluster.all(nodes, node -> node.average(Map.of("w", Tensor.vector(node.rank()))));
            means.forEach(
                    mean -> assertArrayEquals(new float[] {1.5f}, get(mean, "w").data()));
        }
    }

    /** The original refuses a worker that comes before the root has begun. Here it waits; both orders are tried. */
    @Test
    void aWorkerThatIsEarlyWaits() throws Exception {
        try (var cluster = new Cluster(folder, LONG)) {
            List<WorkerNode> nodes = cluster.start(cluster.settings(2, new Plan.Star()));
            var early = Cluster.begin(() -> nodes.get(1).average(Map.of("w", Tensor.vector(4))));
            var next = Cluster.begin(() -> nodes.get(0).average(Map.of("w", Tensor.vector(2))));
            assertArrayEquals(new float[] {3}, get(Cluster.result(early), "w").data());
            assertArrayEquals(new float[] {3}, get(Cluster.result(next), "w").data());
        }
    }

    @Test
    void beforeTheStartAndAfterTheEndThereIsNoRank() throws Exception {
        try (var cluster = new Cluster(folder, LONG)) {
            var node = cluster.add(new WorkerNode(cluster.settings(1, new Plan.Star())));
            assertEquals(-1, node.rank());
            assertEquals(0, node.size());
            var never = new WorkerNode(cluster.settings(1, new Plan.Star()));
            never.close();
            never.close();
            assertThrows(IllegalStateException.class, never::start);
            node.start();
            assertEquals(0, node.rank());
            assertEquals(1, node.size());
            assertThrows(IllegalStateException.class, node::start);
            node.close();
            node.close();
            assertEquals(-1, node.rank());
            assertEquals(0, node.size());
            var closed = assertThrows(ExchangeException.class, node::barrier);
            assertEquals(Reason.CLOSED, closed.reason());
            var next = cluster.add(new WorkerNode(cluster.settings(1, new Plan.Star())));
            next.start(); // it left the list, so its rank is free
            assertEquals(0, next.rank());
        }
    }

    @Test
    void closingEndsACallThatWaits() throws Exception {
        try (var cluster = new Cluster(folder, LONG)) {
            List<WorkerNode> nodes = cluster.start(cluster.settings(2, new Plan.Star()));
            var root = Cluster.begin(() -> nodes.get(0).average(Map.of("w", Tensor.vector(4))));
            nodes.get(1).close();
            assertEquals(Reason.WORKERS_CHANGED, failure(root));
            var again = Cluster.begin(() -> nodes.get(0).average(Map.of("w", Tensor.vector(4))));
            nodes.get(0).close();
            assertEquals(Reason.CLOSED, failure(again));
        }
    }

    /** The coordinator's process ends and starts again: nobody loses the rank, and averages go on meanwhile. */
    @Test
    void workersSurviveARestartOfTheCoordinator() throws Exception {
        try (var cluster = new Cluster(folder, LONG)) {
            var events = new LinkedBlockingQueue<WorkerEvent>();
            WorkerSettings settings = cluster.settings(2, new Plan.Star());
            var nodes =
                    List.of(cluster.add(new WorkerNode(settings, events::add)), cluster.add(new WorkerNode(settings)));
            Cluster.all(nodes, node -> {
                node.start();
                return true;
            });
            List<Integer> ranks = nodes.stream().map(WorkerNode::rank).toList();
            cluster.stopCoordinator();
            await(events, WorkerEvent.CoordinatorLost.class);
            Cluster.all(nodes, node -> node.average(Map.of("w", Tensor.vector(1))));
            cluster.startCoordinator();
            await(events, WorkerEvent.CoordinatorBack.class);
            assertEquals(ranks, nodes.stream().map(WorkerNode::rank).toList());
            assertFalse(events.stream().anyMatch(WorkerEvent.Evicted.class::isInstance));
            Cluster.all(nodes, node -> node.average(Map.of("w", Tensor.vector(1))));
        }
    }

    @Test
    void aWorkerTooManySaysThatOthersHaveAllRanks() throws Exception {
        try (var cluster = new Cluster(folder, LONG)) {
            WorkerSettings settings = cluster.settings(2, new Plan.Star());
            cluster.start(settings);
            var events = new LinkedBlockingQueue<WorkerEvent>();
            WorkerNode third = cluster.add(new WorkerNode(settings, events::add));
            String why = String.valueOf(
                    assertThrows(SetupException.class, third::start).getMessage());
            assertTrue(
                    why.startsWith("this worker has rank 2 in a training of 2 workers: others have all its ranks"),
                    why);
            assertTrue(events.contains(new WorkerEvent.Surplus(2, 2)), events::toString);
        }
    }

    private static void await(LinkedBlockingQueue<WorkerEvent> events, Class<? extends WorkerEvent> type)
            throws InterruptedException {
        WorkerEvent next;
        do {
            next = events.poll(30, TimeUnit.SECONDS);
            assertTrue(next != null, () -> "no " + type.getSimpleName());
        } while (!type.isInstance(next));
    }

    /** The original's worker sends no heartbeats at all, so it is evicted. Here one that is evicted, too, comes back by itself. */
    @Test
    void anEvictedWorkerRegistersAgain() throws Exception {
        try (var cluster = new Cluster(folder, Duration.ofMillis(400))) {
            var events = new LinkedBlockingQueue<WorkerEvent>();
            WorkerSettings settings = cluster.settings(1, new Plan.Star());
            var node = cluster.add(new WorkerNode(
                    settings.withTimes(Duration.ofSeconds(2), settings.startTimeout(), settings.callTimeout()),
                    events::add));
            node.start();
            await(events, WorkerEvent.Evicted.class); // its heartbeats are too slow
            await(events, WorkerEvent.Complete.class);
            assertEquals(0, node.rank());
            node.barrier();
        }
    }

    /** A worker leaves and another one comes in its place: the next call is of the new workers. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("several")
    void anotherWorkerTakesTheFreeRank(Case each) throws Exception {
        try (var cluster = new Cluster(folder, LONG)) {
            WorkerSettings settings = cluster.settings(each.size(), each.plan());
            var nodes = new ArrayList<>(cluster.start(settings));
            Cluster.all(nodes, node -> node.average(Map.of("w", Tensor.vector(1))));
            nodes.get(2).close();
            var other = cluster.add(new WorkerNode(settings));
            other.start();
            assertEquals(2, other.rank());
            nodes.set(2, other);
            var means = Cluster.all(nodes, node -> {
                while (true) {
                    try {
                        return node.average(Map.of("w", Tensor.vector(node.rank())));
                    } catch (ExchangeException changed) { // it had not heard of the new one
                        assertTrue(
                                List.of(Reason.WORKERS_CHANGED, Reason.UNREACHABLE)
                                        .contains(changed.reason()),
                                changed.toString());
                    }
                }
            });
            means.forEach(
                    mean -> assertArrayEquals(new float[] {1.5f}, get(mean, "w").data()));
        }
    }

    @Test
    void aCallersOwnAverageIsUsed() throws Exception {
        try (var cluster = new Cluster(folder, LONG)) {
            Exchange own = tensors -> Map.of("own", Tensor.vector(7));
            WorkerNode node =
                    cluster.start(cluster.settings(1, new Plan.Own(own))).getFirst();
            assertArrayEquals(
                    new float[] {7}, get(node.average(Map.of()), "own").data());
            node.barrier();
        }
    }

    @Test
    void settingsAreChecked() {
        WorkerSettings good = WorkerSettings.of(List.of("127.0.0.1:1"), 2);
        assertThrows(IllegalArgumentException.class, () -> WorkerSettings.of(List.of(), 2));
        assertThrows(IllegalArgumentException.class, () -> WorkerSettings.of(List.of("a:1"), 0));
        assertThrows(IllegalArgumentException.class, () -> good.withPlan(groups(0)));
        assertThrows(IllegalArgumentException.class, () -> good.withTimes(Duration.ZERO, LONG, LONG));
    }
}
