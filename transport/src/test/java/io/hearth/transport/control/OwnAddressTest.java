package io.hearth.transport.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.DialFailure;
import io.hearth.transport.GateLimits;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.TestNode;
import io.hearth.transport.TestNode.Seen;
import io.hearth.transport.cipher.AeadCipher;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Links use only the addresses of this machine that they may use. */
final class OwnAddressTest {
    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();

    private TestNode node(Predicate<InetAddress> usable) throws Exception {
        return new TestNode(NodeIdentity.generate(), "agent", 1, keys, o -> o.localAddresses(usable), AeadCipher::new);
    }

    private static long rejected(TestNode node) {
        return node.links.counters().refusals().getOrDefault(LinkRejection.TOO_MANY, 0L);
    }

    @Test
    void itIsTheOneThatTheRoutesChoose() throws Exception {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        assertEquals(
                Optional.of(new InetSocketAddress(loopback, 0)),
                OwnAddress.towards(new InetSocketAddress(loopback, 9)));
        assertEquals(Optional.empty(), OwnAddress.towards(InetSocketAddress.createUnresolved("nowhere.invalid", 9)));
    }

    @Test
    void connectionsToAnotherAddressAreClosedAndGiveTheirPlaceBack() throws Exception {
        try (var a = node(_ -> false)) {
            for (int i = 0; i < 18; i++) { // more than there are places for one address
                try (var socket = new Socket(a.address().getAddress(), a.links.port())) {
                    socket.setSoTimeout(20_000);
                    assertEquals(-1, socket.getInputStream().read());
                }
            }
            assertEquals(0, rejected(a));
            assertEquals(0L, a.links.counters().admitted());
        }
    }

    @Test
    void anInterfaceThatMayNotBeUsedIsNotDialledThrough() throws Exception {
        try (var a = node(_ -> false);
                var b = new TestNode(keys)) {
            a.dial(b);
            assertEquals(DialFailure.UNREACHABLE, a.await(Seen.DialFailed.class).failure());
            assertTrue(b.seen.isEmpty(), "something came: " + b.seen);
        }
    }

    @Test
    void throughOneThatMayBeUsedThereIsALink() throws Exception {
        try (var a = node(InetAddress::isLoopbackAddress);
                var b = node(InetAddress::isLoopbackAddress)) {
            a.link(b);
        }
    }

    /** Reading the interfaces costs the kernel more than closing a connection. */
    @Test
    void theGateDecidesBeforeAnythingIsLookedUp() throws Exception {
        var lookUps = new AtomicInteger();
        int connections = 60;
        List<Socket> open = new ArrayList<>();
        try (var a = node(_ -> {
            lookUps.incrementAndGet();
            return true;
        })) {
            for (int i = 0; i < connections; i++) {
                open.add(new Socket(a.address().getAddress(), a.links.port()));
            }
            TestNode.until("each is let in or closed", () -> lookUps.get() + rejected(a) >= connections);
            assertEquals(connections - rejected(a), lookUps.get(), "a connection that was rejected was looked up");
            assertTrue(lookUps.get() <= GateLimits.DEFAULT.perLoopbackMax(), "looked up " + lookUps);
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }
}
