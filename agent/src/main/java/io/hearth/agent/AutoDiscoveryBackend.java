package io.hearth.agent;

import io.hearth.agent.history.JobReport;
import io.hearth.agent.power.StayAwake;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.collective.CollectiveMetrics;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.RankBounds;
import io.hearth.collective.engine.CollectiveEngine;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.DeadlineExceededException;
import io.hearth.core.HearthException;
import io.hearth.core.NotEnoughPeersException;
import io.hearth.core.SetupException;
import io.hearth.discovery.HostPort;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The entry point of a training script: starts a trainer, waits for others of its group, and provides the collectives.
 *
 * <pre>{@code
 * try (var hearth = AutoDiscoveryBackend.start(HearthConfig.defaults().namespace("home"))) {
 *     hearth.waitForPeers(1, Duration.ofSeconds(60));
 *     DistributedContext cluster = hearth.context();
 *     cluster.allReduce(gradients, ReduceOp.AVG);
 * }
 * }</pre>
 *
 * <p>Trainers may join a group until its start, which {@link #context(int)} waits for. A trainer that comes later enters at the next step,
 * if all scripts call {@link DistributedContext#share} and {@link DistributedContext#beginStep()}. Otherwise its {@code context()} waits,
 * and logs that, until the job ends or its deadline has passed. Closing leaves the cluster in order: the other trainers continue at once,
 * and no part of the last result is lost. From the start of the group to the close, an idle machine does not fall asleep.
 */
public final class AutoDiscoveryBackend implements AutoCloseable {
    private final HearthNode node;
    private final CollectiveEngine engine;
    private final HearthConfig config;
    private final JobReporter reporter;
    private int ranksFound = 1; // used by the backend's owner thread only
    private @Nullable DistributedContext context; // used by the backend's owner thread only
    private volatile boolean isEnding; // written by any thread, read by those that wait for peers
    private volatile @Nullable StayAwake awake; // set by the backend's owner thread, closed by any

    private AutoDiscoveryBackend(HearthNode node, CollectiveEngine engine, HearthConfig config, Path socket) {
        this.node = node;
        this.engine = engine;
        this.config = config;
        long startedMillis = System.currentTimeMillis();
        this.reporter = new JobReporter(socket, progress -> job(startedMillis, progress));
    }

    /**
     * Starts a trainer; discovery continues in the background.
     *
     * @throws SetupException if something on this machine prevents the start, such as a missing secret; its text says what to do
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
        HearthHome home =
                config.home().isPresent() ? HearthHome.open(config.home().get()) : HearthHome.open(environment);
        HearthNode node = HearthNode.start(config, environment);
        Optional<CollectiveEngine> engine = node.engine();
        if (engine.isEmpty()) {
            node.close();
            throw new IllegalArgumentException("an agent trains nothing: start a HearthNode with this configuration");
        }
        var backend = new AutoDiscoveryBackend(node, engine.get(), config, LocalAgent.socket(home));
        backend.reporter.start();
        return backend;
    }

    private JobReport job(long startedMillis, Optional<JobReport.Progress> progress) {
        CollectiveMetrics counted = engine.metricsSnapshot();
        boolean isRanked = engine.isInGroup();
        return new JobReport(
                node.id(),
                config.group(),
                isRanked ? engine.rank() : -1,
                isRanked ? engine.worldSize() : 0,
                startedMillis,
                progress,
                new JobReport.Collectives(
                        counted.operations(),
                        counted.repeatedAfterLoss(),
                        counted.denseBytes(),
                        counted.codecSeconds(),
                        config.compression().equals(CompressionStrategy.NONE)
                                ? ""
                                : config.compression().text()));
    }

    /**
     * Reports the progress of the training, for the page and {@code hearth top} of this machine's agent. It returns at once; only the latest
     * report counts.
     *
     * @param step number of the step that has ended, from 0
     * @param steps of the whole training; 0 if not known
     * @param loss after that step; a value that is not finite is not reported
     */
    public void report(long step, long steps, double loss) {
        if (step < 0 || steps < 0) {
            throw new IllegalArgumentException("step and steps must be 0 or more, got " + step + " and " + steps);
        }
        if (Double.isFinite(loss)) {
            reporter.progress(new JobReport.Progress(step, steps, loss));
        }
    }

    /** The id of this trainer. */
    public NodeId id() {
        return node.id();
    }

    /** Number of trainers of this group in the view, not counting this one. */
    public int peerCount() {
        return node.status().otherTrainers(config.group());
    }

    /**
     * Waits until at least {@code peers} other trainers of this group are in the view, or in a running job that this one may enter. A later
     * {@link #context()} does not return with fewer of them.
     *
     * @param peers 0 or more
     * @return number of these trainers
     * @throws NotEnoughPeersException if fewer came in time; its text names the nodes found, the rejected ones, and the reasons
     * @throws SetupException if another computer uses this one's identity too; its text says where it is and what to do
     */
    public int waitForPeers(int peers, Duration timeout) throws HearthException, InterruptedException {
        return waitForPeers(peers, timeout, PeerProgress.NONE);
    }

    /**
     * As {@link #waitForPeers(int, Duration)}.
     *
     * @param progress told at the start and after each change of what is found
     */
    public int waitForPeers(int peers, Duration timeout, PeerProgress progress)
            throws HearthException, InterruptedException {
        if (peers < 0) {
            throw new IllegalArgumentException("peers must be 0 or more, got " + peers);
        }
        boolean isThere = await(peers, timeout, progress);
        if (node.failure().isPresent()) {
            throw node.failure().get();
        }
        ClusterStatus status = node.status();
        requireOwnIdentity(status);
        if (isEnding && found(status) < peers) {
            throw new HearthException("this trainer was closed while it waited for peers");
        }
        if (!isThere) {
            throw new NotEnoughPeersException("found " + found(status) + " of " + peers
                    + " peers of group '" + config.group() + "' in namespace '"
                    + status.namespace().name() + "' (key " + status.namespace().keyId() + ") within "
                    + timeout.toMillis() / 1e3 + " s; " + status.explain());
        }
        ranksFound = Math.max(ranksFound, peers + 1);
        return found(status);
    }

    /** Waits until enough trainers are found or none can be found any more; false if {@code timeout} ends first. */
    private boolean await(int peers, Duration timeout, PeerProgress progress) throws InterruptedException {
        long start = System.nanoTime();
        while (true) {
            ClusterStatus told = node.status();
            int found = found(told);
            String why = told.explain();
            progress.waiting(found, peers, why);
            Duration left = timeout.minusNanos(System.nanoTime() - start);
            Optional<ClusterStatus> newer =
                    node.latestStatus().await(status -> isOver(status, peers) || !isTold(status, found, why), left);
            if (newer.isEmpty()) {
                return false;
            }
            if (isOver(newer.get(), peers)) {
                return true;
            }
        }
    }

    private boolean isOver(ClusterStatus status, int peers) {
        return found(status) >= peers
                || status.ownDoubled().isPresent()
                || isEnding
                || node.failure().isPresent();
    }

    private boolean isTold(ClusterStatus status, int found, String why) {
        return found(status) == found && status.explain().equals(why);
    }

    /** Throws if another computer uses this node's identity. Such a node joins no cluster until its restart, so a wait would never end. */
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
     * The collectives of this group, as {@link #context(int)}, with at least the number of ranks that the last {@link #waitForPeers}
     * required, this one included, and at least {@link HearthConfig#minimumRanks()}; 1 by default.
     *
     * @throws NotEnoughPeersException as there
     * @throws HearthException as there
     */
    public DistributedContext context() throws HearthException {
        return context(1);
    }

    /**
     * The collectives of this group. The first call starts the group. It returns when all trainers of the group in the view have called it,
     * and each of them has at least the number of ranks that it requires. All get the same members. Their ranks and the world size do not
     * change until a call ends without a lost member, or a step begins. A member that is lost before is waited for, and may come back or be
     * restarted. The first collective after the start waits for the same number of ranks again.
     *
     * <p>If the group's job is already running, no second one starts. If the job begins steps, this method returns, and the context's first
     * call must be {@link DistributedContext#beginStep()}. With that call this trainer enters; before it has no rank. If the job does not
     * begin steps, or the group has {@link HearthConfig#maximumRanks()} members, this method waits until that changes or the job ends.
     *
     * <p>Waits at most for {@link HearthConfig#deadline()}, and may be called again after an error. Once there is a context, every call
     * returns it.
     *
     * @param minimumRanks 1 or more; ignored if {@link #waitForPeers} or {@link HearthConfig#minimumRanks()} require more
     * @throws NotEnoughPeersException if there were fewer, or not all called this method, in time; its text names the others and the wait
     *     of each
     * @throws SetupException if another computer uses this one's identity too; its text says where it is and what to do
     * @throws HearthException if the group did not start; its text says why
     */
    public DistributedContext context(int minimumRanks) throws HearthException {
        return context(minimumRanks, config.deadline());
    }

    /** As {@link #context(int)}, for at most {@code timeout}, which is positive. */
    public DistributedContext context(int minimumRanks, Duration timeout) throws HearthException {
        requireOwnIdentity(node.status());
        if (context == null) {
            int least = Math.max(minimumRanks, Math.max(ranksFound, config.minimumRanks()));
            var _ = new RankBounds(least, config.maximumRanks()); // rejects impossible bounds at once
            start(least, timeout);
            awake = StayAwake.begin();
            context = new DistributedContext(
                    engine, () -> Optional.of(node.status().view().master()));
        }
        return context;
    }

    private void start(int least, Duration timeout) throws HearthException {
        try {
            engine.start(least, CollectiveOptions.DEFAULTS.within(timeout));
        } catch (DeadlineExceededException late) {
            throw new NotEnoughPeersException(
                    "group '" + config.group() + "' did not start with " + least + (least == 1 ? " rank" : " ranks")
                            + " within " + timeout.toMillis() / 1e3 + " s: " + late.getMessage() + "; "
                            + node.status().explainTrainers()
                            + "; start the missing ones, or call context() again to wait on",
                    late);
        }
    }

    /** Reports the progress of long transfers that begin from now on to {@code listener}, in place of a former listener. */
    public void progress(CollectiveProgress listener) {
        engine.progress(listener);
    }

    /**
     * Reports the spans of all collectives that begin from now on to {@code listener}, in place of a former listener. {@link ChromeTrace}
     * records them; {@link CollectiveTrace#NONE} ends the trace.
     */
    public void trace(CollectiveTrace listener) {
        engine.trace(listener);
    }

    /** The current status of this node. */
    public ClusterStatus status() {
        return node.status();
    }

    /** The nodes and the measured links between them, as this node knows them. */
    public ClusterTopology topology() {
        return node.topology();
    }

    /** The running node, for everything but training. */
    public HearthNode node() {
        return node;
    }

    /** Adds an address to those that discovery finds. */
    public void addPeer(HostPort address) {
        node.addPeer(address);
    }

    /** Leaves the cluster in order and ends the node; idempotent. */
    @Override
    public void close() {
        endWaits();
        reporter.close();
        node.close();
        sleepAgain();
    }

    /**
     * Ends the node at once: open calls end with an error, and for the others this trainer is lost. Idempotent; may be called by any
     * thread, also while another one is in {@link #close()} or in a collective.
     */
    public void abort() {
        endWaits();
        engine.fail(new CollectiveException("this trainer was ended by abort()"));
        node.abort();
        reporter.stop();
        sleepAgain();
    }

    private void endWaits() {
        isEnding = true;
        node.latestStatus().touch();
    }

    private void sleepAgain() {
        StayAwake held = awake;
        if (held != null) {
            held.close();
        }
    }
}
