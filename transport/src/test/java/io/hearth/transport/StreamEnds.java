package io.hearth.transport;

import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.cipher.RecordCipher;
import io.hearth.transport.cipher.StreamKeys;
import io.hearth.transport.lane.LaneStream;
import io.hearth.transport.memory.Doorbell;
import io.hearth.transport.memory.SharedMemory;
import io.hearth.transport.memory.SharedMemoryStream;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.OpenStream;
import io.hearth.transport.record.RecordBuffers;
import io.hearth.transport.record.RecordStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Both ends of a stream in one process, without links.
 *
 * @param channels those that the system would close if the first end's process died
 */
public record StreamEnds(OpenStream first, OpenStream second, List<Channel> channels) {
    static final NodeId FIRST = new NodeId(NodeIdentity.generate().peer(), NodeId.AGENT);
    static final NodeId SECOND = new NodeId(NodeIdentity.generate().peer(), NodeId.AGENT);
    static final StreamId ID = new StreamId("digits", "e1", 0);

    /** Records over loopback TCP. */
    public static StreamEnds tcp(ScheduledExecutorService timer) throws IOException {
        try (var server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            var dialed = SocketChannel.open(server.getLocalAddress());
            var accepted = server.accept();
            return new StreamEnds(
                    records(SECOND, dialed, 1, 2, timer), records(FIRST, accepted, 2, 1, timer), List.of(dialed));
        }
    }

    /** A stream of several lanes, each over loopback TCP; its channels are those of the first end's lanes, in order. */
    public static StreamEnds lanes(int count, ScheduledExecutorService timer) throws IOException {
        var first = laned(SECOND, timer);
        var second = laned(FIRST, timer);
        var channels = new ArrayList<Channel>();
        for (int lane = 0; lane < count; lane++) {
            channels.add(joinLane(first, second, lane, timer));
        }
        return new StreamEnds(first, second, channels);
    }

    /** Joins one lane of both ends; returns the first end's channel. */
    public static SocketChannel joinLane(LaneStream first, LaneStream second, int lane, ScheduledExecutorService timer)
            throws IOException {
        try (var server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            var dialed = SocketChannel.open(server.getLocalAddress());
            var accepted = server.accept();
            joinLane(first, second, lane, dialed, accepted, timer);
            return dialed;
        }
    }

    /** Joins one lane of both ends over those channels. */
    public static void joinLane(
            LaneStream first,
            LaneStream second,
            int lane,
            SocketChannel ofFirst,
            SocketChannel ofSecond,
            ScheduledExecutorService timer)
            throws IOException {
        ofFirst.setOption(StandardSocketOptions.TCP_NODELAY, true); // as in the product
        ofSecond.setOption(StandardSocketOptions.TCP_NODELAY, true);
        first.join(lane, records(SECOND, ofFirst, 2 * lane + 1, 2 * lane + 2, timer), "lane " + lane);
        second.join(lane, records(FIRST, ofSecond, 2 * lane + 2, 2 * lane + 1, timer), "lane " + lane);
    }

    /** A stream of one lane whose other end is a bare connection. */
    public static StreamEnds rawLane(SocketChannel ofFirst, SocketChannel ofSecond, ScheduledExecutorService timer) {
        LaneStream first = laned(SECOND, timer);
        first.join(0, records(SECOND, ofFirst, 1, 2, timer), "raw");
        return new StreamEnds(first, records(FIRST, ofSecond, 2, 1, timer), List.of(ofFirst));
    }

    private static LaneStream laned(NodeId peer, ScheduledExecutorService timer) {
        return new LaneStream(
                peer, ID, ThreadLocal.withInitial(RecordBuffers::new), new Deadlines(timer), Clock.system(), _ -> {});
    }

    private static RecordStream records(
            NodeId peer, SocketChannel channel, int sealKey, int openKey, ScheduledExecutorService timer) {
        return new RecordStream(
                peer,
                ID,
                channel,
                cipher(sealKey),
                cipher(openKey),
                ThreadLocal.withInitial(RecordBuffers::new),
                new Deadlines(timer),
                _ -> {});
    }

    private static RecordCipher cipher(int key) {
        byte[] bytes = new byte[StreamKeys.KEY_BYTES];
        bytes[0] = (byte) key;
        return new AeadCipher(RecordCipher.Suite.AES_256_GCM, bytes, 1 << 19);
    }

    /** Shared memory; the first end dials. */
    public static StreamEnds local(Path folder, ScheduledExecutorService timer) throws IOException {
        Path file = folder.resolve("memory");
        SharedMemory first = SharedMemory.create(file);
        SharedMemory second = SharedMemory.open(file, Files.getOwner(file));
        Files.delete(file);
        SocketChannel[] out = sockets(folder);
        SocketChannel[] in = sockets(folder);
        return new StreamEnds(
                local(SECOND, first, bells(out[0], in[0]), true, timer),
                local(FIRST, second, bells(out[1], in[1]), false, timer),
                List.of(out[0], in[0]));
    }

    private static SharedMemoryStream local(
            NodeId peer,
            SharedMemory memory,
            SharedMemoryStream.Bells bells,
            boolean dialed,
            ScheduledExecutorService timer) {
        return new SharedMemoryStream(
                peer,
                ID,
                memory,
                bells,
                dialed,
                SharedMemoryStream.SHORT_SPIN_NANOS,
                Clock.system(),
                ThreadLocal.withInitial(RecordBuffers::new),
                new Deadlines(timer),
                _ -> {});
    }

    private static SharedMemoryStream.Bells bells(SocketChannel fromDialer, SocketChannel toDialer) {
        return new SharedMemoryStream.Bells(new Doorbell(fromDialer), new Doorbell(toDialer));
    }

    /** Two ends of one unix socket. */
    static SocketChannel[] sockets(Path folder) throws IOException {
        Path path = folder.resolve("socket");
        try (var server =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path))) {
            return new SocketChannel[] {SocketChannel.open(UnixDomainSocketAddress.of(path)), server.accept()};
        } finally {
            Files.deleteIfExists(path);
        }
    }
}
