package io.hearth.transport.control;

import io.hearth.transport.LinkRejection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

/** Counts a connection's bytes as they are on the wire and stops a peer that sends too many of them before its admission. */
public final class WireMeter extends ChannelDuplexHandler {
    private final int handshakeBytesMax;
    private final Tally tally;
    private boolean admitted;
    private volatile long bytesIn; // written by the event loop, read by callers of LinkInfo
    private volatile long bytesOut; // written and read like bytesIn

    /** @param tally gets the bytes too */
    public WireMeter(int handshakeBytesMax, Tally tally) {
        this.handshakeBytesMax = handshakeBytesMax;
        this.tally = tally;
    }

    /** Removes the limit on incoming bytes. */
    void admit() {
        admitted = true;
    }

    long bytesIn() {
        return bytesIn;
    }

    long bytesOut() {
        return bytesOut;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        var buffer = (ByteBuf) message;
        long before = bytesIn;
        bytesIn = before + buffer.readableBytes();
        tally.bytesIn.add(buffer.readableBytes());
        if (admitted || bytesIn <= handshakeBytesMax) {
            context.fireChannelRead(buffer);
            return;
        }
        // A server may send member messages right after its Admitted message: the bytes below the limit are handled
        // before the rest is judged.
        int fitting = (int) Math.max(0, handshakeBytesMax - before);
        context.fireChannelRead(buffer.readRetainedSlice(fitting));
        if (admitted) {
            context.fireChannelRead(buffer);
            return;
        }
        buffer.release();
        context.fireExceptionCaught(new FrameException(
                LinkRejection.TOO_LARGE, "more than " + handshakeBytesMax + " bytes came before admission"));
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        long before = bytesOut; // one writer, the event loop
        int more = ((ByteBuf) message).readableBytes();
        bytesOut = before + more;
        tally.bytesOut.add(more);
        var _ = context.write(message, promise);
    }
}
