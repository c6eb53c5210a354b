package io.hearth.transport.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.Appearance;
import io.hearth.transport.CloseCause;
import io.hearth.transport.DoubledIdentity;
import io.hearth.transport.Frame;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.Purpose;
import io.hearth.transport.StreamId;
import io.hearth.transport.TestNode;
import io.hearth.transport.control.FrameDecoder;
import io.hearth.transport.control.FrameException;
import io.hearth.transport.control.Tally;
import io.hearth.transport.control.WireMeter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class LinkEncodingFuzzTest {
    private static final long SEED = Long.getLong("hearth.seed", 25);
    private static final int FRAMES = Boolean.getBoolean("hearth.full") ? 300_000 : 100_000;
    private static final long TIME_NANOS = 10_000_000_000L;

    private static final Hello HELLO = new Hello(
            List.of(1, 2),
            List.of("chacha20"),
            Purpose.MEMBER,
            "trainer-3",
            77,
            TestNode.bootId(),
            Optional.of(TestNode.bootId()),
            Bytes.of(new byte[8]),
            52_416,
            4711,
            9,
            1,
            Optional.empty());

    private static final Hello AROUND = replacing(new LinkName(true, 8));

    private static Hello replacing(LinkName silent) {
        return new Hello(
                HELLO.versions(),
                HELLO.features(),
                HELLO.purpose(),
                HELLO.slot(),
                HELLO.incarnation(),
                HELLO.bootId(),
                HELLO.systemBoot(),
                HELLO.keyId(),
                HELLO.linkPort(),
                HELLO.dataPort(),
                HELLO.dial(),
                HELLO.chosen(),
                HELLO.formerKeyId(),
                Optional.of(silent));
    }

    private static final List<LinkMessage> MESSAGES = List.of(
            new LinkMessage.ClientHello(AROUND, LinkEncoding.encode(AROUND)),
            new LinkMessage.ClientHello(HELLO, LinkEncoding.encode(HELLO)),
            new LinkMessage.ServerHello(HELLO, LinkEncoding.encode(HELLO), Bytes.of(new byte[32])),
            new LinkMessage.Proof(Bytes.of(new byte[32])),
            new LinkMessage.Admitted(),
            new LinkMessage.Refused(LinkRejection.VERSION, "too old"),
            new LinkMessage.Close(CloseCause.MALFORMED, "bad frame"),
            new LinkMessage.StreamRequest(5, new StreamId("digits", "e", 3)),
            new LinkMessage.StreamTicket(5, Bytes.of(new byte[16]), "/run/data-0123456789ab.sock"),
            new LinkMessage.Probe(),
            new LinkMessage.RelayRequest(6, new NodeId(NodeIdentity.generate().peer(), "trainer-2"), true),
            new LinkMessage.RelayTicket(6, Bytes.of(new byte[16]), ""),
            new LinkMessage.RelayTicket(7, Bytes.EMPTY, "no direct link to it"),
            new LinkMessage.Duplicate(new DoubledIdentity(
                    NodeIdentity.generate().peer(),
                    new Appearance("agent", 7, Optional.of(TestNode.bootId()), "192.168.1.20"),
                    new Appearance("trainer-1", 8, Optional.empty(), ""))));

    @Test
    void everyMessageComesBackAsItWasSent() throws MalformedMessageException {
        for (LinkMessage message : MESSAGES) {
            assertEquals(message, LinkEncoding.decode(LinkEncoding.encode(message)));
        }
    }

    @Test
    void textOfAPeerIsPrintableAndShort() throws MalformedMessageException {
        var rude =
                new LinkMessage.Refused(LinkRejection.VERSION, "\u001b]52;c;evil\u0007\n\u202e" + "x".repeat(10_000));
        var clean = (LinkMessage.Refused) LinkEncoding.decode(LinkEncoding.encode(rude));
        assertTrue(clean.text().matches("[ -~]{200}"), clean.text());
    }

    @Test
    void whatNamesNoBootOfASystemIsRefused() throws MalformedMessageException {
        var odd = new Hello(
                List.of(2),
                List.of(),
                Purpose.MEMBER,
                "agent",
                1,
                TestNode.bootId(),
                Optional.of(Bytes.of(new byte[15])),
                Bytes.of(new byte[8]),
                1,
                1,
                1,
                0,
                Optional.empty());
        Frame frame = LinkEncoding.encode(new LinkMessage.ClientHello(odd, LinkEncoding.encode(odd)));
        var refused = assertThrows(MalformedMessageException.class, () -> LinkEncoding.decode(frame));
        assertTrue(String.valueOf(refused.getMessage()).contains("boot id of the system"), refused.toString());

        var rude = new DoubledIdentity(
                NodeIdentity.generate().peer(),
                new Appearance("agent", 7, Optional.empty(), "a\u001b]52;c\n" + "x".repeat(1_000)),
                new Appearance("agent", 8, Optional.empty(), ""));
        var clean = (LinkMessage.Duplicate) LinkEncoding.decode(LinkEncoding.encode(new LinkMessage.Duplicate(rude)));
        assertTrue(clean.found().one().address().matches("[ -~]{64}"), clean.toString());
    }

    @Test
    void mutatedFramesAreReadOrRefusedButNeverMore() {
        var random = new SplittableRandom(SEED);
        List<Frame> good = MESSAGES.stream().map(LinkEncoding::encode).toList();
        int read = 0;
        int frames = 0;
        long startNanos = System.nanoTime();
        // On a busy machine, the time limits their number.
        for (int i = 0; i < FRAMES && System.nanoTime() - startNanos < TIME_NANOS; i++) {
            frames++;
            Frame frame = good.get(random.nextInt(good.size()));
            var mutant = new Frame(1 + random.nextInt(11), mutate(random, frame.bytes()));
            try {
                LinkMessage message = LinkEncoding.decode(mutant);
                LinkEncoding.encode(message); // each message that was read can be encoded
                read++;
            } catch (MalformedMessageException refused) {
                assertTrue(String.valueOf(refused.getMessage()).length() < 1_000, "seed " + SEED + " frame " + i);
            } catch (RuntimeException escaped) {
                throw new AssertionError("seed " + SEED + " frame " + i, escaped);
            }
        }
        assertTrue(
                read > frames / 1_000,
                "only " + read + " of the " + frames + " mutants could be read: too wild a fuzzer");
    }

    private static byte[] mutate(SplittableRandom random, byte[] bytes) {
        byte[] mutant = Arrays.copyOf(bytes, Math.max(0, bytes.length + random.nextInt(-3, 4)));
        for (int edits = random.nextInt(4); edits > 0 && mutant.length > 0; edits--) {
            mutant[random.nextInt(mutant.length)] = (byte) random.nextInt();
        }
        return mutant;
    }

    @Test
    void aFullFrameOfTinyPiecesIsRefusedWithoutBuildingThem() {
        byte[] versions = new byte[Frame.BYTES_MAX];
        for (int i = 0; i < versions.length; i += 2) {
            versions[i] = 0x12; // field 2 of a hello: an empty feature, two bytes each
        }
        assertThrows(MalformedMessageException.class, () -> LinkEncoding.decode(new Frame(1, versions)));
    }

    @Test
    void framesCutAnywhereComeOutWhole() {
        var random = new SplittableRandom(SEED);
        for (int round = 0; round < 200; round++) {
            var channel = new EmbeddedChannel(new FrameDecoder());
            ByteBuf wire = Unpooled.buffer();
            for (LinkMessage message : MESSAGES) {
                ByteBuf frame = FrameDecoder.encode(channel.alloc(), LinkEncoding.encode(message));
                wire.writeBytes(frame);
                frame.release();
            }
            while (wire.isReadable()) {
                channel.writeInbound(wire.readRetainedSlice(random.nextInt(1, Math.min(40, wire.readableBytes()) + 1)));
            }
            wire.release();
            for (LinkMessage message : MESSAGES) {
                Frame expected = LinkEncoding.encode(message);
                Frame frame = channel.readInbound();
                assertEquals(expected.kind(), frame.kind());
                assertTrue(Arrays.equals(expected.bytes(), frame.bytes()));
            }
            channel.finishAndReleaseAll();
        }
    }

    @Test
    void lengthsBeyondTheLimitAreRefusedFromTheHeaderAlone() {
        int[] lengths = {FrameDecoder.HANDSHAKE_BYTES_MAX + 1, Frame.BYTES_MAX + 1, Integer.MAX_VALUE, -1};
        for (int length : lengths) {
            for (boolean admitted : new boolean[] {false, true}) {
                var decoder = new FrameDecoder();
                if (admitted) {
                    decoder.admit();
                }
                var channel = new EmbeddedChannel(decoder);
                ByteBuf header = Unpooled.buffer().writeInt(length).writeShort(16);
                if (admitted && length == FrameDecoder.HANDSHAKE_BYTES_MAX + 1) {
                    channel.writeInbound(header);
                    assertEquals(0, channel.inboundMessages().size());
                } else {
                    var refused = assertThrows(FrameException.class, () -> channel.writeInbound(header));
                    assertEquals(
                            length > 0 && !admitted ? LinkRejection.TOO_LARGE : LinkRejection.MALFORMED,
                            refused.refusal());
                    channel.writeInbound(Unpooled.wrappedBuffer(new byte[64])); // later bytes are not read
                    assertEquals(0, channel.inboundMessages().size());
                }
                channel.finishAndReleaseAll();
            }
        }
    }

    @Test
    void moreBytesThanAHandshakeNeedsAreStoppedOnTheWire() {
        var channel = new EmbeddedChannel(new WireMeter(100, new Tally()));
        channel.writeInbound(Unpooled.wrappedBuffer(new byte[60]));
        assertThrows(FrameException.class, () -> channel.writeInbound(Unpooled.wrappedBuffer(new byte[60])));
        ByteBuf first = channel.readInbound();
        ByteBuf rest = channel.readInbound();
        assertEquals(60, first.readableBytes());
        assertEquals(40, rest.readableBytes());
        first.release();
        rest.release();
        channel.finishAndReleaseAll();
    }
}
