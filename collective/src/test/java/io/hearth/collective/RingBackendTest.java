package io.hearth.collective;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.NotEnoughPeersException;
import io.hearth.core.PeerLostException;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Rings set up by hand, over real links on the loopback interface. */
final class RingBackendTest extends DistributedBackendContractTest {
    private final NamespaceKeys keys = NetworkNamespace.create("ring").keys();

    @Override
    List<RingBackend> open(int world) throws Exception {
        List<InetSocketAddress> nodes = freeAddresses(world);
        var opening = new ArrayList<FutureTask<RingBackend>>();
        for (int rank = 0; rank < world; rank++) {
            var config = new DistributedConfig(nodes, rank);
            opening.add(started(() -> RingBackend.open(config, keys)));
        }
        var backends = new ArrayList<RingBackend>();
        for (FutureTask<RingBackend> one : opening) {
            backends.add(one.get(40, TimeUnit.SECONDS));
        }
        return backends;
    }

    private static <T> FutureTask<T> started(Callable<T> work) {
        var task = new FutureTask<T>(work);
        Thread.ofPlatform().daemon(true).start(task);
        return task;
    }

    private static List<InetSocketAddress> freeAddresses(int count) throws IOException {
        var held = new ArrayList<ServerSocket>();
        var addresses = new ArrayList<InetSocketAddress>();
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        for (int i = 0; i < count; i++) {
            var socket = new ServerSocket(0, 1, loopback);
            held.add(socket);
            addresses.add(new InetSocketAddress(loopback, socket.getLocalPort()));
        }
        for (ServerSocket socket : held) {
            socket.close();
        }
        return addresses;
    }

    @Test
    void aRankThatNeverComesIsNamed() throws Exception {
        List<InetSocketAddress> nodes = freeAddresses(2);
        var config = new DistributedConfig(nodes, 0).connectWithin(Duration.ofMillis(300));
        NotEnoughPeersException error =
                assertThrows(NotEnoughPeersException.class, () -> RingBackend.open(config, keys));
        String text = String.valueOf(error.getMessage());
        assertTrue(text.startsWith("1 of 2 ranks"), text);
        assertTrue(text.contains("rank 1 at 127.0.0.1:" + nodes.get(1).getPort()), text);
    }

    @Test
    void whoHasAnotherSecretIsNoRank() throws Exception {
        List<InetSocketAddress> nodes = freeAddresses(2);
        NamespaceKeys foreign = NetworkNamespace.create("ring").keys();
        FutureTask<RingBackend> stranger = started(
                () -> RingBackend.open(new DistributedConfig(nodes, 1).connectWithin(Duration.ofSeconds(2)), foreign));
        assertThrows(
                NotEnoughPeersException.class,
                () -> RingBackend.open(new DistributedConfig(nodes, 0).connectWithin(Duration.ofSeconds(2)), keys));
        ExecutionException refused = assertThrows(ExecutionException.class, () -> stranger.get(20, TimeUnit.SECONDS));
        assertTrue(refused.getCause() instanceof NotEnoughPeersException, refused.toString());
    }

    @Test
    void aLostRankEndsTheCallsOfAllOthers() throws Exception {
        List<RingBackend> ring = open(3);
        var called = new CountDownLatch(2);
        var calls = new ArrayList<FutureTask<Throwable>>();
        for (RingBackend backend : ring.subList(0, 2)) {
            calls.add(started(() -> {
                called.countDown();
                return assertThrows(
                        PeerLostException.class,
                        () -> new DistributedContext(backend).allReduce(new float[100_000], ReduceOp.SUM));
            }));
        }
        called.await();
        ring.get(2).vanish();
        for (FutureTask<Throwable> call : calls) {
            String text = String.valueOf(call.get(20, TimeUnit.SECONDS).getMessage());
            assertTrue(text.contains("lost rank-"), text);
        }
        close(ring);
    }

    @Test
    void aListThatCannotBeAGroupIsRefused() {
        var node = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        assertThrows(IllegalArgumentException.class, () -> new DistributedConfig(List.of(), 0));
        assertThrows(IllegalArgumentException.class, () -> new DistributedConfig(List.of(node), 1));
        assertThrows(IllegalArgumentException.class, () -> new DistributedConfig(List.of(node, node), 0));
    }
}
