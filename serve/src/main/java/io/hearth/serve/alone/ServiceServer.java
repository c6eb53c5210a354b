package io.hearth.serve.alone;

import io.grpc.ServerInterceptors;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.election.Lineage;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.SlotLease;
import io.hearth.replicated.machine.Limits;
import io.hearth.replicated.machine.ReplicaEvent;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.replica.ServiceReplica;
import io.hearth.serve.shell.ClusterService;
import io.hearth.serve.shell.MemberCalls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A service on one machine. What it answered is in a folder and survives a crash.
 *
 * <p>It has no password. Other machines reach its port with TLS only ({@link PortPlace}).
 */
public final class ServiceServer implements AutoCloseable {
    private static final long START_SECONDS = 30;
    private static final long CLOSE_SECONDS = 5;

    private final ScheduledThreadPoolExecutor timer;
    private final ServiceReplica<?> replica;
    private final ServicePort port;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AtomicReference<Optional<Throwable>> failure = new AtomicReference<>(Optional.empty());

    private ServiceServer(ClusterService.Maker<?> maker, ServiceReplica.Place place, PortPlace listen)
            throws SetupException {
        checkEncrypted(maker, listen);
        Clock clock = Clock.system();
        timer = new ScheduledThreadPoolExecutor(
                1,
                Thread.ofPlatform()
                        .name("hearth-" + maker.name() + "-timer")
                        .daemon()
                        .factory());
        timer.setRemoveOnCancelPolicy(true);
        boolean isOpen = false;
        try {
            replica = ServiceReplica.open(
                    maker, place, Limits.ALONE, (_, _) -> {}, MemberCalls.NONE, clock, timer, this::failed);
            try {
                replica.service().members(List.of(place.self()));
                replica.host().start();
                var lineage = new Lineage(false, clock.epochMillis(), place.self(), place.incarnation(), 0);
                replica.host().event(new ReplicaEvent.Viewed(lineage, 1, List.of(place.self())));
                if (!replica.awaitElected(START_SECONDS)) {
                    throw new SetupException("the state of the service " + maker.name() + " cannot be written"
                            + failure.get().map(why -> ": " + why.getMessage()).orElse(""));
                }
                port = ServicePort.open(
                        listen,
                        replica.service().methods().stream()
                                .map(service ->
                                        ServerInterceptors.intercept(service, new WhileElected(maker.name(), replica)))
                                .toList(),
                        replica.service().messageBytesMax(),
                        replica.service().pages());
                replica.service()
                        .listening(new InetSocketAddress(listen.address().getAddress(), port.port()));
                isOpen = true;
            } catch (IOException taken) {
                throw new SetupException(
                        listen.refusal("the service " + maker.name(), taken) + ", with --serve-on and --port", taken);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new SetupException("the start was interrupted", stop);
            } finally {
                if (!isOpen) {
                    replica.close();
                }
            }
        } finally {
            if (!isOpen) {
                timer.shutdownNow();
            }
        }
    }

    /**
     * Starts a service.
     *
     * @throws SetupException with what to do
     */
    public static ServiceServer start(ClusterService.Maker<?> maker, ServiceReplica.Place place, PortPlace listen)
            throws SetupException {
        return new ServiceServer(maker, place, listen);
    }

    /**
     * Starts a service with its state in a folder of a home. One process at a time has it; its {@link #close} gives it back.
     *
     * @throws SetupException with what to do
     */
    public static ServiceServer inHome(ClusterService.Maker<?> maker, HearthHome home, PortPlace listen)
            throws SetupException {
        checkEncrypted(maker, listen);
        IdentityFile identities = IdentityFile.in(home);
        NodeIdentity identity = identities.loadOrCreate();
        SlotLease lease = SlotLease.single(home, maker.name(), Clock.system());
        boolean isStarted = false;
        try {
            ServiceServer server = start(
                    maker,
                    new ServiceReplica.Place(
                            new NodeId(identity.peer(), lease.slot()),
                            lease.incarnation(),
                            home.subfolder(maker.name()),
                            identities.computer(identity)),
                    listen);
            var _ = server.closed.thenRun(lease::close);
            isStarted = true;
            return server;
        } finally {
            if (!isStarted) {
                lease.close();
            }
        }
    }

    private static void checkEncrypted(ClusterService.Maker<?> maker, PortPlace listen) throws SetupException {
        listen.checkEncrypted("the service " + maker.name());
    }

    private void failed(Throwable why) {
        failure.compareAndSet(Optional.empty(), Optional.of(why));
        ended.countDown();
    }

    public int port() {
        return port.port();
    }

    /** Waits until it ended by an error, which this returns. */
    public Throwable awaitFailure() throws InterruptedException {
        ended.await();
        return failure.get().orElseThrow();
    }

    /** Ends all calls and connections; idempotent. */
    @Override
    public void close() {
        port.close();
        replica.close();
        timer.shutdownNow();
        try {
            var _ = timer.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
        closed.complete(null);
    }
}
