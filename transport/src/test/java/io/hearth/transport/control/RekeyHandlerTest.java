package io.hearth.transport.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Frame;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.RekeyChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A re-keying over a connection whose other side reads only at the test's command. */
final class RekeyHandlerTest {
    private static final int MESSAGE_BYTES = Frame.BYTES_MAX;
    private static final long FRAME_BYTES = Frame.HEADER_BYTES + MESSAGE_BYTES;
    private static final long FRAMES_MAX = RekeyHandler.QUEUE_BYTES_MAX / FRAME_BYTES;

    private final PeerId peer = NodeIdentity.generate().peer();
    private final List<String> told = new ArrayList<>();
    private final Wire wire = new Wire();
    private final EmbeddedChannel channel;
    private final RekeyHandler rekey;

    RekeyHandlerTest() {
        var handshake = new ChannelInboundHandlerAdapter();
        channel = new EmbeddedChannel(wire, new FrameDecoder(), handshake);
        rekey = new RekeyHandler(
                peer,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                1,
                new Observer(),
                () -> told.add("ended"),
                (refusal, why) -> told.add(refusal + " " + why),
                channel.pipeline().context(handshake));
        channel.pipeline().replace(handshake, "rekey", rekey);
        channel.freezeTime(); // a test advances it
        rekey.open();
        assertEquals(List.of("opened"), told);
        told.clear();
    }

    @AfterEach
    void close() {
        wire.readAll();
        var _ = channel.finishAndReleaseAll();
    }

    /** Messages that were sent and not read by the other side. */
    private static final class Wire extends ChannelOutboundHandlerAdapter {
        private final Deque<ByteBuf> queued = new ArrayDeque<>();
        private final Deque<ChannelPromise> promises = new ArrayDeque<>();

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            queued.add((ByteBuf) message);
            promises.add(promise);
        }

        long bytes() {
            return queued.stream().mapToLong(ByteBuf::readableBytes).sum();
        }

        void read() {
            queued.remove().release();
            promises.remove().setSuccess();
        }

        void readAll() {
            while (!queued.isEmpty()) {
                read();
            }
        }
    }

    private final class Observer implements LinkObserver {
        @Override
        public void admitted(LinkInfo link) {}

        @Override
        public void received(NodeId from, long incarnation, int kind, byte[] message) {}

        @Override
        public void lost(NodeId node, String reason) {}

        @Override
        public void refused(InetSocketAddress address, Optional<PeerId> who, LinkRejection refusal, String text) {}

        @Override
        public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {}

        @Override
        public void rekeyOpened(RekeyChannel opened) {
            told.add("opened");
        }

        @Override
        public void rekeyClosed(RekeyChannel closed) {
            told.add("closed");
        }
    }

    private void send() {
        rekey.send(Frame.USER_MIN, new byte[MESSAGE_BYTES]);
        channel.runPendingTasks();
    }

    @Test
    void whatAPeerDoesNotReadIsBoundedAndEndsTheReKeying() {
        for (int sent = 0; sent < FRAMES_MAX; sent++) {
            send();
        }
        assertTrue(channel.isOpen());
        assertEquals(FRAMES_MAX * FRAME_BYTES, wire.bytes());
        send();
        assertFalse(channel.isOpen());
        assertEquals(
                List.of(
                        "TOO_LATE re-keying ended: the peer did not take 1048576 bytes of queued messages",
                        "ended",
                        "closed"),
                told);
        send();
        assertEquals(FRAMES_MAX * FRAME_BYTES, wire.bytes());
        assertEquals(3, told.size(), "said once");
    }

    @Test
    void aPeerThatReadsGetsMoreThanTheBound() {
        for (int sent = 0; sent < 3 * FRAMES_MAX; sent++) {
            send();
            if (wire.bytes() > RekeyHandler.QUEUE_BYTES_MAX / 2) {
                wire.read();
            }
        }
        assertTrue(channel.isOpen());
        assertEquals(List.of(), told);
    }

    @Test
    void itsTimeIsBoundedWhateverComes() {
        channel.advanceTimeBy(RekeyHandler.LIFE_MILLIS - 1, TimeUnit.MILLISECONDS);
        channel.runPendingTasks();
        assertTrue(channel.isOpen());
        channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
        channel.runPendingTasks();
        assertFalse(channel.isOpen());
        assertEquals(List.of("ended", "closed"), told);
    }

    @Test
    void anEndInOrderIsNoFaultAndWhatWasSentBeforeGoesOut() {
        send();
        rekey.close("both sides hold the new secret");
        channel.runPendingTasks();
        assertTrue(channel.isOpen());
        wire.readAll();
        assertFalse(channel.isOpen());
        assertEquals(List.of("ended", "closed"), told);
    }

    @Test
    void aRefusalIsAFaultOfThePeerAndSaidOnce() {
        rekey.refuse("malformed message");
        rekey.refuse("malformed message");
        channel.runPendingTasks();
        wire.readAll();
        channel.runPendingTasks();
        assertFalse(channel.isOpen());
        assertEquals(List.of("MALFORMED re-keying ended: malformed message", "ended", "closed"), told);
    }

    @Test
    void bytesThatAreNoFramesAreAFaultOfThePeer() {
        channel.writeInbound(channel.alloc().buffer().writeInt(-1).writeShort(Frame.USER_MIN));
        assertFalse(channel.isOpen());
        assertEquals(3, told.size(), told::toString);
        assertTrue(
                told.getFirst().startsWith("MALFORMED re-keying ended: a frame of kind 16 and -1 bytes"),
                told::toString);
    }
}
