package io.hearth.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import io.hearth.transport.Links;
import io.hearth.transport.Refusal;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Boundaries over real, encrypted streams on the loopback interface, with chunks of the real size. */
final class StateOverLinksTest {
    private static final int BYTES = (9 << 20) + 4321;
    private static final int CHUNK_RECORDS = 8 * 9 + 1;

    private final NamespaceKeys keys = NetworkNamespace.create("state").keys();
    private final Semaphore admitted = new Semaphore(0);

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
        public void refused(InetSocketAddress address, Optional<PeerId> peer, Refusal refusal, String text) {}

        @Override
        public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {}
    }

    /** All linked with all. */
    private SortedMap<NodeId, StreamSource> link(List<Links> opened) throws Exception {
        var streams = new TreeMap<NodeId, StreamSource>();
        for (int i = 0; i < 3; i++) {
            NodeIdentity identity = NodeIdentity.generate();
            var self = new Endpoint(
                    new NodeId(identity.peer(), "trainer-0"), 1, Bytes.of(new byte[Endpoint.BOOT_ID_BYTES]));
            Links links = Links.open(LinkOptions.loopback(0), identity, self, keys, new Admissions());
            for (Links other : opened) {
                links.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), other.port()));
            }
            assertTrue(admitted.tryAcquire(2 * opened.size(), 30, TimeUnit.SECONDS), "no link");
            opened.add(links);
            streams.put(self.id(), links.streams());
        }
        return streams;
    }

    @Test
    void aJoinerGetsAllThoughItsRingBreaksAndAStreamIsCut() throws Exception {
        var opened = new ArrayList<Links>();
        try (var group = new BoundaryGroup(link(opened), BYTES)) {
            for (int rank = 0; rank < 3; rank++) {
                group.hold(rank, rank == 1 ? 2 : 1, rank == 1 ? 0 : 7, rank == 1);
            }
            var left = new AtomicInteger(CHUNK_RECORDS / 2);
            for (int rank : List.of(0, 2)) {
                group.meddle(rank, (header, bytes) -> {
                    int now = header.kind() == StateServer.CHUNK ? left.decrementAndGet() : 1;
                    if (now == 0) {
                        group.abandon();
                    } else if (now == -9) {
                        throw new IOException("cut");
                    }
                });
            }
            for (BoundaryGroup.Outcome outcome : group.attempt()) {
                assertTrue(outcome.thrown() instanceof IOException, outcome.toString());
            }
            group.form(List.of(0, 1, 2));
            List<BoundaryGroup.Outcome> outcomes = group.attempt();
            assertEquals(new StepStart(7, false), outcomes.get(0).start());
            assertEquals(new StepStart(7, true), outcomes.get(1).start());
            assertArrayEquals(group.bytes(0), group.bytes(1));
            int again = group.chunksSent() - CHUNK_RECORDS;
            assertTrue(again >= 0 && again <= 8 * 3 * 4, "pipelines of two sources, twice: " + again);
        } finally {
            opened.forEach(Links::close);
        }
    }
}
