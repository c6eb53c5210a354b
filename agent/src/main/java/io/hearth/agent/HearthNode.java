package io.hearth.agent;

import io.hearth.agent.guest.GuestService;
import io.hearth.agent.guest.NodeGuest;
import io.hearth.agent.loop.NodeLoop;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.agent.status.VersionedValue;
import io.hearth.collective.engine.CollectiveEngine;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.discovery.HostPort;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.transport.LinkCounters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running node, from its start to its orderly leave. {@link NodeAssembly} builds its parts; the machines decide, on the thread of its
 * {@link NodeLoop}.
 */
public final class HearthNode implements AutoCloseable {
    static {
        LogProvider.reportIfMissing(); // before the first logger, with which slf4j begins
    }

    private static final Logger LOG = LoggerFactory.getLogger(HearthNode.class);

    /** Draining takes up to 5 s, and leaving the view up to 10 s. After that it is a crash for the others, which detect it. */
    private static final Duration LEAVING = Duration.ofSeconds(16);

    private final NodeAssembly parts;
    private final AtomicBoolean closing = new AtomicBoolean(); // the first caller of close() sets it

    private HearthNode(NodeAssembly parts) {
        this.parts = parts;
    }

    /**
     * Starts a node with the environment of this process.
     *
     * @throws SetupException if something on this machine prevents the start; its text says what to do. Nothing is left running
     */
    public static HearthNode start(HearthConfig config) throws SetupException {
        return start(config, System.getenv());
    }

    /**
     * As {@link #start(HearthConfig)}.
     *
     * @param environment in place of {@link System#getenv()}
     */
    public static HearthNode start(HearthConfig config, Map<String, String> environment) throws SetupException {
        return start(config, environment, NodeGuest.Maker.NONE);
    }

    /** As {@link #start(HearthConfig, Map)}, with a guest. */
    public static HearthNode start(HearthConfig config, Map<String, String> environment, NodeGuest.Maker guests)
            throws SetupException {
        return new HearthNode(NodeAssembly.start(config, environment, guests));
    }

    public NodeId id() {
        return parts.self();
    }

    /** The port at which the links of this node are dialled. */
    public int port() {
        return parts.status().value().port();
    }

    /** The current status of the node. */
    public ClusterStatus status() {
        return parts.status().value();
    }

    /**
     * Waits for a newer status and passes it to {@code reader}.
     *
     * @param seen number of the newest status seen so far, 0 for none
     * @return number of the status that was passed
     */
    public long awaitStatusAfter(long seen, Consumer<ClusterStatus> reader) throws InterruptedException {
        VersionedValue.Version<ClusterStatus> newer = parts.status().awaitAfter(seen);
        reader.accept(newer.value());
        return newer.number();
    }

    /** The newest status, for waiting threads. */
    VersionedValue<ClusterStatus> latestStatus() {
        return parts.status();
    }

    /** The newest measured topology, for waiting threads. */
    VersionedValue<ClusterTopology> latestTopology() {
        return parts.topology();
    }

    /** The measured topology, as of the last status. */
    public ClusterTopology topology() {
        return parts.topology().value();
    }

    /** Adds an address to those that discovery finds. */
    public void addPeer(HostPort address) {
        parts.addPeer(address);
    }

    /** The collectives of a trainer. */
    Optional<CollectiveEngine> engine() {
        return parts.engine();
    }

    /** Counters of the control links since the start. */
    LinkCounters linkCounters() {
        return parts.linkCounters();
    }

    /** The services that this node offers to programs of its machine. */
    List<GuestService> services() {
        return parts.services();
    }

    /** Largest possible age of {@link #status()}, in nanoseconds. Far above a second means that the owner thread is stuck or ended. */
    public long statusAgeNanos() {
        return parts.statusAgeNanos();
    }

    /** The reason why the node stopped by itself; empty while it runs. */
    public Optional<HearthException> failure() {
        return parts.failure();
    }

    /** Stops the node because a thread that it needs ended by an error; {@link #failure()} gives the reason. */
    void failed(String thread, Throwable why) {
        parts.failed(thread, why);
    }

    /** Ends the node at once, as a crash does: the others find by the closed links that it is gone. Idempotent. */
    void abort() {
        closing.set(true);
        parts.abort();
    }

    /** Leaves the cluster in order, if the others agree within some seconds, and ends the node; idempotent. */
    @Override
    public void close() {
        if (closing.getAndSet(true)) {
            return;
        }
        parts.leave();
        try {
            if (!parts.left().await(LEAVING.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn(
                        "the others did not let this node go within {} s; leaving as if it crashed",
                        LEAVING.toSeconds());
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
        parts.close();
    }
}
