package io.hearth.transport.relay;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.transport.control.Link;
import io.hearth.transport.machine.LinkMessage;
import io.hearth.transport.machine.RelayPlaces;
import io.hearth.transport.machine.RelayPlaces.Pass;
import io.hearth.transport.machine.StreamTickets;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.SocketTuning;
import io.hearth.transport.stream.DataPort;
import io.hearth.transport.stream.GreetingThreads;
import io.hearth.transport.stream.StreamPreamble;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes connections on for members that cannot reach another member. A member asks over its link; this node answers with a ticket if it
 * has a direct link to the other one. The member connects to the data port with the ticket, and this node connects to the target.
 */
public final class RelayServer implements DataPort.Admission, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RelayServer.class);

    private final Function<NodeId, Optional<Link>> links;
    private final Clock clock;
    private final Deadlines deadlines;
    private final SecureRandom random = new SecureRandom();
    private final ReentrantLock lock = new ReentrantLock(); // guards the places
    private final RelayPlaces<Link> places = new RelayPlaces<>(this::ticket);
    private final Set<Relay> running = ConcurrentHashMap.newKeySet(); // bounded by the places
    private volatile boolean closing; // written by close(), read by greeting threads

    /** @param links the current link to a node */
    public RelayServer(Function<NodeId, Optional<Link>> links, Clock clock, Deadlines deadlines) {
        this.links = links;
        this.clock = clock;
        this.deadlines = deadlines;
    }

    /** Answers a request of the node at the other end of {@code from}. */
    public void requested(Link from, LinkMessage.RelayRequest request) {
        Optional<Link> to = links.apply(request.target()).filter(link -> !link.isRelayed());
        String why = "";
        Optional<Bytes> ticket = Optional.empty();
        if (from.isRelayed() || to.isEmpty()) {
            why = "no direct link to it";
        } else if (request.toData() && to.get().node().dataPort() == 0) {
            why = "it takes no data streams";
        } else {
            var pass = new Pass<>(from, to.get(), request.toData());
            ticket = locked(() -> places.issue(pass, clock.nanoTime()));
            why = ticket.isPresent() ? "" : "too many connections are passed on already";
        }
        from.say(new LinkMessage.RelayTicket(request.request(), ticket.orElse(Bytes.EMPTY), why));
    }

    @Override
    public boolean isExpected(InetAddress remote, InetAddress local) {
        return locked(() -> places.isOut(link -> link.isBetween(remote, local), clock.nanoTime()));
    }

    @Override
    public Optional<GreetingThreads.Greeter> redeem(StreamPreamble.Dialed dialed) {
        return locked(() -> places.redeem(dialed.ticket(), clock.nanoTime()))
                .map(pass -> new Greeting(pass, dialed.salt()));
    }

    /** Connects to the target and starts to pass bytes on. Gives its place back if that fails. */
    private final class Greeting implements GreetingThreads.Greeter {
        private final Pass<Link> pass;
        private final Bytes salt;

        private Greeting(Pass<Link> pass, Bytes salt) {
            this.pass = pass;
            this.salt = salt;
        }

        @Override
        public void greet(SocketChannel asker) throws IOException {
            boolean isRunning = false;
            var target = SocketChannel.open();
            try {
                connect(target);
                StreamPreamble.writeSalt(asker, salt); // the asker's own bytes, as a sign that the target answered
                isRunning = start(asker, target);
            } finally {
                if (!isRunning) {
                    Deadlines.close(target);
                    ended();
                }
            }
        }

        private void connect(SocketChannel target) throws IOException {
            Link to = pass.to();
            SocketTuning.tune(target);
            target.bind(new InetSocketAddress(to.localAddress().getAddress(), 0)); // where the target knows this node
            try (var _ = deadlines.closeAfter(target, RelayDialer.CONNECT_NANOS)) {
                target.connect(new InetSocketAddress(
                        to.remoteAddress().getAddress(),
                        pass.toData()
                                ? to.node().dataPort()
                                : to.info().listens().getPort()));
            }
        }

        private boolean start(SocketChannel asker, SocketChannel target) throws IOException {
            SocketTuning.tune(asker);
            var relay = new Relay(peer(pass.from()), peer(pass.to()), asker, target, this::ended);
            boolean isFirst = isNone(relay);
            running.add(relay);
            if (closing || isGone(pass.from()) || isGone(pass.to())) {
                running.remove(relay);
                throw new IOException("a link of it ended meanwhile");
            }
            if (isFirst) {
                LOG.info(
                        "passing bytes of peer={} on to peer={}, which it cannot reach",
                        relay.from().shortText(),
                        relay.to().shortText());
            }
            relay.start();
            return true;
        }

        private void ended(Relay relay) {
            running.remove(relay);
            ended();
            if (isNone(relay)) {
                LOG.info(
                        "no more bytes of peer={} are passed on to peer={}",
                        relay.from().shortText(),
                        relay.to().shortText());
            }
        }

        private void ended() {
            locked(() -> {
                places.ended(pass);
                return pass;
            });
        }
    }

    /** Whether no connection of the same two nodes is passed on: link and data streams are one line in the log. */
    private boolean isNone(Relay like) {
        return running.stream()
                .noneMatch(
                        other -> other.from().equals(like.from()) && other.to().equals(like.to()));
    }

    private boolean isGone(Link link) {
        return links.apply(peer(link)).filter(link::equals).isEmpty();
    }

    private static NodeId peer(Link link) {
        return link.node().endpoint().id();
    }

    /** Ends what is passed on for a node or to it. */
    public void lost(NodeId peer) {
        locked(() -> {
            places.lost(link -> peer(link).equals(peer));
            return peer;
        });
        running.stream()
                .filter(relay -> relay.from().equals(peer) || relay.to().equals(peer))
                .forEach(Relay::end);
    }

    @Override
    public void close() {
        closing = true;
        running.forEach(Relay::end);
    }

    private Bytes ticket() {
        byte[] bytes = new byte[StreamTickets.TICKET_BYTES];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
