package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.Bytes;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.TestNode.Seen;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.cipher.StreamKeys;
import io.hearth.transport.machine.LinkMessage;
import io.hearth.transport.machine.StreamTickets;
import io.hearth.transport.stream.StreamPreamble;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Each side of a data connection adds its own salt, new each time: the other side may repeat its salt on purpose, and AES-GCM must not use
 * a key and a nonce twice.
 */
final class FreshSaltsTest {
    private static final StreamId ID = new StreamId("digits", "e5", 0);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int CONNECTIONS = 5;

    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();
    private final NodeIdentity member = NodeIdentity.generate();
    private final NodeId memberId = new NodeId(member.peer(), "agent");
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    private TestNode node() throws Exception {
        return new TestNode(
                NodeIdentity.generate(), "agent", 1, keys, o -> o.transport(DataTransport.TCP), AeadCipher::new);
    }

    @Test
    void theAcceptorsIsNewForEachConnection() throws Exception {
        Set<Bytes> salts = new HashSet<>();
        try (var a = node();
                var raw = RawPeer.dial(RawPeer.context(member), a.address())) {
            raw.becomeMember(member, keys);
            a.await(Seen.Admitted.class);
            Future<DataStream> waiting = threads.submit(() -> a.links.streams().open(memberId, ID, PATIENCE));
            for (int request = 1; request <= CONNECTIONS; request++) { // none of which becomes a stream
                raw.say(new LinkMessage.StreamRequest(request, ID));
                Bytes ticket = ((LinkMessage.StreamTicket) raw.hear()).ticket();
                try (var channel = SocketChannel.open(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), a.links.dataPort()))) {
                    StreamPreamble.writeDialed(
                            channel, new StreamPreamble.Dialed(ticket, Bytes.of(new byte[StreamKeys.SALT_BYTES])));
                    salts.add(StreamPreamble.readSalt(channel));
                }
            }
            waiting.cancel(true);
        }
        assertEquals(CONNECTIONS, salts.size(), "a salt came twice");
    }

    @Test
    void theDiallersIsNewForEachConnection() throws Exception {
        Set<Bytes> salts = new HashSet<>();
        try (var a = node();
                var links = RawPeer.listen(RawPeer.context(member));
                var data =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            a.links.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), links.getLocalPort()));
            try (var raw = RawPeer.accept(links)) {
                raw.admitMember(member, keys, data.socket().getLocalPort());
                a.await(Seen.Admitted.class);
                Future<DataStream> waiting =
                        threads.submit(() -> a.links.streams().open(memberId, ID, PATIENCE));
                for (int ticket = 1; ticket <= CONNECTIONS; ticket++) {
                    var asked = (LinkMessage.StreamRequest) raw.hear();
                    raw.say(new LinkMessage.StreamTicket(
                            asked.request(), Bytes.of(new byte[StreamTickets.TICKET_BYTES]), ""));
                    try (var channel = data.accept()) {
                        ByteBuffer said = StreamPreamble.read(channel, StreamPreamble.DIALER_BYTES);
                        salts.add(StreamPreamble.dialed(said).orElseThrow().salt());
                    } // so it asks again
                }
                waiting.cancel(true);
            }
        }
        assertEquals(CONNECTIONS, salts.size(), "a salt came twice");
    }
}
