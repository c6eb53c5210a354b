package io.hearth.agent;

import io.hearth.collective.engine.CollectiveEngine;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.discovery.HostPort;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running node, from its first link to its orderly leave. What it is made of is in {@link NodeAssembly}; what it decides, the
 * machines decide on the thread of its {@link NodeLoop}.
 */
public final class HearthNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HearthNode.class);

    /** Draining takes up to 5 s and asking to be let go up to 10 s: then it is a crash, and the others find out. */
    private static final Duration LEAVING = Duration.ofSeconds(16);

    private final NodeAssembly parts;
    private final AtomicBoolean closing = new AtomicBoolean(); // the first caller of close() sets it

    private HearthNode(NodeAssembly parts) {
        this.parts = parts;
    }

    /**
     * Starts a node with the environment of this process.
     *
     * @throws SetupException something on this machine stands in the way; says what to do. Nothing is left running
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
        return new HearthNode(NodeAssembly.start(config, environment));
    }

    public NodeId id() {
        return parts.self();
    }

    /** The port that the links of this node are dialled at. */
    public int port() {
        return parts.status().value().port();
    }

    /** What the node believes now. */
    public ClusterStatus status() {
        return parts.status().value();
    }

    /**
     * Waits for a newer status and hands it over.
     *
     * @param seen number of the newest status seen, 0 for none
     * @return the number of the one handed over
     */
    public long awaitStatusAfter(long seen, Consumer<ClusterStatus> reader) throws InterruptedException {
        VersionedValue.Version<ClusterStatus> newer = parts.status().awaitAfter(seen);
        reader.accept(newer.value());
        return newer.number();
    }

    /** Statuses as they come, for who waits. */
    VersionedValue<ClusterStatus> latestStatus() {
        return parts.status();
    }

    /** The measured topology, as of the last status. */
    public ClusterTopology topology() {
        return parts.topology().value();
    }

    /** Tries an address besides those that discovery finds. */
    public void addPeer(HostPort address) {
        parts.addPeer(address);
    }

    /** The collectives of a trainer. */
    Optional<CollectiveEngine> engine() {
        return parts.engine();
    }

    /**
     * How old what {@link #status()} says may be, in nanoseconds. Far above a second means that the thread that decides is stuck, or
     * ended.
     */
    public long statusAgeNanos() {
        return parts.statusAgeNanos();
    }

    /** Why the node stopped by itself; empty while it runs. */
    public Optional<HearthException> failure() {
        return parts.failure();
    }

    /** A thread that this node cannot do without ended by an error: the node stops, and {@link #failure()} says why. */
    void failed(String thread, Throwable why) {
        parts.failed(thread, why);
    }

    /** Leaves the cluster in order, as far as the others let it within some seconds, and ends everything; idempotent. */
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
