package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.StreamSource;
import io.hearth.transport.links.Links;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Nodes of one process with real, encrypted links on the loopback interface, between all pairs. */
public final class LinkedNodes implements AutoCloseable {
    private final List<Links> opened = new ArrayList<>();
    private final SortedMap<NodeId, StreamSource> streams = new TreeMap<>();
    private final Semaphore admitted = new Semaphore(0);

    private LinkedNodes() {}

    private final class Admissions implements LinkObserver {
        @Override
        public void admitted(LinkInfo link) {
            admitted.release();
        }

        @Override
        public void received(NodeId from, long incarnation, int kind, byte[] message) {}

        @Override
        public void lost(NodeId peer, String reason) {}

        @Override
        public void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text) {}

        @Override
        public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {}
    }

    public static LinkedNodes open(int count) throws Exception {
        NamespaceKeys keys = NetworkNamespace.create("test").keys();
        var linked = new LinkedNodes();
        for (int i = 0; i < count; i++) {
            NodeIdentity identity = NodeIdentity.generate();
            var self = new Endpoint(
                    new NodeId(identity.peer(), "trainer-0"), 1, Bytes.of(new byte[Endpoint.BOOT_ID_BYTES]));
            Links links = Links.open(LinkOptions.loopback(0), identity, self, keys, linked.new Admissions());
            for (Links other : linked.opened) {
                links.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), other.port()));
            }
            assertTrue(linked.admitted.tryAcquire(2 * linked.opened.size(), 30, TimeUnit.SECONDS), "no link");
            linked.opened.add(links);
            linked.streams.put(self.id(), links.streams());
        }
        return linked;
    }

    public SortedMap<NodeId, StreamSource> streams() {
        return streams;
    }

    StreamSource of(NodeId node) {
        return Optional.ofNullable(streams.get(node)).orElseThrow();
    }

    @Override
    public void close() {
        opened.forEach(Links::close);
    }
}
