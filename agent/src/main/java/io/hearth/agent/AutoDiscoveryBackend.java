package io.hearth.agent;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.RankBounds;
import io.hearth.collective.engine.CollectiveEngine;
import io.hearth.core.DeadlineExceededException;
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
 * <p>A group is open until its start, which {@link #context(int)} waits for. A trainer that comes later enters where the next step
 * begins, if its script and the others' call {@link DistributedContext#share} and {@link DistributedContext#beginStep()};
 * otherwise its {@code context()} waits, and says so, until the job ends or its deadline has passed. Closing leaves the cluster in order: the others go on at once and nothing of the last result is lost.
 */
public final class AutoDiscoveryBackend implements AutoCloseable {
    private final HearthNode node;
    private final CollectiveEngine engine;
    private final HearthConfig config;
    private int ranksFound = 1; // of the thread that uses this backend
    private @Nullable DistributedContext context; // of the thread that uses this backend

    private AutoDiscoveryBackend(HearthNode node, CollectiveEngine engine, HearthConfig config) {
        this.node = node;
        this.engine = engine;
        this.config = config;
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
        return new AutoDiscoveryBackend(node, engine.get(), config);
    }

    /** This trainer. */
    public NodeId id() {
        return node.id();
    }

    /** Trainers of this group in the view, this one left out. */
    public int peerCount() {
        return node.status().otherTrainers(config.group());
    }

    /**
     * Waits until at least so many other trainers of this group are in the view, or at work where this one may enter. A {@link
     * #context()} that follows does not return with fewer of them.
     *
     * @param peers 0 or more
     * @return how many there are
     * @throws NotEnoughPeersException there were fewer in time; names who is there, who was refused, and why
     * @throws SetupException another computer uses this one's identity too; says where it is and what to do
     */
    public int waitForPeers(int peers, Duration patience) throws HearthException, InterruptedException {
        if (peers < 0) {
            throw new IllegalArgumentException("cannot wait for " + peers + " peers; 0 or more");
        }
        Optional<ClusterStatus> there = node.latestStatus()
                .await(
                        status -> found(status) >= peers
                                || status.ownDoubled().isPresent()
                                || node.failure().isPresent(),
                        patience);
        if (node.failure().isPresent()) {
            throw node.failure().get();
        }
        ClusterStatus status = node.status();
        requireOwnIdentity(status);
        if (there.isEmpty()) {
            throw new NotEnoughPeersException("found " + found(status) + " of " + peers
                    + " peers of group '" + config.group() + "' in namespace '"
                    + status.namespace().name() + "' (key " + status.namespace().keyId() + ") within "
                    + patience.toMillis() / 1e3 + " s; " + status.explain());
        }
        ranksFound = Math.max(ranksFound, peers + 1);
        return found(status);
    }

    /** Throws if another computer uses this node's identity: such a node joins no cluster until its restart, so no wait would end. */
    private static void requireOwnIdentity(ClusterStatus status) throws SetupException {
        Optional<String> doubled = status.ownDoubled();
        if (doubled.isPresent()) {
            throw new SetupException(doubled.get());
        }
    }

    private int found(ClusterStatus status) {
        return Math.max(status.otherTrainers(config.group()), status.trainersElsewhere());
    }

    /**
     * The collectives of this group, as {@link #context(int)}, with as many ranks as the last {@link #waitForPeers} found enough, this one
     * included, and not fewer than {@link HearthConfig#minimumRanks()}; 1 if nobody asked for more.
     *
     * @throws NotEnoughPeersException as there
     * @throws HearthException as there
     */
    public DistributedContext context() throws HearthException {
        return context(1);
    }

    /**
     * The collectives of this group. The first call starts it: returns when all trainers of the group that are in the view called it
     * and there are at least as many as each of them asks for. All get the same members, whose rank and world size stay until
     * a call ends without a lost member, or a step begins. Whoever is lost before is waited for, and may come back or be
     * restarted. The first collective after the start waits for as many ranks again.
     *
     * <p>Where the group is at work already, no second one starts. If it begins steps, this returns, and the context's first call
     * has to be {@link DistributedContext#beginStep()}, with which this trainer enters; before that it has no rank. If it does not begin
     * steps, or has {@link HearthConfig#maximumRanks()} members, this waits until that changes or the job ends.
     *
     * <p>Waits for {@link HearthConfig#deadline()} at most, and may be called again after an error. Once there is a context, every
     * call returns it.
     *
     * @param minimumRanks 1 or more; counts if {@link #waitForPeers} and {@link HearthConfig#minimumRanks()} do not ask for more
     * @throws NotEnoughPeersException there were fewer, or not all called this, in time; names the others and what each waits for
     * @throws SetupException another computer uses this one's identity too; says where it is and what to do
     * @throws HearthException the group did not start; says why
     */
    public DistributedContext context(int minimumRanks) throws HearthException {
        requireOwnIdentity(node.status());
        if (context == null) {
            int least = Math.max(minimumRanks, Math.max(ranksFound, config.minimumRanks()));
            var _ = new RankBounds(least, config.maximumRanks()); // what no group can have is said at once
            start(least);
            context = new DistributedContext(
                    engine, () -> Optional.of(node.status().view().master()));
        }
        return context;
    }

    private void start(int least) throws HearthException {
        try {
            engine.start(least, CollectiveOptions.DEFAULTS);
        } catch (DeadlineExceededException late) {
            throw new NotEnoughPeersException(
                    "group '" + config.group() + "' did not start with " + least + (least == 1 ? " rank" : " ranks")
                            + " within " + config.deadline().toMillis() / 1e3 + " s: " + late.getMessage() + "; "
                            + node.status().explainTrainers()
                            + "; start the missing ones, or call context() again to wait on",
                    late);
        }
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
