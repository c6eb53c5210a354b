package io.hearth.transport.links;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.TestNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connections for pairing, and the nodes that they never reach. */
final class PairLinksTest {
    /** One machine that pairs, with its events. */
    private static final class Side implements PairLinks.Observer, AutoCloseable {
        record Met(NodeId peer, Bytes exporter) {}

        final NodeIdentity identity = NodeIdentity.generate();
        final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
        final PairLinks links;

        Side(String slot) throws Exception {
            links = PairLinks.open(
                    LinkOptions.loopback(0),
                    identity,
                    new Endpoint(new NodeId(identity.peer(), slot), 1, TestNode.bootId()),
                    this);
        }

        @Override
        public void met(NodeId peer, Bytes exporter, InetSocketAddress address) {
            heard.add(new Met(peer, exporter));
        }

        @Override
        public void notMet(InetSocketAddress address, String why) {
            heard.add(why);
        }

        @Override
        public void arrived(NodeId peer, byte[] message) {
            heard.add(Bytes.of(message));
        }

        @Override
        public void gone(NodeId peer, String why) {
            heard.add("gone: " + why);
        }

        <T> T next(Class<T> kind) throws InterruptedException {
            Object next = heard.poll(20, TimeUnit.SECONDS);
            if (!kind.isInstance(next)) {
                throw new AssertionError("no " + kind.getSimpleName() + " but " + next);
            }
            return kind.cast(next);
        }

        InetSocketAddress address() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), links.port());
        }

        @Override
        public void close() {
            links.close();
        }
    }

    @Test
    void bothEndsOfAConnectionKnowWhatNobodyElseKnows() throws Exception {
        try (var sponsor = new Side("pair");
                var first = new Side("join");
                var second = new Side("join")) {
            first.links.dial(sponsor.address());
            var there = first.next(Side.Met.class);
            var here = sponsor.next(Side.Met.class);
            assertEquals(sponsor.identity.peer(), there.peer().peer());
            assertEquals(first.identity.peer(), here.peer().peer());
            assertEquals(32, here.exporter().size());
            assertEquals(there.exporter(), here.exporter());

            second.links.dial(sponsor.address());
            assertNotEquals(there.exporter(), second.next(Side.Met.class).exporter());
            sponsor.next(Side.Met.class);

            first.links.send(there.peer(), new byte[] {1, 2, 3});
            assertEquals(Bytes.of((byte) 1, (byte) 2, (byte) 3), sponsor.next(Bytes.class));
            sponsor.links.send(here.peer(), new byte[] {4});
            sponsor.links.close(here.peer(), "enough");
            assertEquals(Bytes.of((byte) 4), first.next(Bytes.class));
            assertTrue(first.next(String.class).contains("enough"));
        }
    }

    /** Neither has a secret that the other must not see, but neither may use the other's service. */
    @Test
    void membersOfNoNamespaceMeetAMachineThatPairs() throws Exception {
        for (NetworkNamespace namespace : new NetworkNamespace[] {
            NetworkNamespace.create("home"), NetworkNamespace.open("home"), NetworkNamespace.open("pair")
        }) {
            try (NamespaceKeys keys = namespace.keys();
                    var member = new TestNode(keys);
                    var side = new Side("pair")) {
                side.links.dial(member.address());
                assertTrue(side.next(String.class).contains("serves members only"));
                assertEquals(
                        LinkRejection.PURPOSE,
                        member.await(TestNode.Seen.Refused.class).refusal());

                member.links.dial(side.address());
                assertTrue(side.next(String.class).contains("to pair a machine only, the peer came to MEMBER"));
                assertEquals(
                        LinkRejection.PURPOSE,
                        member.await(TestNode.Seen.Refused.class).refusal());
            }
        }
    }

    /** Admitted connections are bounded like those in their handshake. */
    @Test
    void sixteenConnectionsAreEnough() throws Exception {
        try (var sponsor = new Side("pair")) {
            var sides = new java.util.ArrayList<Side>();
            try {
                for (int i = 0; i < 16; i++) {
                    sides.add(new Side("join"));
                    sides.getLast().links.dial(sponsor.address());
                    sides.getLast().next(Side.Met.class);
                }
                sides.add(new Side("join"));
                sides.getLast().links.dial(sponsor.address());
                assertTrue(sides.getLast().next(String.class).contains("limit of 16 links"));
            } finally {
                sides.forEach(Side::close);
            }
        }
    }
}
