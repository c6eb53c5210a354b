package io.hearth.collective.ring;

import io.hearth.accel.select.Engines;
import io.hearth.collective.Collective;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveMetrics;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.StateBlob;
import io.hearth.collective.StepStart;
import io.hearth.collective.Work;
import io.hearth.collective.engine.CollectiveEngine;
import io.hearth.collective.engine.CollectiveListener;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.NotEnoughPeersException;
import io.hearth.core.PeerLostException;
import io.hearth.core.ReduceOp;
import io.hearth.core.SetupException;
import io.hearth.election.GroupPhase;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.AesSpeed;
import io.hearth.transport.DataTransport;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.links.Links;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A group set up by hand: a list of addresses, the same on all ranks, and this process's rank in it. There is no discovery, no
 * election and no recovery: a lost rank ends all collectives with {@link PeerLostException}.
 *
 * <pre>{@code
 * var config = new DistributedConfig(
 *         List.of(new InetSocketAddress("192.168.1.10", 52416), new InetSocketAddress("192.168.1.11", 52416)), 0);
 * try (var backend = RingBackend.open(config, namespace.keys())) {
 *     new DistributedContext(backend).allReduce(gradients, ReduceOp.AVG);
 * }
 * }</pre>
 *
 * <p>Ranks prove the namespace secret to one another, and traffic is encrypted. The key of an open namespace is public, so then
 * only hosts of the list may connect. Each process has a new identity for the run; the first that holds a rank keeps it.
 */
