package io.hearth.coordinator.worker;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.coordinator.CoordinatorSettings;
import io.hearth.coordinator.collective.Plan;
import io.hearth.coordinator.server.Coordinator;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.serve.alone.ServiceServer;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.TlsFiles;
import io.hearth.serve.replica.ServiceReplica;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A coordinator and workers on loopback. */
final class Cluster implements AutoCloseable {
    private static final long WAIT_SECONDS = 50;

    private final Path folder;
    private final long timeoutNanos;
    private final Optional<TlsFiles> tls;
    private final List<WorkerNode> nodes = new ArrayList<>();
    private final int port;
    private ServiceServer server;
    private long incarnation;

    Cluster(Path folder, Duration heartbeatTimeout) throws Exception {
        this(folder, heartbeatTimeout, Optional.empty());
    }

    /**
     * A coordinator without workers.
     *
     * @param tls of its port
     */
    Cluster(Path folder, Duration heartbeatTimeout, Optional<TlsFiles> tls) throws Exception {
        this.tls = tls;
        this.folder = folder;
        this.timeoutNanos = heartbeatTimeout.toNanos();
        this.server = serve(0);
        this.port = server.port();
    }

    private ServiceServer serve(int port) throws Exception {
        return ServiceServer.start(
                Coordinator.maker(new CoordinatorSettings(timeoutNanos)),
                new ServiceReplica.Place(
                        new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "coordinator"),
                        ++incarnation,
                        folder,
                        Optional.empty()),
                new PortPlace(PortPlace.loopback(port).address(), tls));
    }

    int port() {
        return port;
    }

    /** The coordinator ends. */
    void stopCoordinator() {
        server.close();
    }

    /** The coordinator starts again on its port. */
    void startCoordinator() throws Exception {
        server = serve(port);
    }

    WorkerSettings settings(int size, Plan plan) {
        return WorkerSettings.of(List.of("127.0.0.1:" + port), size)
                .withPlan(plan)
                .withTimes(Duration.ofMillis(50), Duration.ofSeconds(40), Duration.ofSeconds(30));
    }

    WorkerNode add(WorkerNode node) {
        nodes.add(node);
        return node;
    }

    /** Starts as many workers as the settings say; they are in the order of their ranks. */
    List<WorkerNode> start(WorkerSettings settings) throws Exception {
        var started = new ArrayList<WorkerNode>();
        for (int i = 0; i < settings.size(); i++) {
            started.add(add(new WorkerNode(settings)));
        }
        all(started, node -> {
            node.start();
            return true;
        });
        started.sort((one, other) -> Integer.compare(one.rank(), other.rank()));
        return started;
    }

    /** What one worker does. */
    interface Work<T> {
        T on(WorkerNode node) throws Exception;
    }

    static <T> CompletableFuture<T> begin(Callable<T> work) {
        var done = new CompletableFuture<T>();
        Thread.startVirtualThread(() -> {
            try {
                done.complete(work.call());
            } catch (Throwable failed) {
                done.completeExceptionally(failed);
            }
        });
        return done;
    }

    static <T> T result(CompletableFuture<T> future) throws Exception {
        try {
            return future.orTimeout(WAIT_SECONDS, TimeUnit.SECONDS).join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof Exception cause && !(cause instanceof TimeoutException)) {
                throw cause;
            }
            throw failed;
        }
    }

    /** All workers do this at once; the results are in their order. */
    static <T> List<T> all(List<WorkerNode> nodes, Work<T> work) throws Exception {
        var futures = new ArrayList<CompletableFuture<T>>();
        nodes.forEach(node -> futures.add(begin(() -> work.on(node))));
        var results = new ArrayList<T>();
        for (CompletableFuture<T> future : futures) {
            results.add(result(future));
        }
        return results;
    }

    @Override
    public void close() {
        nodes.stream()
                .map(node -> Thread.startVirtualThread(node::close))
                .toList()
                .forEach(Cluster::join);
        server.close();
        assertTrue(nodes.stream().allMatch(node -> node.rank() == -1 && node.size() == 0));
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
