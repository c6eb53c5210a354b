package io.hearth.transport.links;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.CloseCause;
import io.hearth.transport.DataTransport;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Endpoint;
import io.hearth.transport.Frame;
import io.hearth.transport.KeyRing;
import io.hearth.transport.LinkCounters;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkLimits;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.Purpose;
import io.hearth.transport.StreamSource;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.cipher.CipherWarmUp;
import io.hearth.transport.cipher.RecordCipher;
import io.hearth.transport.control.AdmissionGate;
import io.hearth.transport.control.FrameDecoder;
import io.hearth.transport.control.GatedServerChannel;
import io.hearth.transport.control.HandshakeHandler;
import io.hearth.transport.control.Link;
import io.hearth.transport.control.LinkTable;
import io.hearth.transport.control.OwnAddress;
import io.hearth.transport.control.SilentLink;
import io.hearth.transport.control.Tally;
import io.hearth.transport.control.Tls;
import io.hearth.transport.control.WireMeter;
import io.hearth.transport.machine.Feature;
import io.hearth.transport.machine.HandshakeMachine;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.SocketTuning;
import io.hearth.transport.relay.RelayDialer;
import io.hearth.transport.relay.RelayServer;
import io.hearth.transport.stream.DataPort;
import io.hearth.transport.stream.GreetingThreads;
import io.hearth.transport.stream.SharedMemoryHandshake;
import io.hearth.transport.stream.StreamListener;
import io.hearth.transport.stream.Streams;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links of one node: listens, dials, proves membership both ways, and moves messages of (kind, bytes) between members.
 *
 * <p>One thread serves all control links and calls the {@link LinkObserver}. Messages between two nodes keep their order, except while one
 * of two duplicate links replaces the other. Then no message is lost, but the first messages on the remaining link may overtake the last
 * ones on the other.
 */
public final class Links implements AutoCloseable {
    /** The reason with which a node that ends in order closes its links. */
    public static final String NODE_CLOSES = "the node is closing";

    private static final Logger LOG = LoggerFactory.getLogger(Links.class);
    private static final long CLOSE_MILLIS = 2_000;
    private static final ChannelOption<Integer> PROBE_INTERVAL = NioChannelOption.of(SocketTuning.PROBE_INTERVAL);

    private final LinkOptions options;
    private final Clock clock;
    private final LinkObserver observer;
    private final EventLoopGroup group;
    private final Tally tally = new Tally();
    private final Deadlines deadlines;
    private final Streams streams;
    private final RelayDialer relayDialer;
    private final RelayServer relayServer;
    private final LinkTable table;
    private final int dataPort;
    private final Optional<DataPort> listener;
    private final Optional<StreamListener> localListener;
    private final Tls tls;
    private final HandshakeMachine machine;
    private final AdmissionGate gate; // event loop only
    private final Channel server;
    private final AtomicLong dials = new AtomicLong(); // incremented by callers of dial()
    private final AtomicInteger dialing = new AtomicInteger(); // incremented by callers, decremented by the event loop
    private final AtomicBoolean closing = new AtomicBoolean(); // set once by close(), read by all

