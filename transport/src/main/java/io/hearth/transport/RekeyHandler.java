package io.hearth.transport;

import io.hearth.identity.PeerId;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One {@link RekeyChannel}: hands messages on until either side or the time ends it. */
final class RekeyHandler extends SimpleChannelInboundHandler<Frame> implements RekeyChannel {
    private static final Logger LOG = LoggerFactory.getLogger(RekeyHandler.class);

    /** Two rosters and two secrets take well under a second. */
    static final long LIFE_MILLIS = 5_000;

    /** A roster of the largest size, twice, and the secret. */
    static final long QUEUE_BYTES_MAX = 1L << 20;

    private final PeerId peer;
    private final InetSocketAddress address;
    private final long number;
    private final LinkObserver observer;
    private final Runnable ended;
    private final ChannelHandlerContext handshake;
    private final AtomicLong queuedBytes = new AtomicLong(); // the owner adds, the event loop subtracts
    private boolean over; // event loop only

    RekeyHandler(
            PeerId peer,
            InetSocketAddress address,
            long number,
            LinkObserver observer,
            Runnable ended,
            ChannelHandlerContext handshake) {
        this.peer = peer;
        this.address = address;
        this.number = number;
        this.observer = observer;
        this.ended = ended;
        this.handshake = handshake;
    }

    /** On the event loop, once this handles what comes. */
    void open() {
        LOG.debug("re-keying with peer={} address={}", peer.shortText(), address);
        observer.rekeyOpened(this);
        var _ = handshake
                .executor()
                .schedule(
                        () -> {
                            var _ = handshake.channel().close();
                        },
                        LIFE_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, Frame frame) {
        if (frame.kind() >= Frame.USER_MIN) {
            observer.rekeyReceived(this, frame.kind(), frame.bytes());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!over) {
            over = true;
            ended.run();
            observer.rekeyClosed(this);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("re-keying with peer={} ends: {}", peer.shortText(), cause.toString());
        var _ = context.close();
    }

    @Override
    public PeerId peer() {
        return peer;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public void send(int kind, byte[] message) {
        long bytes = (long) Frame.HEADER_BYTES + message.length;
        if (queuedBytes.addAndGet(bytes) > QUEUE_BYTES_MAX) {
            LOG.debug("re-keying with peer={} ends: it does not read", peer.shortText());
            var _ = handshake.channel().close();
            return;
        }
        var frame = new Frame(kind, message);
        handshake
                .channel()
                .writeAndFlush(FrameDecoder.encode(handshake.alloc(), frame))
                .addListener(_ -> queuedBytes.addAndGet(-bytes));
    }

    /** What was sent before still goes out. */
    @Override
    public void close(String why) {
        LOG.debug("re-keying with peer={} is over: {}", peer.shortText(), why);
        Link.closeAfter(io.netty.buffer.Unpooled.EMPTY_BUFFER, handshake.channel());
    }
}
