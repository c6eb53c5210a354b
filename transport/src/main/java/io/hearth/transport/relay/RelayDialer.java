package io.hearth.transport.relay;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.transport.control.Link;
import io.hearth.transport.machine.LinkMessage;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.SocketTuning;
import io.hearth.transport.stream.StreamPreamble;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Connects to a node through a member that can reach it. */
public final class RelayDialer {
    /** Longest time for a relay to connect to the target. */
    static final long CONNECT_NANOS = 2_000_000_000L;

    private static final int SALT_BYTES = StreamPreamble.SALT_BYTES;

    private final Function<NodeId, Optional<Link>> links;
    private final Deadlines deadlines;
    private final SecureRandom random = new SecureRandom();
    private final Map<Long, CompletableFuture<LinkMessage.RelayTicket>> asked = new ConcurrentHashMap<>(); // by callers
    private final AtomicLong requests = new AtomicLong(); // incremented by callers

    /** @param links the current link to a node */
    public RelayDialer(Function<NodeId, Optional<Link>> links, Deadlines deadlines) {
        this.links = links;
        this.deadlines = deadlines;
    }

    /**
     * Asks {@code via} for a connection to {@code target}; blocking.
     *
     * @param toData whether to the target's data port; else to that of links
     * @param limitNanos longest time
     * @return a connection in blocking mode; the next bytes go to the target
     * @throws IOException the relay rejects, or one of the two connections failed
     */
    public SocketChannel connect(NodeId via, NodeId target, boolean toData, long limitNanos)
            throws IOException, InterruptedException {
        Link link = links.apply(via).filter(known -> !known.isRelayed()).orElse(null);
        if (link == null) {
            throw new IOException("there is no direct link to the relay " + via.shortText());
        }
        if (link.node().dataPort() == 0) {
            throw new IOException(via.shortText() + " takes no data connections, so it relays nothing");
        }
        LinkMessage.RelayTicket answer = ask(link, target, toData, limitNanos);
        if (answer.ticket().equals(Bytes.EMPTY)) {
            throw new IOException(via.shortText() + " does not relay: " + answer.why());
        }
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        var channel = SocketChannel.open();
        try (var _ = deadlines.closeAfter(channel, limitNanos)) {
            SocketTuning.tune(channel);
            channel.bind(new InetSocketAddress(link.localAddress().getAddress(), 0));
            channel.connect(new InetSocketAddress(
                    link.remoteAddress().getAddress(), link.node().dataPort()));
            StreamPreamble.writeDialed(channel, new StreamPreamble.Dialed(answer.ticket(), Bytes.of(salt)));
            if (!StreamPreamble.readSalt(channel).equals(Bytes.of(salt))) {
                throw new IOException(via.shortText() + " answered as no relay does");
            }
            return channel;
        } catch (IOException failed) {
            Deadlines.close(channel);
            throw failed;
        }
    }

    private LinkMessage.RelayTicket ask(Link link, NodeId target, boolean toData, long limitNanos)
            throws IOException, InterruptedException {
        var answer = new CompletableFuture<LinkMessage.RelayTicket>();
        long request = requests.incrementAndGet();
        asked.put(request, answer);
        try {
            link.say(new LinkMessage.RelayRequest(request, target, toData));
            return answer.get(limitNanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException silent) {
            throw new IOException("the relay did not answer in time", silent);
        } catch (ExecutionException impossible) {
            throw new AssertionError("never completed with a failure", impossible);
        } finally {
            asked.remove(request);
        }
    }

    /** Handles the answer to a request. */
    public void answered(LinkMessage.RelayTicket answer) {
        CompletableFuture<LinkMessage.RelayTicket> waiting = asked.get(answer.request());
        if (waiting != null) {
            waiting.complete(answer);
        }
    }
}
