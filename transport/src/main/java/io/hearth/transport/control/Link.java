package io.hearth.transport.control;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.transport.CloseCause;
import io.hearth.transport.Frame;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.machine.LinkEncoding;
import io.hearth.transport.machine.LinkMessage;
import io.hearth.transport.machine.RemoteNode;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** An admitted connection with its queue of outgoing frames. */
public final class Link {
    /** Time for the last frame to be sent before the connection is closed anyway. */
    public static final long CLOSE_WAIT_MILLIS = 500;

    /** Time for which a replaced link may still deliver frames in flight. */
    static final long DRAIN_MILLIS = 2_000;

    /** Names the node that passes a dialled connection on; set before the handshake, absent on a direct connection. */
    public static final AttributeKey<NodeId> RELAY = AttributeKey.valueOf(Link.class, "relay");

    private static final String GIVES_WAY = "another link between the two nodes continues";

    private final RemoteNode node;
    private final Channel channel;
    private final WireMeter meter;
    private final LinkKey key;
    private final Bytes keyId;
    private final int queueBytesMax;
    private final long sinceEpochMillis;
    private final InetSocketAddress remoteAddress;
    private final InetSocketAddress localAddress;
    private final AtomicLong queuedBytes = new AtomicLong(); // senders add, the event loop subtracts
    private final AtomicReference<@Nullable String> ending =
            new AtomicReference<>(); // the first writer wins; read after the end
    private final ReentrantLock offering = new ReentrantLock(); // so that no frame follows the last one
    private boolean retired; // under offering
    private boolean ownDone; // event loop only, like the next field
    private boolean peerDone;

    /** @param keyId names the namespace secret that both ends proved */
    Link(
            RemoteNode node,
            Channel channel,
            WireMeter meter,
            LinkKey key,
            Bytes keyId,
            int queueBytesMax,
            long sinceEpochMillis) {
        this.node = node;
        this.channel = channel;
        this.meter = meter;
        this.key = key;
        this.keyId = keyId;
        this.queueBytesMax = queueBytesMax;
        this.sinceEpochMillis = sinceEpochMillis;
        this.remoteAddress = (InetSocketAddress) channel.remoteAddress();
        this.localAddress = (InetSocketAddress) channel.localAddress();
    }

    public RemoteNode node() {
        return node;
    }

    public LinkKey key() {
        return key;
    }

    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /**
     * Whether the addresses show that both ends are on one machine, so that they may share memory. Seeing the same files proves nothing:
     * hosts may share a file system.
     */
    public boolean isLocal() {
        return !isRelayed()
                && (remoteAddress.getAddress().isLoopbackAddress()
                        || remoteAddress.getAddress().equals(localAddress.getAddress()));
    }

    /** Whether a member passes the bytes on, because the two ends cannot reach each other. */
    public boolean isRelayed() {
        return node.relayed();
    }

    /** The member that passes the bytes on; empty for a direct link, and on the side that was dialled. */
    public Optional<NodeId> relay() {
        return Optional.ofNullable(channel.attr(RELAY).get());
    }

    /** Whether the connection has these addresses at its ends. */
    public boolean isBetween(InetAddress remote, InetAddress local) {
        return remoteAddress.getAddress().equals(remote)
                && localAddress.getAddress().equals(local);
    }

    /** A secret that only the two ends of this connection know; empty once it ended. On the event loop. */
    public Optional<Bytes> pairExporter() {
        SslHandler ssl = channel.pipeline().get(SslHandler.class);
        if (ssl == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Tls.pairExporter(ssl.engine()));
        } catch (SSLException bug) {
            throw new AssertionError("a connection that exported once exports again", bug);
        }
    }

    public LinkInfo info() {
        InetSocketAddress listens =
                node.dialed() ? remoteAddress : new InetSocketAddress(remoteAddress.getAddress(), node.linkPort());
        return new LinkInfo(
                node.endpoint(),
                remoteAddress,
                listens,
                node.dialed(),
                isRelayed(),
                meter.bytesIn(),
                meter.bytesOut(),
                sinceEpochMillis,
                keyId);
    }

    /**
     * Queues a frame, from any thread. Returns false if the link has ended or another link replaces it. A full queue ends the link, because
     * the peer is too slow or gone.
     */
    public boolean offer(Frame frame) {
        long bytes = (long) Frame.HEADER_BYTES + frame.bytes().length;
        offering.lock();
        try {
            if (retired || !channel.isActive()) {
                return false;
            }
            if (queuedBytes.addAndGet(bytes) <= queueBytesMax) {
                channel.writeAndFlush(FrameDecoder.encode(channel.alloc(), frame))
                        .addListener(_ -> queuedBytes.addAndGet(-bytes));
                return true;
            }
        } finally {
            offering.unlock();
        }
        end("the peer did not take " + queueBytesMax + " bytes of queued messages");
        return false;
    }

    public void say(LinkMessage message) {
        offer(LinkEncoding.encode(message));
    }

    /** Closes the connection at once. */
    void end(String why) {
        ending.compareAndSet(null, why);
        var _ = channel.close();
    }

    /** Sends the cause to the peer, then closes the connection, within a second in any case. */
    public void finish(CloseCause cause, String why) {
        ending.compareAndSet(null, why);
        closeAfter(encoded(cause, why), channel);
    }

    /** Another link replaces this one. Frames in flight are delivered until both ends have sent their last frame, or the time is over. */
    void retire() {
        offering.lock();
        try {
            retired = true;
        } finally {
            offering.unlock();
        }
        // As a task, so that it follows the frames that other threads have queued as tasks.
        channel.eventLoop()
                .execute(() -> channel.writeAndFlush(encoded(CloseCause.DUPLICATE, GIVES_WAY))
                        .addListener(_ -> {
                            ownDone = true;
                            endIfDrained();
                        }));
        var _ = channel.eventLoop().schedule(() -> end(GIVES_WAY), DRAIN_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** The peer switched to the other link and sends nothing more on this one. */
    void peerRetired() {
        peerDone = true;
        endIfDrained();
    }

    private void endIfDrained() {
        if (ownDone && peerDone) {
            end(GIVES_WAY);
        }
    }

    private ByteBuf encoded(CloseCause cause, String why) {
        return FrameDecoder.encode(channel.alloc(), LinkEncoding.encode(new LinkMessage.Close(cause, why)));
    }

    /** The reason of its end, as one line. */
    String ending() {
        String why = ending.get();
        return why == null ? "the connection was closed" : why;
    }

    /** Completes when the connection is closed. */
    public Future<Void> closed() {
        return channel.closeFuture();
    }

    static void closeAfter(ByteBuf last, Channel channel) {
        channel.writeAndFlush(last).addListener(ChannelFutureListener.CLOSE);
        var _ = channel.eventLoop()
                .schedule(
                        () -> {
                            var _ = channel.close();
                        },
                        CLOSE_WAIT_MILLIS,
                        TimeUnit.MILLISECONDS);
    }
}