public final class RingBackend implements DistributedBackend {
    private static final Logger LOG = LoggerFactory.getLogger(RingBackend.class);
    private static final String GROUP = "ring";
    private static final long REDIAL_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long REDIAL_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);
    /** A rank is dialled again after this part of the time for which it was missing, so that the wait grows by at most that part. */
    private static final int REDIAL_DIVISOR = 4;

    private static final Duration CLOSE_WAIT_MAX = Duration.ofSeconds(5);

    private final Links links;
    private final CollectiveEngine engine;
    private final List<NodeId> ranks;
    private volatile boolean closing; // written by close(), read by the links' thread

    /** Opens the links of a rank; arguments as in {@link Links#open}. */
    @FunctionalInterface
    public interface LinkOpener {
        /** Opens the links. */
        Links open(LinkOptions options, NodeIdentity identity, Endpoint self, NamespaceKeys keys, LinkObserver observer)
                throws SetupException;
    }

    private RingBackend(DistributedConfig config, NamespaceKeys keys, LinkOpener opener)
            throws SetupException, NotEnoughPeersException, InterruptedException {
        NodeIdentity identity = NodeIdentity.generate();
        byte[] bootId = new byte[Endpoint.BOOT_ID_BYTES];
        new SecureRandom().nextBytes(bootId);
        var self = new Endpoint(
                new NodeId(identity.peer(), RingRoster.slot(config.rank())),
                Clock.system().epochMillis(),
                Bytes.of(bootId));
        var roster = new RingRoster(config, self, this::greet, this::lost);
        InetSocketAddress own = config.nodes().get(config.rank());
        if (own.isUnresolved()) {
            throw new SetupException("the address of rank " + config.rank() + ", " + own.getHostString()
                    + ", cannot be resolved: use an IP address of this machine");
        }
        links = opener.open(
                LinkOptions.at(own.getAddress(), own.getPort())
                        .remoteAddresses(keys.isOpen() ? addresses(config)::contains : _ -> true)
                        .aesSlow(AesSpeed.isSlow())
                        .transport(config.transport()),
                identity,
                self,
                keys,
                roster);
        Engines.Choice choice = config.reducer();
        LOG.info("reducer={} because {}", choice.newReducer().name(), choice.why());
        engine = new CollectiveEngine(
                GROUP, self.id(), links.streams(), choice.newReducer(), options(config), broken(), Clock.system());
        try {
            List<Endpoint> gathered = gather(config, roster);
            ranks = gathered.stream().map(Endpoint::id).toList();
            engine.install(fence(gathered), view(gathered));
        } catch (NotEnoughPeersException | InterruptedException | RuntimeException failed) {
            abort();
            throw failed;
        }
    }

    /**
     * Listens, dials the other ranks, and returns when all ranks are connected.
     *
     * @param keys of the namespace; borrowed until {@link #close}
     * @throws SetupException if this rank cannot listen at its address
     * @throws NotEnoughPeersException if not all ranks connected in time; its message names the missing ranks and the last problem
     *     of each
     */
    public static RingBackend open(DistributedConfig config, NamespaceKeys keys)
            throws SetupException, NotEnoughPeersException, InterruptedException {
        return new RingBackend(config, keys, Links::open);
    }

    /** As {@link #open}, over links that {@code opener} opens. Only for the bench, which measures the cost of parts of the links. */
    public static RingBackend openForMeasuring(DistributedConfig config, NamespaceKeys keys, LinkOpener opener)
            throws SetupException, NotEnoughPeersException, InterruptedException {
        return new RingBackend(config, keys, opener);
    }

    /**
     * The engine's options. The identities of this run do not show which ranks share a machine, so the list of hosts, the same on
     * all ranks, decides.
     */
    private static EngineOptions options(DistributedConfig config) {
        CollectiveConfig how = config.options().config();
        long hosts = config.nodes().stream()
                .map(InetSocketAddress::getHostString)
                .distinct()
                .count();
        return hosts == 1 ? config.options().with(how.choosingHere()) : config.options();
    }

    /** Addresses of the hosts; names that cannot be resolved here are left out. */
    private static Set<InetAddress> addresses(DistributedConfig config) {
        return config.nodes().stream()
                .filter(node -> !node.isUnresolved())
                .map(InetSocketAddress::getAddress)
                .collect(Collectors.toUnmodifiableSet());
    }

    private void greet(NodeId peer) {
        links.send(peer, RingRoster.HERE, new byte[0]); // if that fails, the link is lost, and the observer reports it
    }

    /** Dials all higher ranks, with retries, until all ranks are connected. */
    private List<Endpoint> gather(DistributedConfig config, RingRoster roster)
            throws NotEnoughPeersException, InterruptedException {
        long started = System.nanoTime();
        while (true) {
            for (int rank : roster.dial(System.nanoTime())) {
                links.dial(config.nodes().get(rank));
            }
            long waited = System.nanoTime() - started;
            long left = config.connectTimeout().toNanos() - waited;
            long redial = Math.clamp(waited / REDIAL_DIVISOR, REDIAL_NANOS_MIN, REDIAL_NANOS_MAX);
            List<Endpoint> ranks = roster.await(Math.min(redial, left));
            if (ranks.size() == config.nodes().size()) {
                return ranks;
            }
            if (left <= 0) {
                throw new NotEnoughPeersException(
                        ranks.size() + " of " + config.nodes().size() + " ranks were connected after "
                                + config.connectTimeout().toSeconds() + " s; " + roster.describeMissing());
            }
        }
    }

    /** A name of this run, the same on all ranks: a hash over the ranks and their starts. */
    private static String fence(List<Endpoint> ranks) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Endpoint rank : ranks) {
                digest.update(rank.id().text().getBytes(StandardCharsets.UTF_8));
                digest.update(rank.bootId().toArray());
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 16);
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError("every JDK has SHA-256", missing);
        }
    }

    private static View view(List<Endpoint> ranks) {
        Endpoint founder = ranks.getFirst();
        List<Member> members = ranks.stream()
                .map(rank -> new Member(rank.id(), rank.incarnation(), 1, Role.TRAINER, GROUP, 1))
                .toList();
        var lineage = new Lineage(false, 0, founder.id(), founder.incarnation(), 0);
        return new View(lineage, 1, members, List.of(new GroupView(GROUP, 1, Bytes.EMPTY)));
    }

    private CollectiveListener broken() {
        return new CollectiveListener() {
            @Override
            public void progress(long doneUpTo, GroupPhase phase) {
                // a fixed ring has no use for it
            }

            @Override
            public void streamBroken(NodeId peer, String why) {
                lost(peer, why);
            }

            @Override
            public void gaveUp(String why) {
                LOG.warn("this rank gave up: {}", why);
                CollectiveEngine running = engine;
                if (running != null) {
                    running.fail(new CollectiveException(why + "; start the ring again"));
                }
            }

            @Override
            public void failed(Throwable why) {
                LOG.error("this rank stopped: {}", String.valueOf(why), why);
            }
        };
    }

    private void lost(NodeId peer, String why) {
        CollectiveEngine running = engine;
        if (!closing && running != null) {
            running.fail(new PeerLostException(
                    "lost " + peer.slot() + " (" + peer.peer().shortText() + "): " + why
                            + "; a ring set up by hand cannot continue without a rank, start it again"));
        }
    }

    /** As {@link CollectiveEngine#trace}. */
    public void trace(CollectiveTrace listener) {
        engine.trace(listener);
    }

    /** As {@link CollectiveEngine#takeWorkBytesPeak}. */
    public long takeWorkBytesPeak() {
        return engine.takeWorkBytesPeak();
    }

    /** Data transports between this rank and each other one with an open stream, by rank; see {@link Links#transports}. */
    public SortedMap<Integer, Set<DataTransport>> transports() {
        var byRank = new TreeMap<Integer, Set<DataTransport>>();
        links.transports().forEach((peer, ways) -> {
            if (ranks.contains(peer)) {
                byRank.put(ranks.indexOf(peer), ways);
            }
        });
        return byRank;
    }

    /** As {@link CollectiveEngine#progress}. */
    public void progress(CollectiveProgress listener) {
        engine.progress(listener);
    }

    @Override
    public boolean isInGroup() {
        return engine.isInGroup();
    }

    @Override
    public int rank() {
        return engine.rank();
    }

    @Override
    public int worldSize() {
        return engine.worldSize();
    }

    @Override
    public CollectiveResult allReduce(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException {
        return engine.allReduce(values, type, op, options);
    }

    @Override
    public CollectiveResult allReduce(
            MemorySegment input, MemorySegment output, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException {
        return engine.allReduce(input, output, type, op, options);
    }

    @Override
    public CollectiveResult allReduce(
            List<MemorySegment> tensors, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException {
        return engine.allReduce(tensors, type, op, options);
    }

    @Override
    public Work allReduceAsync(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException, InterruptedException {
        return engine.allReduceAsync(values, type, op, options);
    }

    @Override
    public Work begin(Collective<DistributedBackend> call) throws CollectiveException, InterruptedException {
        return engine.begin(call);
    }

    @Override
    public CollectiveResult reduceScatter(MemorySegment values, DataType type, ReduceOp op, CollectiveOptions options)
            throws CollectiveException {
        return engine.reduceScatter(values, type, op, options);
    }

    @Override
    public CollectiveResult allGather(
            MemorySegment block, MemorySegment gathered, DataType type, CollectiveOptions options)
            throws CollectiveException {
        return engine.allGather(block, gathered, type, options);
    }

    @Override
    public List<Long> allGatherUnequal(
            MemorySegment block, MemorySegment gathered, DataType type, CollectiveOptions options)
            throws CollectiveException {
        return engine.allGatherUnequal(block, gathered, type, options);
    }

    @Override
    public CollectiveResult reduce(
            MemorySegment values, DataType type, ReduceOp op, int root, CollectiveOptions options)
            throws CollectiveException {
        return engine.reduce(values, type, op, root, options);
    }

    @Override
    public CollectiveResult gather(
            MemorySegment block, MemorySegment gathered, DataType type, int root, CollectiveOptions options)
            throws CollectiveException {
        return engine.gather(block, gathered, type, root, options);
    }

    @Override
    public CollectiveResult scatter(
            MemorySegment blocks, MemorySegment block, DataType type, int root, CollectiveOptions options)
            throws CollectiveException {
        return engine.scatter(blocks, block, type, root, options);
    }

    @Override
    public CollectiveResult allToAll(
            MemorySegment blocks, MemorySegment received, long count, DataType type, CollectiveOptions options)
            throws CollectiveException {
        return engine.allToAll(blocks, received, count, type, options);
    }

    @Override
    public CollectiveResult broadcast(MemorySegment values, DataType type, int root, CollectiveOptions options)
            throws CollectiveException {
        return engine.broadcast(values, type, root, options);
    }

    @Override
    public CollectiveResult barrier(CollectiveOptions options) throws CollectiveException {
        return engine.barrier(options);
    }

    @Override
    public void send(MemorySegment values, DataType type, NodeId to, CollectiveOptions options)
            throws CollectiveException {
        engine.send(values, type, to, options);
    }

    @Override
    public void receive(MemorySegment values, DataType type, NodeId from, CollectiveOptions options)
            throws CollectiveException {
        engine.receive(values, type, from, options);
    }

    @Override
    public NodeId peer(int rank) {
        return engine.peer(rank);
    }

    @Override
    public Optional<DistributedBackend> split(List<Integer> ranks) throws CollectiveException {
        return engine.split(ranks);
    }

    @Override
    public void share(String name, List<MemorySegment> buffers) {
        engine.share(name, buffers);
    }

    @Override
    public void share(String name, Supplier<List<MemorySegment>> buffers) {
        engine.share(name, buffers);
    }

    @Override
    public void share(String name, int bytesMax, StateBlob blob) {
        engine.share(name, bytesMax, blob);
    }

    @Override
    public void unshare(String name) {
        engine.unshare(name);
    }

    @Override
    public void resumeAt(long step) {
        engine.resumeAt(step);
    }

    @Override
    public StepStart beginStep(CollectiveOptions options) throws CollectiveException {
        return engine.beginStep(options);
    }

    @Override
    public MemorySegment saveCompression(Arena arena) throws CollectiveException {
        return engine.saveCompression(arena);
    }

    @Override
    public void restoreCompression(MemorySegment saved) throws CollectiveException, MalformedMessageException {
        engine.restoreCompression(saved);
    }

    @Override
    public CollectiveMetrics metricsSnapshot() {
        return engine.metricsSnapshot();
    }

    /**
     * Waits up to 5 s until earlier collectives have ended and the other ranks close too, so that no rank's last collective is cut
     * off. Then ends everything.
     */
    @Override
    public void close() {
        if (closing) {
            return;
        }
        try {
            engine.barrier(CollectiveOptions.DEFAULTS.within(CLOSE_WAIT_MAX));
        } catch (CollectiveException | IllegalStateException alone) {
            LOG.debug("closing without the others: {}", alone.getMessage());
        }
        abort();
    }

    /** Ends everything without waiting for the other ranks, for which this rank is then lost; open calls end with an error. Idempotent. */
    public void abort() {
        closing = true;
        engine.close();
        links.close();
    }
}
