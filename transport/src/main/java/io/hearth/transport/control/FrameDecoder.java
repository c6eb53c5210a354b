package io.hearth.transport.control;

import io.hearth.transport.Frame;
import io.hearth.transport.LinkRejection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/** Cuts the bytes inside TLS into {@link Frame}s. A length above the limit is rejected before any memory is allocated for it. */
public final class FrameDecoder extends ByteToMessageDecoder {
    /** Most bytes of one message before admission; no message of the handshake is longer. */
    public static final int HANDSHAKE_BYTES_MAX = 2048;

    private boolean admitted;
    private boolean broken;

    /** Allows messages of up to {@link Frame#BYTES_MAX} bytes from now on. */
    public void admit() {
        admitted = true;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (broken) {
            in.skipBytes(in.readableBytes());
            return;
        }
        if (in.readableBytes() < Frame.HEADER_BYTES) {
            return;
        }
        int length = in.getInt(in.readerIndex());
        int kind = in.getUnsignedShort(in.readerIndex() + Integer.BYTES);
        int bytesMax = admitted ? Frame.BYTES_MAX : HANDSHAKE_BYTES_MAX;
        if (length < 0 || length > bytesMax || kind == 0) {
            broken = true;
            in.skipBytes(in.readableBytes());
            throw new FrameException(
                    length > bytesMax && !admitted ? LinkRejection.TOO_LARGE : LinkRejection.MALFORMED,
                    "a frame of kind " + kind + " and " + length + " bytes, " + bytesMax + " are allowed");
        }
        if (in.readableBytes() < Frame.HEADER_BYTES + length) {
            return;
        }
        in.skipBytes(Frame.HEADER_BYTES);
        out.add(new Frame(kind, ByteBufUtil.getBytes(in.readSlice(length))));
    }

    /** The wire form of a frame; the receiver of the buffer releases it. */
    public static ByteBuf encode(ByteBufAllocator allocator, Frame frame) {
        return allocator
                .buffer(Frame.HEADER_BYTES + frame.bytes().length)
                .writeInt(frame.bytes().length)
                .writeShort(frame.kind())
                .writeBytes(frame.bytes());
    }
}