    private Links(
            Purpose purpose,
            LinkOptions options,
            NodeIdentity identity,
            Endpoint self,
            KeyRing keys,
            LinkObserver observer,
            Clock clock,
            RecordCipher.Factory ciphers)
            throws IOException, SetupException {
        this.options = options;
        this.clock = clock;
        this.observer = observer;
        Optional<SharedMemoryHandshake> sharedMemory = sharedMemory(options);
        Optional<ServerSocketChannel> data = bindData(options, sharedMemory);
        dataPort = data.map(bound -> bound.socket().getLocalPort()).orElse(0);
        group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("hearth-links", true), NioIoHandler.newFactory());
        LinkLimits limits = options.limits();
        deadlines = new Deadlines(group);
        relayDialer = new RelayDialer(this::link, deadlines);
        relayServer = new RelayServer(this::link, clock, deadlines);
        streams = new Streams(
                this::link,
                this::ranksHere,
                ciphers,
                options.transport(),
                (via, target, limitNanos) -> relayDialer.connect(via, target, true, limitNanos),
                options.paths(),
                sharedMemory,
                limits,
                clock,
                deadlines);
        var relays = new RelayRole(relayDialer, relayServer);
        table = new LinkTable(self, options.policy(), limits.linksMax(), observer, streams, relays, tally, clock);
        localListener = sharedMemory.map(open -> new StreamListener(
                open.server(), streams::greetLocal, greetingThreads(open.connectionsMax()), observer::failed));
        listener = data.isEmpty() ? Optional.empty() : Optional.of(listen(data.get()));
        tls = new Tls(identity);
        gate = new AdmissionGate(limits.gate(), clock.nanoTime());
        try {
            server = listen();
        } catch (SetupException portTaken) {
            closeThreads();
            throw portTaken;
        }
        machine = new HandshakeMachine(
                purpose,
                self,
                keys,
                port(),
                dataPort,
                Feature.of(options.aesSlow()),
                limits.handshake().toNanos());
        server.config().setAutoRead(true); // only now, because a connection needs all of the above
        group.execute(this::rehearse);
    }

    /** Loads the TLS classes on the event loop, where a peer that dials meanwhile would need them. */
    private void rehearse() {
        try {
            LOG.debug("TLS is ready for {}", tls.rehearse().shortText());
        } catch (SSLException bug) {
            LOG.error("TLS of this machine fails with its own certificate, so no link will work: report this", bug);
        }
    }

    /**
     * Opens the links of a node, which can be dialled from now on.
     *
     * @param identity of this machine; its peer id must be that of {@code self}
     * @param self this start of this node
     * @param keys of the namespace; borrowed until {@link #close}
     * @param observer called on the links' own thread
     * @throws SetupException if the port is taken or the address is not this machine's; its text says what to do
     */
    public static Links open(
            LinkOptions options, NodeIdentity identity, Endpoint self, NamespaceKeys keys, LinkObserver observer)
            throws SetupException {
        return open(options, identity, self, keys, observer, Clock.system(), AeadCipher::new);
    }

    /**
     * As {@link #open(LinkOptions, NodeIdentity, Endpoint, NamespaceKeys, LinkObserver)}, for a node whose secret may be replaced.
     *
     * @param keys borrowed until {@link #close}; a new link proves the keys that the ring holds when the link begins
     */
    public static Links open(
            LinkOptions options, NodeIdentity identity, Endpoint self, KeyRing keys, LinkObserver observer)
            throws SetupException {
        return open(Purpose.MEMBER, options, identity, self, keys, observer, Clock.system(), AeadCipher::new);
    }

    /**
     * As {@link #open}, with the caller's ciphers. Only for the bench, which measures the cost of encryption: data on such links is only as
     * secret as those ciphers make it.
     *
     * @param ciphers the same at both ends, or no stream opens
     */
    public static Links openForMeasuring(
            LinkOptions options,
            NodeIdentity identity,
            Endpoint self,
            NamespaceKeys keys,
            LinkObserver observer,
            RecordCipher.Factory ciphers)
            throws SetupException {
        return open(options, identity, self, keys, observer, Clock.system(), ciphers);
    }

    public static Links open(
            LinkOptions options,
            NodeIdentity identity,
            Endpoint self,
            NamespaceKeys keys,
            LinkObserver observer,
            Clock clock,
            RecordCipher.Factory ciphers)
            throws SetupException {
        return open(Purpose.MEMBER, options, identity, self, keys, observer, clock, ciphers);
    }

    public static Links open(
            Purpose purpose,
            LinkOptions options,
            NodeIdentity identity,
            Endpoint self,
            NamespaceKeys keys,
            LinkObserver observer,
            Clock clock,
            RecordCipher.Factory ciphers)
            throws SetupException {
        return open(purpose, options, identity, self, KeyRing.borrowed(keys), observer, clock, ciphers);
    }

    private static Links open(
            Purpose purpose,
            LinkOptions options,
            NodeIdentity identity,
            Endpoint self,
            KeyRing keys,
            LinkObserver observer,
            Clock clock,
            RecordCipher.Factory ciphers)
            throws SetupException {
        if (!identity.peer().equals(self.id().peer())) {
            throw new IllegalArgumentException("the identity is " + identity.peer() + ", the node " + self.id());
        }
        try {
            return new Links(purpose, options, identity, self, keys, observer, clock, ciphers);
        } catch (IOException failed) {
            throw new SetupException(
                    "no data port can be opened on " + options.bind().getHostAddress() + ": " + failed.getMessage(),
                    failed);
        }
    }

    /** Whether the ciphers of this process run at full speed. */
    public static boolean isWarm() {
        return CipherWarmUp.isOver();
    }

    /** The port that this node can be dialled at. */
    public int port() {
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    /** The port of data streams, as the hello announces it; 0 without one. */
    public int dataPort() {
        return dataPort;
    }

    /**
     * Dials one address. The observer gets the outcome: {@link LinkObserver#admitted}, {@link LinkObserver#refused} or {@link
     * LinkObserver#dialFailed}. Does nothing once this node is closing.
     */
    public void dial(InetSocketAddress address) {
        dial(address, Optional.empty());
    }

    /**
     * As {@link #dial}, at another address of a linked node whose link fell silent: the new link replaces that one at both ends. Streams of
     * several lanes go on. If the node is heard again meanwhile, the dial is given up, with {@link LinkObserver#refused}. Does nothing if
     * the node is not linked.
     */
    public void dialAround(NodeId silent, InetSocketAddress address) {
        Optional<SilentLink> link = link(silent).map(SilentLink::of);
        if (link.isPresent()) {
            dial(address, link);
        }
    }

    private void dial(InetSocketAddress address, Optional<SilentLink> silent) {
        if (closing.get()) {
            return; // the observer no longer needs the outcome
        }
        if (dialing.incrementAndGet() > options.limits().dialsMax()) {
            dialing.decrementAndGet();
            group.execute(() ->
                    observer.dialFailed(address, DialFailure.BUSY, "too many connections are being made already"));
            return;
        }
        Optional<InetSocketAddress> own = Optional.empty();
        if (options.localAddresses().isPresent()) {
            own = OwnAddress.towards(address).filter(source -> isUsable(source.getAddress()));
            if (own.isEmpty()) {
                dialing.decrementAndGet();
                group.execute(() -> observer.dialFailed(
                        address, DialFailure.UNREACHABLE, "no interface that this node may use leads there"));
                return;
            }
        }
        long dial = dials.incrementAndGet();
        new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(PROBE_INTERVAL, SocketTuning.PROBE_SECONDS)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        options.limits().connect().toMillis())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        handshake(channel, new HandshakeHandler.Dial(true, dial, false, silent), address, () -> {});
                    }
                })
                .connect(address, own.orElse(null))
                .addListener((ChannelFuture connected) -> {
                    dialing.decrementAndGet();
                    if (!connected.isSuccess()) {
                        observer.dialFailed(
                                address,
                                DialFailure.of(connected.cause()),
                                String.valueOf(connected.cause().getMessage()));
                    }
                });
    }

    /**
     * Dials a node through a linked one, because no direct dial succeeds. The observer gets the outcome: {@link LinkObserver#admitted}, {@link
     * LinkObserver#refused} or {@link LinkObserver#relayFailed}. Does nothing once this node is closing. A direct link replaces the relayed
     * one as soon as there is one.
     *
     * @param via a node with a direct link; it sees encrypted bytes only
     * @param isSilent whether the direct link to the target fell silent, so that the new one replaces it as {@link #dialAround} says
     */
    public void dialThrough(NodeId via, NodeId target, boolean isSilent) {
        Optional<SilentLink> silent = isSilent ? link(target).map(SilentLink::of) : Optional.empty();
        if (closing.get()) {
            return;
        }
        if (dialing.incrementAndGet() > options.limits().dialsMax()) {
            dialing.decrementAndGet();
            group.execute(() -> observer.relayFailed(via, target, "too many connections are being made already"));
            return;
        }
        long dial = dials.incrementAndGet();
        Thread.ofPlatform().daemon().name("hearth-relay-dial").start(() -> {
            try {
                SocketChannel socket = relayDialer.connect(
                        via, target, false, options.limits().connect().toNanos());
                group.register(relayed(socket, via, dial, silent)).addListener((ChannelFuture registered) -> {
                    if (!registered.isSuccess()) { // this node is closing
                        Deadlines.close(socket);
                    }
                });
            } catch (IOException | InterruptedException failed) {
                group.execute(() -> observer.relayFailed(via, target, String.valueOf(failed.getMessage())));
            } finally {
                dialing.decrementAndGet();
            }
        });
    }

    private Channel relayed(SocketChannel socket, NodeId via, long dial, Optional<SilentLink> silent)
            throws IOException {
        var address = (InetSocketAddress) socket.getRemoteAddress();
        var channel = new NioSocketChannel(socket);
        channel.attr(Link.RELAY).set(via);
        channel.pipeline().addLast(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel registered) {
                handshake(registered, new HandshakeHandler.Dial(true, dial, true, silent), address, () -> {});
            }
        });
        return channel;
    }

    /**
     * Sends a message, from any thread and without blocking.
     *
     * @param kind {@value Frame#USER_MIN} to {@value Frame#KIND_MAX}
     * @param message at most {@value Frame#BYTES_MAX} bytes; copied
     * @return false if there is no link to {@code peer}, or its queue is full, which ends the link
     */
    public boolean send(NodeId peer, int kind, byte[] message) {
        if (kind < Frame.USER_MIN || kind > Frame.KIND_MAX || message.length > Frame.BYTES_MAX) {
            throw new IllegalArgumentException("no message has kind " + kind + " and " + message.length + " bytes");
        }
        var frame = new Frame(kind, message);
        Optional<Link> link = link(peer);
        while (link.isPresent()) {
            if (link.get().offer(frame)) {
                tally.messagesOut.increment();
                return true;
            }
            Optional<Link> now = link(peer); // a replaced link rejects the frame; its successor is already in the table
            link = now.equals(link) ? Optional.empty() : now;
        }
        tally.droppedSends.increment();
        return false;
    }

    /** Ends the link to a node and sends it the reason; does nothing if there is no link. */
    public void close(NodeId peer, String reason) {
        link(peer).ifPresent(link -> link.finish(CloseCause.REQUESTED, reason));
    }

    /** Records that members were seen at that address. Half of all places before admission are reserved for such addresses. */
    public void remember(InetAddress address) {
        if (!closing.get()) {
            group.execute(() -> gate.remember(address));
        }
    }

    /** The source of data streams to other nodes. */
    public StreamSource streams() {
        return streams;
    }

    /** The transports of the open data streams, by peer: shared memory, TCP or both. */
    public SortedMap<NodeId, Set<DataTransport>> transports() {
        return streams.transports();
    }

    /** All links as they are now. */
    public List<LinkInfo> links() {
        return table.all().stream().map(Link::info).toList();
    }

    /** Runs something on the thread that calls the observer. */
    void execute(Runnable task) {
        group.execute(task);
    }

    /**
     * A secret that only the two ends of the link to a node know; empty if there is no link. For the observer, when the node is admitted.
     */
    Optional<Bytes> pairExporter(NodeId peer) {
        return link(peer).flatMap(Link::pairExporter);
    }

    /** The counters since the links were opened. */
    public LinkCounters counters() {
        return tally.snapshot();
    }

    /** Ends all links, streams and threads of this node's links, within a few seconds; idempotent. */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        server.close().awaitUninterruptibly(CLOSE_MILLIS);
        List<Link> open = table.all();
        open.forEach(link -> link.finish(CloseCause.REQUESTED, NODE_CLOSES));
        open.forEach(link -> link.closed().awaitUninterruptibly(CLOSE_MILLIS));
        closeThreads();
    }

    private void closeThreads() {
        relayServer.close();
        streams.close();
        listener.ifPresent(DataPort::close);
        localListener.ifPresent(StreamListener::close);
        group.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly(2 * CLOSE_MILLIS);
    }

    private Channel listen() throws SetupException {
        var bootstrap = new ServerBootstrap()
                .group(group)
                .channelFactory(() -> new GatedServerChannel(this::enter))
                .option(ChannelOption.AUTO_READ, false)
                .option(PROBE_INTERVAL, SocketTuning.PROBE_SECONDS)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(PROBE_INTERVAL, SocketTuning.PROBE_SECONDS)
                .childHandler(new ChannelInitializer<GatedServerChannel.Guest>() {
                    @Override
                    protected void initChannel(GatedServerChannel.Guest guest) {
                        handshake(guest, HandshakeHandler.Dial.ACCEPTED, guest.remoteAddress(), guest::leave);
                    }
                });
        String why = "";
        for (int offset = 0; offset < options.portsTried() && options.port() + offset <= 65_535; offset++) {
            ChannelFuture bound = bootstrap
                    .bind(new InetSocketAddress(options.bind(), options.port() + offset))
                    .awaitUninterruptibly();
            if (bound.isSuccess()) {
                return bound.channel();
            }
            why = String.valueOf(bound.cause().getMessage());
        }
        throw new SetupException("port " + options.port()
                + (options.portsTried() > 1 ? " and the " + (options.portsTried() - 1) + " after it cannot" : " cannot")
                + " be opened on " + options.bind().getHostAddress() + " (" + why
                + "): choose another with --port, or stop what uses it");
    }

    private Optional<Runnable> enter(InetSocketAddress remote, InetSocketAddress local) {
        if (!options.remoteAddresses().test(remote.getAddress())) {
            table.turnAway(remote, LinkRejection.BLOCKED, "not an address from which this node may be reached");
            return Optional.empty();
        }
        Optional<AdmissionGate.Entry> place = gate.enter(remote.getAddress(), clock.nanoTime());
        if (place.isEmpty()) {
            table.turnAway(remote, LinkRejection.TOO_MANY, "too many connections or handshakes");
            return Optional.empty();
        }
        // After the gate, because reading the interfaces costs more than closing a connection.
        if (!isUsable(local.getAddress())) {
            gate.leave(place.get());
            return Optional.empty();
        }
        return Optional.of(() -> gate.leave(place.get()));
    }

    private boolean isUsable(InetAddress own) {
        return options.localAddresses().isEmpty()
                || options.localAddresses().get().test(own);
    }

    private void handshake(Channel channel, HandshakeHandler.Dial dial, InetSocketAddress address, Runnable settled) {
        var ssl = new SslHandler(tls.engine(dial.dialed()));
        ssl.setHandshakeTimeoutMillis(0); // the handshake machine's time limit covers TLS too
        ssl.setCloseNotifyFlushTimeoutMillis(Link.CLOSE_WAIT_MILLIS);
        channel.pipeline()
                .addLast(new WireMeter(options.limits().handshakeBytesMax(), tally))
                .addLast(ssl)
                .addLast(new FrameDecoder())
                .addLast(new HandshakeHandler(machine, dial, clock, table, options.limits(), address, settled));
    }

    /** The current link to a node. */
    public Optional<Link> link(NodeId peer) {
        return table.link(peer);
    }

    /** Number of trainers on this machine, this one included. */
    private int ranksHere() {
        return 1
                + (int) table.all().stream()
                        .filter(link -> link.isLocal()
                                && !link.node().endpoint().id().slot().equals(NodeId.AGENT))
                        .count();
    }

    private static Optional<ServerSocketChannel> bindData(
            LinkOptions options, Optional<SharedMemoryHandshake> sharedMemory) throws IOException {
        if (!options.acceptsStreams()) {
            return Optional.empty();
        }
        try {
            return Optional.of(DataPort.bind(options.bind()));
        } catch (IOException failed) {
            sharedMemory.ifPresent(SharedMemoryHandshake::close);
            throw failed;
        }
    }

    private DataPort listen(ServerSocketChannel data) throws IOException {
        try {
            return new DataPort(
                    data,
                    new DataAdmission(streams, relayServer),
                    greetingThreads(options.limits().streamsPendingMax()),
                    DataPort.PREAMBLE_NANOS,
                    observer::failed);
        } catch (IOException failed) {
            Deadlines.close(data);
            localListener.ifPresent(StreamListener::close);
            streams.close();
            var _ = group.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS);
            throw failed;
        }
    }

    private GreetingThreads greetingThreads(int atOnce) {
        return new GreetingThreads(tally, deadlines, options.limits().connect().toNanos(), atOnce);
    }

    private static Optional<SharedMemoryHandshake> sharedMemory(LinkOptions options) throws SetupException {
        if (options.transport() == DataTransport.TCP) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    SharedMemoryHandshake.open(options.home(), options.limits().streamsPendingMax()));
        } catch (SetupException impossible) {
            if (options.transport() == DataTransport.SHM) {
                throw impossible;
            }
            LOG.info("data goes by TCP within this machine too: {}", impossible.getMessage());
            return Optional.empty();
        }
    }
}
