package io.hearth.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** An admitted connection: its queue of outgoing frames, and how it ends. */
final class Link {
    /** How long a last word may take to get out before the connection is closed over it. */
    static final long LAST_WORD_MILLIS = 500;

    /** How long a link that a better one succeeded may go on delivering what was under way. */
    static final long DRAIN_MILLIS = 2_000;

    private final RemoteNode node;
    private final Channel channel;
    private final WireMeter meter;
    private final LinkKey key;
    private final int queueBytesMax;
    private final long sinceEpochMillis;
    private final AtomicLong queuedBytes = new AtomicLong(); // senders add, the event loop subtracts
    private final AtomicReference<@Nullable String> ending =
            new AtomicReference<>(); // first writer wins, read when it ended
    private boolean retired; // event loop only, as the next
    private boolean peerDone;

    Link(RemoteNode node, Channel channel, WireMeter meter, LinkKey key, int queueBytesMax, long sinceEpochMillis) {
        this.node = node;
        this.channel = channel;
        this.meter = meter;
        this.key = key;
        this.queueBytesMax = queueBytesMax;
        this.sinceEpochMillis = sinceEpochMillis;
    }

    RemoteNode node() {
        return node;
    }

    LinkKey key() {
        return key;
    }

    InetSocketAddress remoteAddress() {
        return (InetSocketAddress) channel.remoteAddress();
    }

    InetSocketAddress localAddress() {
        return (InetSocketAddress) channel.localAddress();
    }

    LinkInfo info() {
        return new LinkInfo(
                node.endpoint(), remoteAddress(), node.dialed(), meter.bytesIn(), meter.bytesOut(), sinceEpochMillis);
    }

    /** Queues a frame from any thread; false if the link is at its end. A full queue ends it: the peer is too slow or gone. */
    boolean offer(Frame frame) {
        if (!channel.isActive()) {
            return false;
        }
        long bytes = (long) Frame.HEADER_BYTES + frame.bytes().length;
        if (queuedBytes.addAndGet(bytes) > queueBytesMax) {
            end("the peer did not take " + queueBytesMax + " bytes of queued messages");
            return false;
        }
        channel.writeAndFlush(FrameDecoder.encode(channel.alloc(), frame))
                .addListener(_ -> queuedBytes.addAndGet(-bytes));
        return true;
    }

    void say(LinkMessage message) {
        offer(LinkCodec.encode(message));
    }

    /** Closes the connection at once. */
    void end(String why) {
        ending.compareAndSet(null, why);
        var _ = channel.close();
    }

    /** Tells the peer why, then closes the connection; done within a second whatever the peer does. */
    void finish(CloseCause cause, String why) {
        ending.compareAndSet(null, why);
        closeAfter(FrameDecoder.encode(channel.alloc(), LinkCodec.encode(new LinkMessage.Close(cause, why))), channel);
    }

    /** A better link goes on: what is under way is still delivered until both ends said so, or the time is up. */
    void retire() {
        retired = true;
        say(new LinkMessage.Close(CloseCause.DUPLICATE, "another link between the two nodes goes on"));
        if (peerDone) {
            end("another link between the two nodes goes on");
        } else {
            var _ = channel.eventLoop().schedule(() -> end("drained"), DRAIN_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** The peer switched to a better link and sends nothing more on this one. */
    void peerRetired() {
        peerDone = true;
        if (retired) {
            end("another link between the two nodes goes on");
        }
    }

    /** Why it ended, as one line. */
    String ending() {
        String why = ending.get();
        return why == null ? "the connection was closed" : why;
    }

    /** When the connection is closed. */
    Future<Void> closed() {
        return channel.closeFuture();
    }

    static void closeAfter(io.netty.buffer.ByteBuf last, Channel channel) {
        channel.writeAndFlush(last).addListener(ChannelFutureListener.CLOSE);
        var _ = channel.eventLoop()
                .schedule(
                        () -> {
                            var _ = channel.close();
                        },
                        LAST_WORD_MILLIS,
                        TimeUnit.MILLISECONDS);
    }
}
