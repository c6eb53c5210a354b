package io.hearth.serve.replica;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.disk.StoreFile;
import io.hearth.replicated.host.ReplicaHost;
import io.hearth.replicated.machine.Limits;
import io.hearth.replicated.machine.ReplicaMachine;
import io.hearth.replicated.machine.Safety;
import io.hearth.serve.shell.ClusterService;
import io.hearth.serve.shell.MemberCalls;
import io.hearth.serve.shell.StoreAccess;
import io.hearth.serve.shell.Surroundings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A service of this machine, with its replica.
 *
 * @param <S> the service's state that survives
 */
public final class ServiceReplica<S> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceReplica.class);

    private final ClusterService<S> service;
    private final ReplicaHost<S> host;
    private final CountDownLatch elected = new CountDownLatch(1);
    private volatile boolean isElected;

    /**
     * What a replica has of its machine.
     *
     * @param incarnation higher than at each earlier start
     * @param folder of the state, which no other process uses; made if it does not exist
     * @param computer hash of the operating system's machine id, if it is known
     */
    public record Place(NodeId self, long incarnation, Path folder, Optional<String> computer) {}

    private ServiceReplica(
            ClusterService.Maker<S> maker,
            Place place,
            StoreFile file,
            Limits limits,
            BiConsumer<NodeId, ReplicaMessage> sender,
            MemberCalls others,
            Clock clock,
            ScheduledExecutorService timer,
            Consumer<Throwable> failed) {
        service = maker.make(new Surroundings(
                place.self(),
                place.folder(),
                clock,
                timer,
                new StoreAccess() { // the service uses it once it is elected, so the host is there
                    @Override
                    public void submit(Bytes command, Consumer<ReplicaHost.Outcome> then) {
                        host().submit(command, then);
                    }

                    @Override
                    public void confirm(Consumer<Boolean> then) {
                        host().confirm(then);
                    }
                },
                others,
                failed));
        host = new ReplicaHost<>(
                new ReplicaMachine<>(maker.application(), Safety.PROVEN, limits),
                place.self(),
                place.incarnation(),
                file,
                sender,
                new ReplicaHost.Service<>() {
                    private int keepers;

                    @Override
                    public void elected(S state) {
                        LOG.info("this machine answers for service={}", maker.name());
                        service.elected(state);
                        isElected = true;
                        elected.countDown();
                    }

                    @Override
                    public void applied(S state) {
                        int now = host().state().keepers();
                        if (now != keepers) {
                            LOG.info("the state of service={} is kept on machines={}", maker.name(), now);
                            keepers = now;
                        }
                        service.applied(state);
                    }

                    @Override
                    public void deposed(String why) {
                        LOG.info("this machine no longer answers for service={}: {}", maker.name(), why);
                        isElected = false;
                        service.deposed(why);
                    }

                    @Override
                    public void failed(Throwable why) {
                        service.failed(why);
                    }
                },
                clock);
    }

    /**
     * Opens the folder. The replica runs after {@link ReplicaHost#start}.
     *
     * @param sender sends a message over the link to a node, or drops it if there is none
     * @param others reaches the service on other machines
     * @param failed called with an error after which the service does not go on
     * @throws SetupException with what to do
     */
    public static <S> ServiceReplica<S> open(
            ClusterService.Maker<S> maker,
            Place place,
            Limits limits,
            BiConsumer<NodeId, ReplicaMessage> sender,
            MemberCalls others,
            Clock clock,
            ScheduledExecutorService timer,
            Consumer<Throwable> failed)
            throws SetupException {
        StoreFile file;
        try {
            Files.createDirectories(place.folder());
            file = StoreFile.open(place.folder(), place.computer());
        } catch (IOException unusable) {
            throw new SetupException(
                    "the folder " + place.folder() + " cannot be used for the state of the service " + maker.name()
                            + ": " + unusable.getMessage(),
                    unusable);
        }
        try {
            return new ServiceReplica<>(maker, place, file, limits, sender, others, clock, timer, failed);
        } catch (IllegalArgumentException unreadable) {
            close(file);
            throw new SetupException(
                    "the state in " + place.folder() + " cannot be read (" + unreadable.getMessage()
                            + "): start the newer Hearth that wrote it",
                    unreadable);
        }
    }

    private static void close(StoreFile file) {
        try {
            file.close();
        } catch (IOException broken) {
            LOG.warn("{} cannot be closed: {}", file, broken.getMessage());
        }
    }

    public ClusterService<S> service() {
        return service;
    }

    public ReplicaHost<S> host() {
        return host;
    }

    /** Whether this machine answers, and its service knows. Any thread. */
    public boolean isElected() {
        return isElected;
    }

    /** Waits until this machine was elected once. */
    public boolean awaitElected(long seconds) throws InterruptedException {
        return elected.await(seconds, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        service.close();
        host.close();
    }
}
