package io.hearth.agent;

import io.hearth.collective.CollectiveEngine;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.DistributedContext;
import io.hearth.core.HearthException;
import io.hearth.core.NotEnoughPeersException;
import io.hearth.core.SetupException;
import io.hearth.discovery.HostPort;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A training script's way into the cluster: starts a trainer, waits for others of its group, and gives the collectives.
 *
 * <pre>{@code
 * try (var hearth = AutoDiscoveryBackend.start(HearthConfig.defaults().namespace("home"))) {
 *     hearth.waitForPeers(1, Duration.ofSeconds(60));
 *     DistributedContext cluster = hearth.context();
 *     cluster.allReduce(gradients, ReduceOp.AVG);
 * }
 * }</pre>
 *
 * <p>A group is open until its first collective. A trainer that comes later enters where the next step begins, if its script and
 * the others' call {@link DistributedContext#share} and {@link DistributedContext#beginStep()}; otherwise it waits, and says so,
 * until the job ends. Closing leaves the cluster in order: the others go on at once and nothing of the last result is lost.
 */
public final class AutoDiscoveryBackend implements AutoCloseable {
    private final HearthNode node;
    private final CollectiveEngine engine;
    private final String group;
    private @Nullable DistributedContext context; // of the thread that uses this backend

    private AutoDiscoveryBackend(HearthNode node, CollectiveEngine engine, String group) {
        this.node = node;
        this.engine = engine;
        this.group = group;
    }

    /**
     * Starts a trainer; discovery goes on in the background.
     *
     * @throws SetupException something on this machine stands in the way, such as a missing secret; says what to do
     */
    public static AutoDiscoveryBackend start(HearthConfig config) throws SetupException {
        return start(config, System.getenv());
    }

    /**
     * As {@link #start(HearthConfig)}.
     *
     * @param environment in place of {@link System#getenv()}
     */
    public static AutoDiscoveryBackend start(HearthConfig config, Map<String, String> environment)
            throws SetupException {
        HearthNode node = HearthNode.start(config, environment);
        Optional<CollectiveEngine> engine = node.engine();
        if (engine.isEmpty()) {
            node.close();
            throw new IllegalArgumentException("an agent trains nothing: start a HearthNode with this configuration");
        }
        return new AutoDiscoveryBackend(node, engine.get(), config.group());
    }

    /** This trainer. */
    public NodeId id() {
        return node.id();
    }

    /** Trainers of this group in the view, this one left out. */
    public int peerCount() {
        return node.status().otherTrainers(group);
    }

    /**
     * Waits until at least so many other trainers of this group are in the view, or at work where this one may enter.
     *
     * @param peers 0 or more
     * @return how many there are
     * @throws NotEnoughPeersException there were fewer in time; names who is there, who was refused, and why
     */
    public int waitForPeers(int peers, Duration patience) throws HearthException, InterruptedException {
        if (peers < 0) {
            throw new IllegalArgumentException("cannot wait for " + peers + " peers; 0 or more");
        }
        Optional<ClusterStatus> there = node.observation()
                .await(status -> found(status) >= peers || node.failure().isPresent(), patience);
        if (node.failure().isPresent()) {
            throw node.failure().get();
        }
        ClusterStatus status = node.status();
        if (there.isEmpty()) {
            throw new NotEnoughPeersException("found " + found(status) + " of " + peers
                    + " peers of group '" + group + "' in namespace '"
                    + status.namespace().name() + "' (key " + status.namespace().keyId() + ") within "
                    + patience.toMillis() / 1e3 + " s; " + status.explain());
        }
        return found(status);
    }

    private int found(ClusterStatus status) {
        return Math.max(status.otherTrainers(group), status.trainersElsewhere());
    }

    /**
     * The collectives of this group. The first call runs the group's first collective, a barrier, and so closes it: rank and
     * world size are those of its members from then on, and change only with a call that ends without a lost member, or
     * when a step begins. Where the group is at work already nothing runs: the context's first call has to be
     * {@link DistributedContext#beginStep()}, with which this trainer enters.
     *
     * @throws HearthException the barrier failed; says why
     */
    public DistributedContext context() throws HearthException {
        if (context == null) {
            if (node.status().entersByStep()) {
                engine.enterByStep();
            } else {
                engine.barrier(CollectiveOptions.DEFAULTS);
            }
            context = new DistributedContext(
                    engine, () -> Optional.of(node.status().view().master()));
        }
        return context;
    }

    /** Tells {@code listener} how far long transfers are that begin from now on, and nobody else. */
    public void progress(CollectiveProgress listener) {
        engine.progress(listener);
    }

    /**
     * Tells {@code listener} where the time of all collectives goes that begin from now on, and nobody else; {@link ChromeTrace}
     * writes it down, {@link CollectiveTrace#NONE} ends it.
     */
    public void trace(CollectiveTrace listener) {
        engine.trace(listener);
    }

    /** What this node believes now. */
    public ClusterStatus status() {
        return node.status();
    }

    /** The nodes and the measured links between them, as this node knows them. */
    public ClusterTopology topology() {
        return node.topology();
    }

    /** The running node, for what is not about training. */
    public HearthNode node() {
        return node;
    }

    /** Tries an address besides those that discovery finds. */
    public void addPeer(HostPort address) {
        node.addPeer(address);
    }

    /** Leaves in order and ends everything; idempotent. */
    @Override
    public void close() {
        node.close();
    }
}
