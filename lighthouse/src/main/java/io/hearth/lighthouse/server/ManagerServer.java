package io.hearth.lighthouse.server;

import io.grpc.Channel;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.lighthouse.QuorumMember;
import io.hearth.lighthouse.client.LighthouseClient;
import io.hearth.lighthouse.machine.ManagerSettings;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.grpc.TlsFiles;
import io.hearth.serve.shell.ShellHost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The manager of a replica group: torchft's, for ranks in any language. It joins the requests of the group's ranks into one to the
 * lighthouse, tells each rank what the quorum means for it, counts votes about commits, and keeps the group alive at the lighthouse.
 *
 * <p>It has no password: keep its port on loopback, or in a network that you trust.
 */
public final class ManagerServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ManagerServer.class);
    private static final long CLOSE_SECONDS = 5;

    private final LighthouseClient lighthouse;
    private final ScheduledThreadPoolExecutor timer;
    private final Heartbeats heartbeats;
    private final ServicePort port;
    private final int portNumber;
    private final String address;

    private record Host(Clock clock, ScheduledExecutorService timer, Consumer<Throwable> failed) implements ShellHost {}

    private ManagerServer(Builder from, Supplier<LighthouseClient> way) throws SetupException {
        timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("hearth-manager-timer").daemon().factory());
        timer.setRemoveOnCancelPolicy(true);
        lighthouse = way.get();
        heartbeats = new Heartbeats(lighthouse, from.replicaId, from.interval, timer);
        var manager = new Manager(
                new ManagerSettings(from.replicaId, from.worldSize, from.retries),
                from.storeAddress,
                lighthouse,
                Optional.ofNullable(from.killHandler),
                new Host(
                        Clock.system(),
                        timer,
                        why -> LOG.error("a fault of the manager of replica={}", from.replicaId, why)));
        boolean isOpen = false;
        try {
            port = ServicePort.open(
                    from.listen, // the builder checked it
                    List.of(manager.methods()),
                    ServicePort.MESSAGE_BYTES_DEFAULT,
                    (_, _) -> new ServicePort.Page(404, "text/plain", "a manager has no pages: see its lighthouse\n")
                            .now());
            isOpen = true;
        } catch (IOException taken) {
            throw new SetupException(from.listen.refusal("the manager of replica " + from.replicaId, taken), taken);
        } finally {
            if (!isOpen) {
                timer.shutdownNow();
                lighthouse.close();
            }
        }
        portNumber = port.port();
        String host = from.host();
        address = (from.listen.tls().isPresent() ? "https://" : "http://")
                + (host.contains(":") ? "[" + host + "]" : host) + ":" + portNumber;
        manager.listens(address);
        heartbeats.beat();
    }

    /**
     * Begins a manager.
     *
     * @param replicaId of the group, 1 to {@link QuorumMember#ID_CHARACTERS_MAX} characters; another one for each group and each start
     * @param worldSize ranks of the group, at least 1
     */
    public static Builder builder(String replicaId, int worldSize) {
        return new Builder(replicaId, worldSize);
    }

    /** What a manager is started with. */
    public static final class Builder {
        private static final Duration INTERVAL_MIN = Duration.ofMillis(1);
        private static final Duration INTERVAL_MAX = Duration.ofHours(1);
        private static final int RETRIES_MAX = 1_000;

        private final String replicaId;
        private final int worldSize;
        private String storeAddress = "";
        private PortPlace listen = PortPlace.loopback(0);
        private boolean mayBeRead;
        private @Nullable String host;
        private @Nullable KillHandler killHandler;
        private Duration interval = Duration.ofMillis(100);
        private int retries;

        private Builder(String replicaId, int worldSize) {
            if (replicaId.isEmpty() || replicaId.length() > QuorumMember.ID_CHARACTERS_MAX || worldSize < 1) {
                throw new IllegalArgumentException("the id of a replica has 1 to " + QuorumMember.ID_CHARACTERS_MAX
                        + " characters, and its group at least 1 rank; got " + replicaId.length() + " and "
                        + worldSize);
            }
            this.replicaId = replicaId;
            this.worldSize = worldSize;
        }

        /** Where the group's key-value store is, which ranks of other groups use; an empty text if there is none. */
        public Builder store(String at) {
            storeAddress = at;
            return this;
        }

        /** The address of loopback to listen on, port 0 for any; any free port, unless this says otherwise. */
        public Builder listen(InetSocketAddress at) {
            listen = new PortPlace(at, Optional.empty());
            mayBeRead = false;
            return this;
        }

        /**
         * The address to listen on, port 0 for any, with TLS. Clients call it over a channel with TLS; torchft's have none.
         *
         * @param files of this machine
         */
        public Builder listen(InetSocketAddress at, TlsFiles files) {
            listen = new PortPlace(at, Optional.of(files));
            mayBeRead = false;
            return this;
        }

        /**
         * The address to listen on, port 0 for any; other machines may reach it. torchft does not encrypt calls to managers, so anyone on that
         * network can read and change them.
         */
        public Builder listenUnencrypted(InetSocketAddress at) {
            listen = new PortPlace(at, Optional.empty());
            mayBeRead = true;
            return this;
        }

        /** The name or address of this machine that other groups reach the manager by; as it listens, unless this says otherwise. */
        public Builder host(String name) {
            host = name;
            return this;
        }

        /** The time from one heartbeat to the next, 1 ms to 1 hour; 100 ms unless this says otherwise. */
        public Builder heartbeatEvery(Duration time) {
            if (time.compareTo(INTERVAL_MIN) < 0 || time.compareTo(INTERVAL_MAX) > 0) {
                throw new IllegalArgumentException("heartbeats are 1 ms to 1 hour apart, got " + time);
            }
            interval = time;
            return this;
        }

        /** How often a call to the lighthouse that failed is made again while ranks wait, 0 to 1000; never unless this says otherwise. */
        public Builder retries(int times) {
            if (times < 0 || times > RETRIES_MAX) {
                throw new IllegalArgumentException("there are 0 to " + RETRIES_MAX + " retries, got " + times);
            }
            retries = times;
            return this;
        }

        /** Lets anyone who reaches the port end the process; nobody can, unless this is called. */
        public Builder onKill(KillHandler handler) {
            killHandler = handler;
            return this;
        }

        /**
         * Starts it with the lighthouse at an address.
         *
         * @param lighthouse {@code http://host:port}
         * @throws SetupException if it cannot listen; with what to do
         */
        public ManagerServer start(String lighthouse) throws SetupException {
            return start(() -> LighthouseClient.to(lighthouse));
        }

        /**
         * Starts it with a lighthouse over a channel, with TLS for example. The caller closes the channel.
         *
         * @throws SetupException if it cannot listen; with what to do
         */
        public ManagerServer start(Channel lighthouse) throws SetupException {
            return start(() -> LighthouseClient.over(lighthouse));
        }

        private String host() {
            InetAddress at = listen.address().getAddress();
            return host != null ? host : at == null ? listen.address().getHostString() : at.getHostAddress();
        }

        private ManagerServer start(Supplier<LighthouseClient> way) throws SetupException {
            InetAddress at = listen.address().getAddress();
            if (at != null && at.isAnyLocalAddress() && host == null) {
                throw new IllegalArgumentException("the manager listens on all addresses of this machine: say with host"
                        + " which name other groups use");
            }
            if (!mayBeRead && listen.tls().isEmpty() && (at == null || !at.isLoopbackAddress())) {
                throw new IllegalArgumentException(
                        "other machines reach " + listen.address().getHostString()
                                + ", and this manager's port is not encrypted: give listen files of TLS or, in a network that you"
                                + " trust, say so with listenUnencrypted");
            }
            return new ManagerServer(this, way);
        }
    }

    /** Where ranks reach it, {@code http://host:port}, or {@code https} with TLS. */
    public String address() {
        return address;
    }

    public int port() {
        return portNumber;
    }

    /** Ends all calls and connections, and the heartbeats; idempotent. */
    @Override
    public void close() {
        heartbeats.close();
        port.close();
        lighthouse.close();
        timer.shutdownNow();
        try {
            var _ = timer.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
