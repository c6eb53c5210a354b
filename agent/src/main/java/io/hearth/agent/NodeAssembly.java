package io.hearth.agent;

import io.hearth.accel.EngineName;
import io.hearth.accel.select.Engines;
import io.hearth.agent.group.Collectives;
import io.hearth.agent.group.GroupTalk;
import io.hearth.agent.group.Membership;
import io.hearth.agent.group.WaitTalk;
import io.hearth.agent.group.machine.TrainerNote;
import io.hearth.agent.guest.GuestService;
import io.hearth.agent.guest.NodeGuest;
import io.hearth.agent.guest.NodeHost;
import io.hearth.agent.loop.CloseStack;
import io.hearth.agent.loop.EngineEvents;
import io.hearth.agent.loop.LinkEvents;
import io.hearth.agent.loop.NodeEvent;
import io.hearth.agent.loop.NodeInbox;
import io.hearth.agent.loop.NodeLoop;
import io.hearth.agent.loop.RejectedEventException;
import io.hearth.agent.node.NodeCore;
import io.hearth.agent.node.StatusReport;
import io.hearth.agent.peers.LinkMemory;
import io.hearth.agent.peers.LoadReader;
import io.hearth.agent.peers.PeerDirectory;
import io.hearth.agent.peers.PeerFaults;
import io.hearth.agent.peers.PeerFinder;
import io.hearth.agent.peers.RelayFinder;
import io.hearth.agent.peers.Sources;
import io.hearth.agent.peers.TagKeys;
import io.hearth.agent.roster.RosterAdmission;
import io.hearth.agent.roster.RosterKeeper;
import io.hearth.agent.roster.RosterTalk;
import io.hearth.agent.settings.Settings;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.agent.status.VersionedValue;
import io.hearth.agent.topology.BandwidthShell;
import io.hearth.agent.topology.BandwidthTalk;
import io.hearth.agent.topology.PlanKeeper;
import io.hearth.agent.votes.VoteFolder;
import io.hearth.agent.votes.VoterThread;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.LossPolicy;
import io.hearth.collective.RankBounds;
import io.hearth.collective.engine.CollectiveEngine;
import io.hearth.collective.group.CollectiveResolver;
import io.hearth.collective.group.GroupLayout;
import io.hearth.collective.group.WaitNote;
import io.hearth.core.Clock;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.discovery.HomePeers;
import io.hearth.discovery.HostPort;
import io.hearth.discovery.PeerName;
import io.hearth.discovery.names.NamedPeers;
import io.hearth.discovery.protobuf.AddressNewsEncoding;
import io.hearth.election.ElectionConfig;
import io.hearth.election.Role;
import io.hearth.election.health.HealthConfig;
import io.hearth.election.protobuf.MessageEncoding;
import io.hearth.election.view.ViewMachine;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NamespaceLookup;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.SlotLease;
import io.hearth.identity.SystemBoot;
import io.hearth.identity.roster.BlockFile;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterFile;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.LocalInterface;
import io.hearth.topology.NodeProfile;
import io.hearth.topology.bandwidth.Flow;
import io.hearth.topology.local.LocalInterfaces;
import io.hearth.topology.local.LocalLoad;
import io.hearth.topology.local.LocalProfile;
import io.hearth.transport.Endpoint;
import io.hearth.transport.KeyRing;
import io.hearth.transport.LinkCounters;
import io.hearth.transport.links.Links;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds a node part by part, and closes the parts in the opposite order. Composition only. */
final class NodeAssembly implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeAssembly.class);

    /** Bytes of results after which a script without steps agrees on a plan: small, because first measurements take about a second. */
    private static final long PLAN_AFTER_BYTES = 16L * 1024 * 1024;

    private final CloseStack closing;
    private final Clock clock;
    private final NodeInbox inbox = new NodeInbox();
    private final CountDownLatch left = new CountDownLatch(1);
    private final AtomicReference<Optional<HearthException>> failure = new AtomicReference<>(Optional.empty());
    private final NodeId self;
    private final Optional<CollectiveEngine> engine;
    private final Sources sources;
    private final VoterThread voter;
    private final VersionedValue<ClusterStatus> status;
    private final VersionedValue<ClusterTopology> topology;
    private final NodeLoop loop;
    private final Links links;
    private final NodeGuest guest;
    private final AtomicReference<String>
            keyIdNow; // written by the owner thread, read by it and by the starting thread

    /**
     * Starts a node.
     *
     * @throws SetupException if something on this machine prevents the start; nothing is left running
     */
    static NodeAssembly start(HearthConfig own, Map<String, String> environment, NodeGuest.Maker guests)
            throws SetupException {
        spans(own); // wrong spans and names of interfaces are rejected before anything is opened
        ListenOptions.checkInterfaces(own);
        Clock clock = Clock.system();
        long startedNanos = clock.nanoTime();
        HearthHome home = own.home().isPresent() ? HearthHome.open(own.home().get()) : HearthHome.open(environment);
        HearthConfig config = own.completed(Settings.read(home, environment));
        ListenOptions.checkInterfaces(config);
        List<PeerName> peers = peers(config);
        NetworkNamespace namespace = namespace(config, new NamespaceLookup(home, environment));
        NodeIdentity identity = IdentityFile.in(home).loadOrCreate();
        Engines.Choice reducer = reducer(config, home);
        var closing = new CloseStack();
        boolean started = false;
        try {
            var assembly = new NodeAssembly(
                    config, peers, home, namespace, identity, reducer, guests, closing, clock, startedNanos);
            started = true;
            return assembly;
        } finally {
            if (!started) {
                closing.close();
            }
        }
    }

    /** The named peers, each once. */
    private static List<PeerName> peers(HearthConfig config) throws SetupException {
        var peers = new LinkedHashSet<PeerName>();
        config.peers().forEach(written -> peers.add(PeerName.parse(written)));
        if (peers.size() > NamedPeers.PEERS_MAX) {
            throw new SetupException("at most " + NamedPeers.PEERS_MAX + " peers may be named, got " + peers.size()
                    + "; name fewer in config.toml, HEARTH_PEERS and with --peer: one known member is enough");
        }
        return List.copyOf(peers);
    }

    private static HealthConfig health(HearthConfig config) {
        return config.health().orElseGet(HealthConfig::byRoundTrips);
    }

    /** A guest serves programs that train without a trainer in the view: its node is never idle. */
    private static HealthConfig health(HearthConfig config, NodeGuest.Maker guests) {
        HealthConfig health = health(config);
        return guests.equals(NodeGuest.Maker.NONE) ? health : health.idle(Optional.empty());
    }

    private NodeAssembly(
            HearthConfig config,
            List<PeerName> peers,
            HearthHome home,
            NetworkNamespace namespace,
            NodeIdentity identity,
            Engines.Choice reducer,
            NodeGuest.Maker guests,
            CloseStack closing,
            Clock clock,
            long startedNanos)
            throws SetupException {
        this.closing = closing;
        this.clock = clock;
        SlotLease lease = closing.keep(
                config.role() == Role.TRAINER
                        ? SlotLease.trainer(home, clock)
                        : SlotLease.single(home, config.slot(), clock));
        lease.damaged().ifPresent(aside -> LOG.warn("the slot's counter was unreadable and is kept as {}", aside));
        self = new NodeId(identity.peer(), lease.slot());
        RosterBook book = namespace.isOpen()
                ? RosterBook.bySecret(namespace)
                : RosterFile.in(home, namespace.name()).load(namespace);
        String keyId = book.keyId().hex();
        keyIdNow = new AtomicReference<>(keyId);
        var admission = new RosterAdmission(
                identity.peer(),
                book,
                !namespace.isOpen() && NamespaceFile.in(home).isClosed(namespace.name()));
        if (!namespace.isOpen()) {
            admission.block(BlockFile.in(home).read());
        }
        KeyRing keys = closing.keep(ring(book));
        links = closing.keep(Links.open(
                ListenOptions.links(config, home).policy(admission),
                identity,
                new Endpoint(self, lease.incarnation(), lease.bootId(), SystemBoot.ofThisComputer()),
                keys,
                new LinkEvents(inbox)));
        SortedMap<String, LocalInterface> interfaces = LocalInterfaces.read();
        TagKeys tags = closing.keep(new TagKeys());
        sources = closing.keep(new Sources(
                peers,
                ListenOptions.interfaces(config),
                tags.of(book),
                links.port(),
                LocalInterfaces.classes(interfaces),
                ListenOptions.usable(config).test(InetAddress.getLoopbackAddress())
                        ? Optional.of(new HomePeers(home, self.slot(), namespace.name(), keyId, links.port()))
                        : Optional.empty(),
                home,
                self,
                inbox,
                clock));
        sources.start(); // early, because it takes a moment until others hear of this node
        engine = config.role() == Role.TRAINER
                ? Optional.of(closing.keep(engine(config, links, reducer)))
                : Optional.empty();
        var memory = closing.keep(new LinkMemory(home.file("links-" + self.slot()), clock));
        var directory = new PeerDirectory(self, profile(config, reducer), interfaces, memory.start(), clock.nanoTime());
        Optional<String> computer = IdentityFile.in(home).computer(identity);
        VoteFolder votes = closing.keep(VoteFolder.open(home.subfolder("votes"), identity.peer(), computer, clock));
        voter = closing.keep(new VoterThread(
                self.shortText(),
                votes,
                (task, answer) -> inbox.event(new NodeEvent.Voted(task, answer)),
                why -> inbox.event(new NodeEvent.Failed("the voter", why))));
        var faults = new PeerFaults(clock, links::close);
        BandwidthTalk bandwidth = bandwidth(links, directory);
        var membership = membership(config, links, lease, votes, bandwidth, faults);
        var talk = new GroupTalk(
                self,
                config.group(),
                ranks(config),
                engine,
                (to, note) -> links.send(
                        to, TrainerNote.KIND, note)); // if that fails the link is lost, and its notes with it
        var waits =
                new WaitTalk(self, config.group(), engine, (to, note) -> links.send(to, WaitNote.KIND, note), clock);
        Optional<RosterTalk> roster = namespace.isOpen()
                ? Optional.empty()
                : Optional.of(roster(home, namespace, identity, book, admission, keys, tags, links));
        guest = closing.keep(guests.make(new NodeHost(
                self,
                lease.incarnation(),
                home,
                namespace.name(),
                identity,
                computer,
                ListenOptions.usable(config),
                guestLinks(),
                this::failed,
                clock)));
        var relays = new RelayFinder(self, clock, links::dialThrough);
        var core = new NodeCore(
                clock,
                startedNanos,
                new NodeCore.Parts(
                        self,
                        inbox,
                        links,
                        new PeerFinder(
                                self,
                                clock,
                                dialer(links, directory),
                                sources.remembered(),
                                (to, news) ->
                                        links.send(to, AddressNewsEncoding.KIND, AddressNewsEncoding.encode(news)),
                                relays::reported),
                        relays,
                        membership,
                        directory,
                        memory::remember,
                        new StatusReport(
                                self,
                                links.port(),
                                () -> new ClusterStatus.Namespace(namespace.name(), keyIdNow.get(), namespace.isOpen()),
                                () -> roster.flatMap(RosterTalk::problem),
                                sources::silence,
                                sources::mdns,
                                talk),
                        talk,
                        waits,
                        bandwidth,
                        closing.keep(new PlanKeeper(
                                self,
                                () -> engine.map(CollectiveEngine::layout).orElse(GroupLayout.NONE),
                                (fence, plan) -> engine.ifPresent(collectives -> collectives.propose(fence, plan)),
                                clock,
                                why -> inbox.event(new NodeEvent.Failed("the planner", why)))),
                        roster,
                        faults,
                        guest),
                health(config, guests),
                this::publish);
        status = new VersionedValue<>(core.status());
        topology = new VersionedValue<>(directory.topology());
        voter.start();
        loop = closing.keep(new NodeLoop(self.shortText(), clock, inbox, core, this::stopped));
        loop.start();
        closing.keep(new LoadReader(LocalLoad::read, load -> inbox.event(new NodeEvent.Loaded(load))))
                .start();
        LOG.info("started node={} port={} namespace={} key={}", self.text(), links.port(), namespace.name(), keyId);
    }

    private static PeerFinder.Dialer dialer(Links links, PeerDirectory directory) {
        return new PeerFinder.Dialer() {
            @Override
            public void dial(InetSocketAddress address) {
                links.dial(address);
            }

            @Override
            public void dialAround(NodeId silent, InetSocketAddress address) {
                boolean isOtherWay = links.links().stream()
                        .filter(link -> link.peer().id().equals(silent))
                        .anyMatch(link -> directory.areTwoWays(link.address(), address));
                if (isOtherWay) {
                    LOG.debug(
                            "peer={} is silent: dialling it over another way address={}", silent.shortText(), address);
                    links.dialAround(silent, address);
                }
            }
        };
    }

    /** Builds the parts of the roster; its thread reads the files once the node runs. */
    private RosterTalk roster(
            HearthHome home,
            NetworkNamespace namespace,
            NodeIdentity identity,
            RosterBook book,
            RosterAdmission admission,
            KeyRing keys,
            TagKeys tags,
            Links links) {
        var keeper = closing.keep(new RosterKeeper(home, namespace, identity, inbox::event));
        keeper.start();
        return new RosterTalk(identity.peer(), book, keeper, admission, clock, new RosterTalk.Outcome() {
            @Override
            public void send(NodeId node, int kind, byte[] message) {
                links.send(
                        node, kind, message); // if that fails the link is lost, and the next one begins with a summary
            }

            @Override
            public void close(NodeId node, String why) {
                links.close(node, why);
            }

            @Override
            public void rekeyed(RosterBook newest) {
                keyIdNow.set(newest.keyId().hex());
                keys.use(newest.current().keys(), newest.former().map(NetworkNamespace::keys));
                sources.use(tags.of(newest));
                inbox.event(new NodeEvent.NetworkChanged()); // nodes that this node could not link with before
            }
        });
    }

    private NodeHost.GuestLinks guestLinks() {
        return new NodeHost.GuestLinks() {
            @Override
            public void send(NodeId to, int kind, byte[] message) {
                links.send(to, kind, message);
            }

            @Override
            public void close(NodeId peer, String why) {
                links.close(peer, why);
            }
        };
    }

    private BandwidthTalk bandwidth(Links links, PeerDirectory directory) {
        var shell = closing.keep(new BandwidthShell(
                links.streams(), clock, () -> !isMoving(), event -> inbox.event(new NodeEvent.Measuring(event))));
        return new BandwidthTalk(
                self, clock, directory, this::isMoving, this::flows, this::codecNanos, links::send, shell);
    }

    /** What arrived in collectives from each other member. */
    private SortedMap<NodeId, Flow> flows() {
        SortedMap<NodeId, Flow> flows = new TreeMap<>();
        engine.ifPresent(collectives -> collectives
                .arrivals()
                .forEach((peer, arrived) -> flows.put(
                        peer,
                        new Flow(arrived.bytes(), arrived.wireBytes(), arrived.wireNanos(), arrived.silentNanos()))));
        return flows;
    }

    private long codecNanos() {
        return engine.map(CollectiveEngine::codecNanos).orElse(0L);
    }

    /** Whether a collective runs, the cipher is not compiled yet, or this node measures nothing because it is an agent. */
    private boolean isMoving() {
        return engine.isEmpty() || engine.get().isMoving() || !Links.isWarm();
    }

    private static KeyRing ring(RosterBook book) {
        return KeyRing.of(book.current().keys(), book.former().map(NetworkNamespace::keys));
    }

    NodeId self() {
        return self;
    }

    Optional<CollectiveEngine> engine() {
        return engine;
    }

    VersionedValue<ClusterStatus> status() {
        return status;
    }

    VersionedValue<ClusterTopology> topology() {
        return topology;
    }

    /** Largest possible age of {@link #status()}, in nanoseconds: well under a second unless the owner thread is stuck. */
    long statusAgeNanos() {
        return loop.idleNanos();
    }

    LinkCounters linkCounters() {
        return links.counters();
    }

    List<GuestService> services() {
        return guest.services();
    }

    Optional<HearthException> failure() {
        return failure.get();
    }

    void addPeer(HostPort peer) {
        sources.add(peer);
    }

    /** Reports that a thread of this node ended by an error. */
    void failed(String thread, Throwable why) {
        inbox.event(new NodeEvent.Failed(thread, why));
    }

    /** Starts an orderly leave; {@link #left()} opens once the others have agreed. */
    void leave() {
        inbox.event(new NodeEvent.Leave("asked to"));
    }

    CountDownLatch left() {
        return left;
    }

    /** As {@link #close()}, without a wait for the goodbyes of mDNS. */
    void abort() {
        sources.abort();
        close();
    }

    @Override
    public void close() {
        closing.close();
    }

    private void publish(ClusterStatus newest, ClusterTopology measured) {
        status.publish(newest);
        topology.publish(measured);
    }

    /** Handles the end of the owner thread by itself: no other thread may wait for it any more. */
    private void stopped(Throwable why) {
        Throwable cause =
                why instanceof RejectedEventException rejected ? Objects.requireNonNull(rejected.getCause()) : why;
        String message = cause.getMessage();
        String text = cause instanceof Error || message == null ? cause.toString() : message;
        var stop = new SetupException("this node stopped: " + text, cause);
        try { // the calls first: a thread that reads the failure finds no call that still works
            engine.ifPresent(collectives -> collectives.fail(stop));
        } finally {
            failure.set(Optional.of(stop));
            left.countDown();
            status.touch();
        }
    }

    /**
     * The time spans of the view change.
     *
     * @throws IllegalArgumentException if the span of silence does not fit the spans that cannot be set
     */
    static ElectionConfig spans(HearthConfig config) {
        var base = config.continueOnPartition()
                ? ElectionConfig.DEFAULTS.onPartition(ElectionConfig.OnPartition.CONTINUE)
                : ElectionConfig.DEFAULTS;
        ElectionConfig spans = base.silence(health(config).silenceNanos());
        long leaveNanos = spans.leaving().lifeNanos();
        if (leaveNanos >= VoteFolder.UNUSED_KEPT.toNanos()) { // its vote could be deleted while it still tries to leave
            throw new IllegalArgumentException("need leave < keeping of unused vote records, got "
                    + leaveNanos / 1_000_000 + " ms and " + VoteFolder.UNUSED_KEPT.toMillis()
                    + " ms; leave grows with the silence, which is "
                    + health(config).silenceNanos() / 1_000_000 + " ms: choose a shorter one");
        }
        return spans;
    }

    private Membership membership(
            HearthConfig config,
            Links links,
            SlotLease lease,
            VoteFolder votes,
            BandwidthTalk bandwidth,
            PeerFaults faults)
            throws SetupException {
        return new Membership(
                new ViewMachine(spans(config), new CollectiveResolver()),
                new ViewMachine.Start(
                        clock.epochMillis(),
                        votes.load(),
                        self,
                        lease.incarnation(),
                        config.role(),
                        config.role() == Role.TRAINER ? config.group() : "",
                        new SecureRandom().nextLong()),
                clock,
                voter,
                votes::setAside,
                (to, message) -> links.send(to, MessageEncoding.kind(message), MessageEncoding.encode(message)),
                engine.isPresent() ? new Collectives.Engine(engine.get(), bandwidth::own) : new Collectives.None(),
                left::countDown,
                faults::count);
    }

    /** Chooses the reducer before anything is opened, because the first choice on a machine may take seconds. Agents reduce nothing. */
    private static Engines.Choice reducer(HearthConfig config, HearthHome home) throws SetupException {
        boolean reduces = config.role() == Role.TRAINER || config.engine() != EngineName.AUTO;
        return reduces ? Engines.chosen(config.engine(), CalibrationFile.in(home)) : Engines.best();
    }

    private static NodeProfile profile(HearthConfig config, Engines.Choice reducer) {
        NodeProfile read = LocalProfile.read(reducer.engine().label(), version());
        return config.label().map(read::named).orElse(read);
    }

    /** The version in the manifest, which the build writes. */
    static String version() {
        String written = NodeAssembly.class.getPackage().getImplementationVersion();
        return written == null ? "unpackaged" : written;
    }

    private CollectiveEngine engine(HearthConfig config, Links links, Engines.Choice reducer) {
        LOG.info("reducing with engine={} ({})", reducer.engine().label(), reducer.why());
        return new CollectiveEngine(
                config.group(),
                self,
                links.streams(),
                reducer.newReducer(),
                new EngineOptions(
                        config.deadline(),
                        EngineOptions.DEFAULTS.config(),
                        config.failFast() ? LossPolicy.FAIL_FAST : LossPolicy.RETRY,
                        config.stateBudget(),
                        config.compression(),
                        ranks(config),
                        PLAN_AFTER_BYTES),
                new EngineEvents(inbox),
                clock);
    }

    private static RankBounds ranks(HearthConfig config) {
        return new RankBounds(config.minimumRanks(), config.maximumRanks());
    }

    private static NetworkNamespace namespace(HearthConfig config, NamespaceLookup lookup) throws SetupException {
        if (!config.open()) {
            NetworkNamespace found = config.namespace().isPresent()
                    ? lookup.named(config.namespace().get())
                    : lookup.preferred();
            lookup.warning().ifPresent(LOG::warn);
            return found;
        }
        String name = config.namespace().orElse(NetworkNamespace.DEFAULT_NAME);
        if (!NetworkNamespace.isName(name)) {
            throw new SetupException("a namespace's name is 1 to 63 of a-z, 0-9 and '-'");
        }
        LOG.warn("namespace={} is OPEN: everybody on this network may join, read the gradients and change them", name);
        return NetworkNamespace.open(name);
    }
}
