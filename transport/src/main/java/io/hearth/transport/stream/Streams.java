package io.hearth.transport.stream;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.DataTransport;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkLimits;
import io.hearth.transport.LocalPath;
import io.hearth.transport.Paths;
import io.hearth.transport.StreamException;
import io.hearth.transport.StreamException.Cause;
import io.hearth.transport.StreamId;
import io.hearth.transport.StreamSource;
import io.hearth.transport.cipher.CipherWarmUp;
import io.hearth.transport.cipher.RecordCipher;
import io.hearth.transport.cipher.StreamKeys;
import io.hearth.transport.control.Link;
import io.hearth.transport.control.StreamMessages;
import io.hearth.transport.lane.LaneStream;
import io.hearth.transport.lane.Lanes;
import io.hearth.transport.links.Links;
import io.hearth.transport.machine.AddressPair;
import io.hearth.transport.machine.LanePlan;
import io.hearth.transport.machine.LinkMessage;
import io.hearth.transport.machine.StreamTickets;
import io.hearth.transport.machine.StreamTickets.Grant;
import io.hearth.transport.machine.StreamTickets.Offer;
import io.hearth.transport.machine.StreamTickets.Wanted;
import io.hearth.transport.memory.SharedMemoryStream;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.OpenStream;
import io.hearth.transport.record.RecordBuffers;
import io.hearth.transport.record.RecordStream;
import io.hearth.transport.record.SocketTuning;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens data streams. The side that dialled the control link dials the stream too, because that direction is known to work. It asks over
 * the link for a ticket until it gets one. The other side issues the ticket after its own {@link #open} was called.
 */
public final class Streams implements StreamSource, StreamMessages, DataPort.Admission, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Streams.class);

    /** Most streams being opened at once, and most requests kept. */
    private static final int OPENING_MAX = 1024;

    /** Time of one attempt, after which the link is checked again and the request is repeated. */
    private static final long ATTEMPT_NANOS = 500_000_000L;

    /** Pause after a failed attempt. */
    private static final Duration REST = Duration.ofMillis(20);

    /** The paths of this machine are read again after this time. */
    private static final long PATHS_NANOS = 1_000_000_000L;

    /** A stream of several lanes outlives its link for this time: one cable was cut, and the link is made again over another. */
    private static final long RELINK_NANOS = 2_000_000_000L;

    /** Longest time for a step of opening a further lane: a ticket, a connection. */
    private static final long LANE_NANOS = 1_000_000_000L;

    private final Function<NodeId, Optional<Link>> links;
    private final IntSupplier ranksHere;
    private final RecordCipher.Factory ciphers;
    private final DataTransport transport;
    private final Optional<SharedMemoryHandshake> sharedMemory;
    private final RelayedDial relayed;
    private final LinkLimits limits;
    private final Clock clock;
    private final Deadlines deadlines;
    private final SecureRandom random = new SecureRandom();
    private final ThreadLocal<RecordBuffers> buffers = ThreadLocal.withInitial(RecordBuffers::new);
    private final Set<OpenStream> live = ConcurrentHashMap.newKeySet();
    private final PendingStreams<Asked, OpenStream> openings =
            new PendingStreams<>(OPENING_MAX, () -> random(StreamTickets.TICKET_BYTES));
    private final Map<LaneStream, Endpoint> starts = new ConcurrentHashMap<>(); // of the peers of live streams
    private final Lanes lanes;
    private final Paths paths;
    private volatile List<LocalPath> ownPaths = List.of(); // written by opening threads, read by the event loop too
    private final AtomicLong pathsReadNanos; // of the last look at the paths
    private final Map<Long, CompletableFuture<LinkMessage.StreamTicket>> asked = new ConcurrentHashMap<>();
    private final AtomicLong requests = new AtomicLong(); // incremented by dialling threads
    private volatile boolean closing; // written by close(), read by all threads

    /**
     * @param links the current link to a node
     * @param ranksHere number of trainers on this machine
     * @param relayed connects to peers whose link goes through a relay
     * @param paths the interfaces for further lanes
     * @param sharedMemory sets up shared memory with processes of this machine; empty without it; closed with this object
     */
    public Streams(
            Function<NodeId, Optional<Link>> links,
            IntSupplier ranksHere,
            RecordCipher.Factory ciphers,
            DataTransport transport,
            RelayedDial relayed,
            Paths paths,
            Optional<SharedMemoryHandshake> sharedMemory,
            LinkLimits limits,
            Clock clock,
            Deadlines deadlines) {
        this.links = links;
        this.ranksHere = ranksHere;
        this.ciphers = ciphers;
        this.transport = transport;
        this.relayed = relayed;
        this.sharedMemory = sharedMemory;
        this.limits = limits;
        this.clock = clock;
        this.deadlines = deadlines;
        this.paths = paths;
        this.pathsReadNanos = new AtomicLong(clock.nanoTime() - PATHS_NANOS);
        this.lanes = new Lanes(this::dialLane, () -> random(StreamTickets.TICKET_BYTES), clock);
    }

    @Override
    public DataStream open(NodeId peer, StreamId id, Duration timeout) throws IOException, InterruptedException {
        if (!timeout.isPositive()) {
            throw new IllegalArgumentException("timeout must be positive, got " + timeout);
        }
        if (Lanes.isLane(id)) {
            throw new IllegalArgumentException("index must be 0 to " + StreamId.INDEX_MAX + ", got " + id.index());
        }
        readPaths();
        var wanted = new Wanted(peer, id);
        if (!openings.begin(wanted)) {
            throw new StreamException(peer, Cause.NOT_OPENED, id + " is being opened already, or too many others are");
        }
        @Nullable OpenStream opened = null;
        try {
            opened = open(wanted, timeout.toNanos());
            return opened;
        } finally {
            OpenStream arrived = openings.drop(wanted).orElse(null);
            if (arrived != null && !arrived.equals(opened)) {
                arrived.abort(Cause.NOT_OPENED, "it came too late");
            }
        }
    }

    /** Reads the paths before a ticket may name them, and not on the event loop, which must not wait for the system. */
    private void readPaths() {
        long nowNanos = clock.nanoTime();
        long readNanos = pathsReadNanos.get();
        if (nowNanos - readNanos >= PATHS_NANOS && pathsReadNanos.compareAndSet(readNanos, nowNanos)) {
            ownPaths = paths.read();
        }
    }

    @Override
    public void endLoan() {
        buffers.get().endLoan(null);
    }

    private OpenStream open(Wanted wanted, long timeoutNanos) throws IOException, InterruptedException {
        long startedNanos = clock.nanoTime();
        @Nullable IOException last = null;
        boolean mayBeLocal = transport != DataTransport.TCP;
        while (true) {
            long leftNanos = timeoutNanos - (clock.nanoTime() - startedNanos);
            if (leftNanos <= 0) {
                Optional<OpenStream> atLast =
                        openings.end(wanted, limits.connect().toNanos());
                if (atLast.isPresent()) {
                    return atLast.get();
                }
                throw new StreamException(
                        wanted.peer(),
                        Cause.NOT_OPENED,
                        last == null
                                ? "it did not open its end of " + wanted.id() + " in time"
                                : "no connection in time: " + last.getMessage(),
                        last);
            }
            Link link = links.apply(wanted.peer()).filter(_ -> !closing).orElse(null);
            if (link == null) {
                throw new StreamException(wanted.peer(), Cause.NOT_OPENED, "there is no link to it");
            }
            if (transport == DataTransport.SHM && !link.isLocal()) {
                throw onlyShared(wanted.peer(), "it is on another machine");
            }
            long attemptNanos = Math.min(leftNanos, ATTEMPT_NANOS);
            try {
                Optional<OpenStream> stream = link.node().dialed()
                        ? dial(wanted, link, mayBeLocal, attemptNanos)
                        : accept(wanted, attemptNanos);
                if (stream.isPresent()) {
                    return stream.get();
                }
            } catch (ClosedByInterruptException interrupted) {
                Thread.interrupted(); // cleared, because the exception for callers follows
                throw (InterruptedException) new InterruptedException().initCause(interrupted);
            } catch (NotLocalException failed) {
                if (transport == DataTransport.SHM) {
                    throw onlyShared(wanted.peer(), String.valueOf(failed.getMessage()));
                }
                LOG.debug("stream to peer={} goes by TCP: {}", wanted.peer().shortText(), failed.getMessage());
                mayBeLocal = false;
            } catch (IOException failed) {
                last = failed;
                Thread.sleep(REST); // no event announces that the peer can accept again
            }
        }
    }

    /** This stream cannot go through shared memory. */
    private static final class NotLocalException extends IOException {
        private static final long serialVersionUID = 1L;

        NotLocalException(String why, @Nullable Throwable cause) {
            super(why, cause);
        }
    }

    private static StreamException onlyShared(NodeId peer, String why) {
        return new StreamException(
                peer,
                Cause.NOT_OPENED,
                why + ", and transport shm means shared memory or nothing: use auto to reach it by TCP");
    }

    private Optional<OpenStream> accept(Wanted wanted, long waitNanos) throws InterruptedException {
        openings.pending(wanted, clock.nanoTime()).ifPresent(this::send);
        return openings.await(wanted, waitNanos);
    }

    /**
     * Dials the stream. {@code waitNanos} bounds only the wait for the ticket: after it the other side may have its stream before this one
     * does.
     */
    private Optional<OpenStream> dial(Wanted wanted, Link link, boolean mayBeLocal, long waitNanos)
            throws IOException, InterruptedException {
        Optional<LinkMessage.StreamTicket> ticket = ask(link, wanted.id(), 1, Optional.empty(), waitNanos);
        if (ticket.isEmpty()) {
            return Optional.empty();
        }
        Bytes secret = ticket.get().ticket();
        String socket = ticket.get().socket();
        long limitNanos = limits.connect().toNanos();
        if (mayBeLocal && sharedMemory.isPresent() && link.isLocal() && !socket.isEmpty()) {
            return Optional.of(connectLocally(sharedMemory.get(), wanted, link, secret, socket, limitNanos));
        }
        if (transport == DataTransport.SHM) {
            throw new NotLocalException("it offers no shared memory", null);
        }
        if (link.node().dataPort() == 0) {
            throw new IOException("it takes no data streams");
        }
        if (link.isRelayed()) {
            return Optional.of(connect(wanted, link, secret, limitNanos));
        }
        AddressPair main = new AddressPair(bytes(link.localAddress()), bytes(link.remoteAddress()));
        List<AddressPair> further = LanePlan.pairs(ownPaths, main, ticket.get().addresses());
        if (further.isEmpty()) {
            return Optional.of(connect(wanted, link, secret, limitNanos));
        }
        return dialLaned(wanted, link, main, further, waitNanos);
    }

    /** Dials a stream of several lanes: another request says so, and its ticket replaces the former one. */
    private Optional<OpenStream> dialLaned(
            Wanted wanted, Link link, AddressPair main, List<AddressPair> further, long waitNanos)
            throws IOException, InterruptedException {
        int count = 1 + further.size();
        Optional<LinkMessage.StreamTicket> ticket = ask(link, wanted.id(), count, Optional.empty(), waitNanos);
        if (ticket.isEmpty()) {
            return Optional.empty();
        }
        RecordStream first = connect(
                link,
                main,
                ticket.get().ticket(),
                limits.connect().toNanos(),
                (channel, own, its) -> beginLane(wanted.peer(), wanted.id(), link, channel, own, its, true));
        LaneStream stream = laned(wanted, link, first, text(main));
        var all = new ArrayList<AddressPair>();
        all.add(main);
        all.addAll(further);
        lanes.dial(stream, all);
        return Optional.of(stream);
    }

    /** Asks for a ticket; empty if none comes in time. */
    private Optional<LinkMessage.StreamTicket> ask(
            Link link, StreamId id, int count, Optional<AddressPair> path, long waitNanos) throws InterruptedException {
        var answer = new CompletableFuture<LinkMessage.StreamTicket>();
        long request = requests.incrementAndGet();
        asked.put(request, answer);
        try {
            link.say(new LinkMessage.StreamRequest(request, id, count, path));
            return await(answer, waitNanos);
        } finally {
            asked.remove(request);
        }
    }

    /** Dials one more lane of a stream, or one that was lost. */
    private void dialLane(LaneStream stream, int lane, AddressPair path) throws IOException, InterruptedException {
        Link link = links.apply(stream.peer())
                .filter(_ -> !closing)
                .orElseThrow(() -> new IOException("there is no link to it"));
        StreamId id = Lanes.name(stream.id(), lane);
        Bytes ticket = ask(link, id, 1, Optional.of(path), LANE_NANOS)
                .orElseThrow(() -> new IOException("no ticket in time"))
                .ticket();
        RecordStream opened = connect(
                link,
                path,
                ticket,
                LANE_NANOS,
                (channel, own, its) -> beginLane(stream.peer(), id, link, channel, own, its, true));
        stream.join(lane, opened, text(path));
    }

    private OpenStream connectLocally(
            SharedMemoryHandshake own, Wanted wanted, Link link, Bytes ticket, String socket, long limitNanos)
            throws IOException {
        SharedMemoryHandshake.Opened opened;
        try {
            opened = own.dial(socket, ticket, deadlines, limitNanos);
        } catch (ClosedByInterruptException interrupted) {
            throw interrupted;
        } catch (IOException impossible) {
            throw new NotLocalException(
                    "shared memory with it is not possible (" + impossible.getMessage() + ")", impossible);
        }
        return beginLocally(wanted, link, opened, true);
    }

    private RecordStream connect(Wanted wanted, Link link, Bytes ticket, long limitNanos)
            throws IOException, InterruptedException {
        Optional<NodeId> relay = link.relay();
        Beginner beginner = (channel, own, its) -> begin(wanted, link, channel, own, its, true);
        if (relay.isPresent()) {
            return greet(relayed.connect(relay.get(), wanted.peer(), limitNanos), ticket, limitNanos, beginner);
        }
        // The link's own address, so that the acceptor knows it and the data takes the same path as the link.
        return connect(
                link,
                new AddressPair(bytes(link.localAddress()), bytes(link.remoteAddress())),
                ticket,
                limitNanos,
                beginner);
    }

    /** Begins a stream on a connection whose salts were exchanged. */
    private interface Beginner {
        RecordStream begin(SocketChannel channel, Bytes dialSalt, Bytes acceptSalt) throws IOException;
    }

    private RecordStream connect(Link link, AddressPair path, Bytes ticket, long limitNanos, Beginner beginner)
            throws IOException {
        var channel = SocketChannel.open();
        try (var _ = deadlines.closeAfter(channel, limitNanos)) {
            channel.bind(new InetSocketAddress(address(link.localAddress(), path.from()), 0));
            channel.connect(new InetSocketAddress(
                    address(link.remoteAddress(), path.to()), link.node().dataPort()));
        } catch (IOException failed) {
            Deadlines.close(channel);
            throw failed;
        }
        return greet(channel, ticket, limitNanos, beginner);
    }

    /** Shows the ticket on an open connection and exchanges salts; closes the connection if that fails. */
    private RecordStream greet(SocketChannel channel, Bytes ticket, long limitNanos, Beginner beginner)
            throws IOException {
        try (var _ = deadlines.closeAfter(channel, limitNanos)) {
            SocketTuning.tune(channel);
            Bytes salt = random(StreamKeys.SALT_BYTES);
            StreamPreamble.writeDialed(channel, new StreamPreamble.Dialed(ticket, salt));
            return beginner.begin(channel, salt, StreamPreamble.readSalt(channel));
        } catch (IOException failed) {
            Deadlines.close(channel);
            throw failed;
        }
    }

    private static Bytes bytes(InetSocketAddress address) {
        return Bytes.of(address.getAddress().getAddress());
    }

    /** The address with those bytes: that of the link, which may have a scope, or another one. */
    private static InetAddress address(InetSocketAddress ofLink, Bytes bytes) throws IOException {
        return bytes(ofLink).equals(bytes) ? ofLink.getAddress() : InetAddress.getByAddress(bytes.toArray());
    }

    private static String text(AddressPair path) {
        try {
            return InetAddress.getByAddress(path.from().toArray()).getHostAddress() + "-"
                    + InetAddress.getByAddress(path.to().toArray()).getHostAddress();
        } catch (UnknownHostException impossible) {
            throw new AssertionError("a pair has addresses of 4 or 16 bytes", impossible);
        }
    }

    @Override
    public boolean isExpected(InetAddress remote, InetAddress local) {
        return openings.isAwaited(asks -> asks.link().isBetween(remote, local), clock.nanoTime())
                || isLaneExpected(Bytes.of(remote.getAddress()), Bytes.of(local.getAddress()));
    }

    private boolean isLaneExpected(Bytes remote, Bytes local) {
        return remote.size() == local.size() && lanes.isAwaited(new AddressPair(remote, local));
    }

    /** Checks the ticket before anything is sent or computed, and before a thread is started. */
    @Override
    public Optional<GreetingThreads.Greeter> redeem(StreamPreamble.Dialed dialed) {
        if (transport == DataTransport.SHM) {
            return Optional.empty();
        }
        Optional<Lanes.Place> place = lanes.redeem(dialed.ticket());
        return place.isPresent()
                ? place.map(lane -> channel -> greetLane(lane, channel, dialed))
                : openings.redeem(dialed.ticket(), clock.nanoTime())
                        .map(redeemed -> channel -> greet(redeemed, channel, dialed));
    }

    private void greet(
            PendingStreams<Asked, OpenStream>.Greeting redeemed, SocketChannel channel, StreamPreamble.Dialed dialed)
            throws IOException {
        try (var greeting = redeemed) {
            SocketTuning.tune(channel);
            Grant<Asked> grant = greeting.grant();
            Bytes salt = random(StreamKeys.SALT_BYTES);
            StreamPreamble.writeSalt(channel, salt);
            handOver(greeting, begin(grant, channel, dialed.salt(), salt));
        }
    }

    private OpenStream begin(Grant<Asked> grant, SocketChannel channel, Bytes dialSalt, Bytes acceptSalt)
            throws IOException {
        Wanted wanted = grant.wanted();
        Link link = grant.link().link();
        int count = grant.link().lanes();
        if (count == 1) {
            return begin(wanted, link, channel, dialSalt, acceptSalt, false);
        }
        RecordStream first = beginLane(wanted.peer(), wanted.id(), link, channel, dialSalt, acceptSalt, false);
        String path = text(new AddressPair(bytes(link.remoteAddress()), bytes(link.localAddress())));
        LaneStream stream = laned(wanted, link, first, path);
        lanes.accept(stream, count).forEach(offer -> grantLane(link, offer.request(), offer.ticket()));
        if (!stream.isOpen()) {
            lanes.ended(stream); // it ended before the lanes knew it
        }
        return stream;
    }

    private void greetLane(Lanes.Place place, SocketChannel channel, StreamPreamble.Dialed dialed) throws IOException {
        SocketTuning.tune(channel);
        NodeId peer = place.stream().peer();
        Link link = links.apply(peer).orElseThrow(() -> new IOException("there is no link to it any more"));
        Bytes salt = random(StreamKeys.SALT_BYTES);
        StreamPreamble.writeSalt(channel, salt);
        RecordStream opened = beginLane(peer, place.id(), link, channel, dialed.salt(), salt, false);
        place.stream().join(place.lane(), opened, text(place.path()));
    }

    /** Makes a stream of several lanes of its first connection. */
    private LaneStream laned(Wanted wanted, Link link, RecordStream first, String path) throws StreamException {
        var stream = new LaneStream(wanted.peer(), wanted.id(), buffers, deadlines, clock, ended -> {
            live.remove(ended);
            starts.remove((LaneStream) ended);
            lanes.ended((LaneStream) ended);
        });
        starts.put(stream, link.node().endpoint());
        live.add(stream);
        stream.join(0, first, path);
        requireLink(wanted, link, stream);
        return stream;
    }

    /** Serves a connection to this node's unix socket. */
    public void greetLocal(SocketChannel channel) throws IOException {
        sharedMemory
                .orElseThrow()
                .greet(
                        channel,
                        ticket -> openings.redeem(ticket, clock.nanoTime()),
                        () -> random(LocalPreamble.SECRET_BYTES),
                        limits.connect().toNanos(),
                        (greeting, opened) -> handOver(
                                greeting,
                                beginLocally(
                                        greeting.grant().wanted(),
                                        greeting.grant().link().link(),
                                        opened,
                                        false)));
    }

    private static void handOver(PendingStreams<Asked, OpenStream>.Greeting greeting, OpenStream stream) {
        if (!greeting.arrived(stream)) {
            stream.abort(Cause.NOT_OPENED, "no thread waits for it any more");
        }
    }

    private SharedMemoryStream beginLocally(
            Wanted wanted, Link link, SharedMemoryHandshake.Opened opened, boolean dialed) throws IOException {
        boolean hasCores = ranksHere.getAsInt() <= Runtime.getRuntime().availableProcessors();
        var stream = new SharedMemoryStream(
                wanted.peer(),
                wanted.id(),
                opened.memory(),
                opened.bells(),
                dialed,
                hasCores ? SharedMemoryStream.SPIN_NANOS : SharedMemoryStream.SHORT_SPIN_NANOS,
                clock,
                buffers,
                deadlines,
                live::remove);
        live.add(stream);
        requireLink(wanted, link, stream);
        return stream;
    }

    private RecordStream begin(
            Wanted wanted, Link link, SocketChannel channel, Bytes dialSalt, Bytes acceptSalt, boolean dialed)
            throws IOException {
        var stream = records(wanted.peer(), wanted.id(), link, channel, dialSalt, acceptSalt, dialed, live::remove);
        live.add(stream);
        CipherWarmUp.begin(link.node().suite());
        stream.begin();
        requireLink(wanted, link, stream);
        return stream;
    }

    /** Begins a connection that becomes a lane; its stream ends it. */
    private RecordStream beginLane(
            NodeId peer,
            StreamId id,
            Link link,
            SocketChannel channel,
            Bytes dialSalt,
            Bytes acceptSalt,
            boolean dialed)
            throws IOException {
        RecordStream stream = records(peer, id, link, channel, dialSalt, acceptSalt, dialed, _ -> {});
        CipherWarmUp.begin(link.node().suite());
        stream.begin();
        return stream;
    }

    private RecordStream records(
            NodeId peer,
            StreamId id,
            Link link,
            SocketChannel channel,
            Bytes dialSalt,
            Bytes acceptSalt,
            boolean dialed,
            Consumer<OpenStream> ended)
            throws StreamException {
        byte[] linkKey = link.key()
                .copy()
                .orElseThrow(() -> new StreamException(peer, Cause.LINK_LOST, "its link ended meanwhile"));
        RecordCipher outward = cipher(link, id, linkKey, dialSalt, acceptSalt, dialed);
        RecordCipher inward = cipher(link, id, linkKey, dialSalt, acceptSalt, !dialed);
        Arrays.fill(linkKey, (byte) 0);
        return new RecordStream(peer, id, channel, outward, inward, buffers, deadlines, ended);
    }

    /** As {@link Links#transports}. */
    public SortedMap<NodeId, Set<DataTransport>> transports() {
        var ways = new TreeMap<NodeId, Set<DataTransport>>();
        for (OpenStream stream : live) {
            ways.computeIfAbsent(stream.peer(), _ -> EnumSet.noneOf(DataTransport.class))
                    .add(stream.transport());
        }
        return ways;
    }

    /** Ends a stream whose link ended meanwhile; otherwise it would be left open. */
    private void requireLink(Wanted wanted, Link link, OpenStream stream) throws StreamException {
        if (closing
                || links.apply(wanted.peer())
                        .filter(now -> sameStart(now, link))
                        .isEmpty()) {
            stream.abort(Cause.LINK_LOST, "its link ended meanwhile");
            throw new StreamException(wanted.peer(), Cause.LINK_LOST, "its link ended meanwhile");
        }
    }

    private RecordCipher cipher(
            Link link, StreamId id, byte[] linkKey, Bytes dialSalt, Bytes acceptSalt, boolean fromDialer) {
        byte[] key = StreamKeys.derive(linkKey, id, dialSalt.toArray(), acceptSalt.toArray(), fromDialer);
        return ciphers.create(link.node().suite(), key, limits.recordsPerKey());
    }

    /**
     * Whether both links are to the same start of the peer. A duplicate may have replaced the link; streams last as long as the peer's
     * start.
     */
    private static boolean sameStart(Link now, Link then) {
        return now.node().endpoint().equals(then.node().endpoint());
    }

    /** Warms up the link's cipher before a stream needs it; streams through shared memory have none. */
    @Override
    public void linked(Link link) {
        boolean mayBeShared = transport != DataTransport.TCP && sharedMemory.isPresent() && link.isLocal();
        if (!mayBeShared && transport != DataTransport.SHM) {
            CipherWarmUp.begin(link.node().suite());
        }
    }

    @Override
    public void requested(Link link, LinkMessage.StreamRequest request) {
        NodeId peer = link.node().endpoint().id();
        if (request.path().isPresent()) {
            AddressPair path = request.path().get();
            boolean isOwn = ownPaths.stream().anyMatch(own -> own.has(path.to()))
                    || bytes(link.localAddress()).equals(path.to());
            if (isOwn) {
                lanes.requested(peer, request.id(), path, request.request())
                        .ifPresent(offer -> grantLane(link, offer.request(), offer.ticket()));
            }
            return;
        }
        openings.requested(
                        new Wanted(peer, request.id()),
                        new Asked(link, request.lanes()),
                        request.request(),
                        clock.nanoTime())
                .ifPresent(this::send);
    }

    private static void grantLane(Link link, long request, Bytes ticket) {
        link.say(new LinkMessage.StreamTicket(request, ticket, ""));
    }

    @Override
    public void granted(LinkMessage.StreamTicket ticket) {
        CompletableFuture<LinkMessage.StreamTicket> answer = asked.get(ticket.request());
        if (answer != null) {
            answer.complete(ticket);
        }
    }

    @Override
    public void lost(NodeId peer) {
        openings.lost(peer);
        lanes.lost(peer);
        for (OpenStream stream : live) {
            if (stream.peer().equals(peer)) {
                if (stream instanceof LaneStream laned && laned.isOfSeveralLanes() && !closing) {
                    deadlines.after(RELINK_NANOS, () -> requireLinkAgain(laned));
                } else {
                    stream.abort(Cause.LINK_LOST, "its link ended");
                }
            }
        }
    }

    /** Ends a stream whose link did not come back over another path. */
    private void requireLinkAgain(LaneStream stream) {
        Endpoint then = starts.get(stream);
        boolean isBack = links.apply(stream.peer())
                .filter(now -> now.node().endpoint().equals(then))
                .isPresent();
        if (!isBack) {
            stream.abort(Cause.LINK_LOST, "its link ended");
        }
    }

    @Override
    public void close() {
        closing = true;
        lanes.close();
        live.forEach(stream -> stream.abort(Cause.CLOSED, "this node is closing"));
        sharedMemory.ifPresent(SharedMemoryHandshake::close);
    }

    private void send(Offer<Asked> offer) {
        Link link = offer.link().link();
        String socket =
                link.isLocal() ? sharedMemory.map(SharedMemoryHandshake::path).orElse("") : "";
        List<Bytes> addresses = LanePlan.named(ownPaths, bytes(link.localAddress()));
        link.say(new LinkMessage.StreamTicket(offer.request(), offer.ticket(), socket, addresses));
    }

    private static <T> Optional<T> await(CompletableFuture<T> future, long waitNanos) throws InterruptedException {
        try {
            return Optional.of(future.get(waitNanos, TimeUnit.NANOSECONDS));
        } catch (TimeoutException notYet) {
            return Optional.empty();
        } catch (ExecutionException impossible) {
            throw new AssertionError("never completed with a failure", impossible);
        }
    }

    private Bytes random(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }
}
