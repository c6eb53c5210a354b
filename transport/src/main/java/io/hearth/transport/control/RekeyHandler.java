package io.hearth.transport.control;

import io.hearth.identity.PeerId;
import io.hearth.transport.Frame;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.RekeyChannel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One {@link RekeyChannel}. It passes messages on until either side or the time limit ends it. */
final class RekeyHandler extends SimpleChannelInboundHandler<Frame> implements RekeyChannel {
    private static final Logger LOG = LoggerFactory.getLogger(RekeyHandler.class);

    /** Two rosters and two secrets take well under a second. */
    static final long LIFE_MILLIS = 5_000;

    /** Twice a roster of the largest size, and the secret. */
    static final long QUEUE_BYTES_MAX = 1L << 20;

    private static final String ENDED = "re-keying ended: ";

    private final PeerId peer;
    private final InetSocketAddress address;
    private final long number;
    private final LinkObserver observer;
    private final Runnable ended;
    private final BiConsumer<LinkRejection, String> faults;
    private final ChannelHandlerContext handshake;
    private final AtomicLong queuedBytes = new AtomicLong(); // the owner adds, the event loop subtracts
    private boolean over; // event loop only, like the next field
    private boolean faulty;

    /**
     * @param ended run once when the connection is gone
     * @param faults gets the reason if this side ends the connection for a fault of the other one; limits the log
     */
    RekeyHandler(
            PeerId peer,
            InetSocketAddress address,
            long number,
            LinkObserver observer,
            Runnable ended,
            BiConsumer<LinkRejection, String> faults,
            ChannelHandlerContext handshake) {
        this.peer = peer;
        this.address = address;
        this.number = number;
        this.observer = observer;
        this.ended = ended;
        this.faults = faults;
        this.handshake = handshake;
    }

    /** Starts the channel, on the event loop, after this handler was installed. */
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
        if (cause instanceof FrameException broken) {
            faults.accept(broken.refusal(), ENDED + broken.why());
        } else {
            LOG.debug("re-keying with peer={} ends: {}", peer.shortText(), cause.toString());
        }
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
            fault(
                    LinkRejection.TOO_LATE,
                    "the peer did not take " + QUEUE_BYTES_MAX + " bytes of queued messages",
                    () -> {
                        var _ = handshake.channel().close();
                    });
            return;
        }
        var frame = new Frame(kind, message);
        handshake
                .channel()
                .writeAndFlush(FrameDecoder.encode(handshake.alloc(), frame))
                .addListener(_ -> queuedBytes.addAndGet(-bytes));
    }

    /** Messages that were sent before are still delivered. */
    @Override
    public void close(String why) {
        LOG.debug("re-keying with peer={} is over: {}", peer.shortText(), why);
        Link.closeAfter(io.netty.buffer.Unpooled.EMPTY_BUFFER, handshake.channel());
    }

    @Override
    public void refuse(String why) {
        fault(LinkRejection.MALFORMED, why, () -> close(why));
    }

    /** From any thread; the first fault counts, and none once the connection is gone. */
    private void fault(LinkRejection refusal, String why, Runnable end) {
        handshake.executor().execute(() -> {
            if (!over && !faulty) {
                faulty = true;
                faults.accept(refusal, ENDED + why);
                end.run();
            }
        });
    }
}
