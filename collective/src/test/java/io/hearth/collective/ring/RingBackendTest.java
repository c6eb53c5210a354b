package io.hearth.collective.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import com.sun.management.ThreadMXBean;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedBackendContractTest;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.Work;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Bytes;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.NotEnoughPeersException;
import io.hearth.core.PeerLostException;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.DataTransport;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.links.Links;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Rings set up by hand, over real links on the loopback interface. */
final class RingBackendTest extends DistributedBackendContractTest {
    private final NamespaceKeys keys = NetworkNamespace.create("ring").keys();

    @Override
    protected List<RingBackend> open(int world) throws Exception {
        return open(world, DataTransport.AUTO);
    }

    private List<RingBackend> open(int world, DataTransport way) throws Exception {
        while (true) {
            try {
                return openOnce(world, way);
            } catch (ExecutionException failed) { // another process took a port that was free a moment ago
                if (!String.valueOf(failed.getMessage()).contains("Address already in use")) {
                    throw failed;
                }
            }
        }
    }

    private List<RingBackend> openOnce(int world, DataTransport way) throws Exception {
        List<InetSocketAddress> nodes = freeAddresses(world);
        var opening = new ArrayList<FutureTask<RingBackend>>();
        for (int rank = 0; rank < world; rank++) {
            var config = new DistributedConfig(nodes, rank).transport(way);
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
        FutureTask<RingBackend> outsider = started(
                () -> RingBackend.open(new DistributedConfig(nodes, 1).connectWithin(Duration.ofSeconds(2)), foreign));
        assertThrows(
                NotEnoughPeersException.class,
                () -> RingBackend.open(new DistributedConfig(nodes, 0).connectWithin(Duration.ofSeconds(2)), keys));
        ExecutionException refused = assertThrows(ExecutionException.class, () -> outsider.get(20, TimeUnit.SECONDS));
        assertTrue(refused.getCause() instanceof NotEnoughPeersException, refused.toString());
    }

    @Test
    void withThePublishedKeyAStrangersAddressIsNotEvenGreeted() throws Exception {
        List<InetSocketAddress> nodes = freeAddresses(2);
        NamespaceKeys published = NetworkNamespace.open("ring").keys();
        FutureTask<RingBackend> accepting = started(() -> RingBackend.open(new DistributedConfig(nodes, 1), published));
        assertTrue(isGreeted(nodes.get(1), "127.0.0.1"), "a host of the list");
        assertFalse(isGreeted(nodes.get(1), "127.0.0.2"), "another one");
        RingBackend dialling = RingBackend.open(new DistributedConfig(nodes, 0), published);
        close(List.of(dialling, accepting.get(40, TimeUnit.SECONDS)));
    }

    @Test
    void withASecretOfItsOwnARankTakesWhoeverProvesIt() throws Exception {
        List<InetSocketAddress> nodes = freeAddresses(2);
        FutureTask<RingBackend> accepting = started(() -> RingBackend.open(new DistributedConfig(nodes, 1), keys));
        assertTrue(isGreeted(nodes.get(1), "127.0.0.2"));
        RingBackend dialling = RingBackend.open(new DistributedConfig(nodes, 0), keys);
        close(List.of(dialling, accepting.get(40, TimeUnit.SECONDS)));
    }

    /** Whether the node shows its certificate to a client from that address. */
    private static boolean isGreeted(InetSocketAddress node, String from) throws Exception {
        var shown = new AtomicBoolean();
        var tls = SSLContext.getInstance("TLS");
        tls.init(null, new TrustManager[] {new Curious(shown)}, null);
        try (Socket plain = connected(node, from);
                var socket =
                        (SSLSocket) tls.getSocketFactory().createSocket(plain, "localhost", node.getPort(), true)) {
            socket.startHandshake();
        } catch (IOException ended) {
            return shown.get();
        }
        return shown.get();
    }

    /** Connects once the node listens. */
    private static Socket connected(InetSocketAddress node, String from) throws IOException {
        while (true) {
            var socket = new Socket();
            try {
                socket.bind(new InetSocketAddress(from, 0));
            } catch (IOException noSuchAddress) {
                socket.close();
                abort("this machine has no address " + from);
            }
            try {
                socket.connect(node);
                return socket;
            } catch (ConnectException notYet) {
                socket.close();
                Thread.onSpinWait();
            }
        }
    }

    /** Trusts every certificate, and records whether it got one. */
    private static final class Curious extends X509ExtendedTrustManager {
        private final AtomicBoolean shown; // written and read by the thread of the handshake

        Curious(AtomicBoolean shown) {
            this.shown = shown;
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            shown.set(true);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
            shown.set(true);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            shown.set(true);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void noSharedMemoryStaysMappedAfterTheEnd() throws Exception {
        long before = mappedStreams();
        List<RingBackend> ring = open(2);
        var direct = CollectiveOptions.DEFAULTS.by(AllReduceStrategy.DIRECT);
        var sums = new ArrayList<FutureTask<Boolean>>();
        for (RingBackend backend : ring) {
            sums.add(started(() -> {
                try (Arena arena = Arena.ofShared()) { // large enough for the receiver thread
                    backend.allReduce(arena.allocate(4 << 20, 8), DataType.FLOAT32, ReduceOp.SUM, direct);
                }
                return true;
            }));
        }
        for (FutureTask<Boolean> sum : sums) {
            assertTrue(sum.get(20, TimeUnit.SECONDS));
        }
        assertEquals(Map.of(1, Set.of(DataTransport.SHM)), ring.getFirst().transports());
        assertTrue(mappedStreams() > before);
        ring.forEach(RingBackend::abort);
        assertEquals(before, mappedStreams());
    }

    /** Number of mappings of deleted files, as local streams have them. */
    private static long mappedStreams() throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.filter(line -> line.contains("hearth") && line.endsWith("(deleted)"))
                    .count();
        }
    }

    @Test
    void whoGivesUpItsHandshakeIsNoLossAndMayComeAgain() throws Exception {
        List<InetSocketAddress> nodes = freeAddresses(2);
        FutureTask<RingBackend> accepting = started(() -> RingBackend.open(new DistributedConfig(nodes, 1), keys));
        giveUpAfterAdmission(nodes.get(1));
        RingBackend dialling = RingBackend.open(new DistributedConfig(nodes, 0), keys);
        List<RingBackend> ring = List.of(dialling, accepting.get(40, TimeUnit.SECONDS));
        var sums = new ArrayList<FutureTask<float[]>>();
        for (RingBackend backend : ring) {
            sums.add(started(() -> {
                float[] values = {1, 2};
                new DistributedContext(backend).allReduce(values, ReduceOp.SUM);
                return values;
            }));
        }
        for (FutureTask<float[]> sum : sums) {
            assertArrayEquals(new float[] {2, 4}, sum.get(20, TimeUnit.SECONDS));
        }
        close(ring);
    }

    /** Acts as a rank 0 whose handshake times out after the other side has admitted it: the dialling node admits last. */
    private void giveUpAfterAdmission(InetSocketAddress other) throws Exception {
        NodeIdentity identity = NodeIdentity.generate();
        var self = new Endpoint(
                new NodeId(identity.peer(), RingRoster.slot(0)), 1, Bytes.of(new byte[Endpoint.BOOT_ID_BYTES]));
        var gaveUp = new CountDownLatch(1);
        var observer = new LinkObserver() {
            @Override
            public void admitted(LinkInfo link) {}

            @Override
            public void received(NodeId from, long incarnation, int kind, byte[] message) {}

            @Override
            public void lost(NodeId peer, String reason) {}

            @Override
            public void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text) {
                gaveUp.countDown();
            }

            @Override
            public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {}
        };
        LinkOptions options = LinkOptions.loopback(0).policy(_ -> Optional.of("its time is up"));
        try (Links links = Links.open(options, identity, self, keys, observer)) {
            do {
                links.dial(other);
            } while (!gaveUp.await(100, TimeUnit.MILLISECONDS)); // until the rank listens
        }
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
        ring.get(2).abort();
        for (FutureTask<Throwable> call : calls) {
            String text = String.valueOf(call.get(20, TimeUnit.SECONDS).getMessage());
            assertTrue(text.contains("lost rank-"), text);
        }
        close(ring);
    }

    /** A transfer of 256 records allocates only what a call and its deadline need. */
    @Test
    void whatIsSentAllocatesNothingPerRecord() throws Exception {
        List<RingBackend> ring = open(2);
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        byte[] values = new byte[32 << 20];
        byte[] got = new byte[values.length];
        values[values.length - 1] = 7;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            FutureTask<Boolean> receiver = started(() -> {
                ring.get(1).receive(MemorySegment.ofArray(got), DataType.UINT8, 0, CollectiveOptions.DEFAULTS);
                return true;
            });
            long before = allocated(threads);
            ring.get(0).send(MemorySegment.ofArray(values), DataType.UINT8, 1, CollectiveOptions.DEFAULTS);
            receiver.get(20, TimeUnit.SECONDS);
            least = Math.min(least, allocated(threads) - before);
        }
        close(ring);
        assertEquals(7, got[values.length - 1]);
        assertTrue(least < 8192, "256 records allocated " + least + " bytes");
    }

    /**
     * A small sum allocates a few small objects, most of them states of the group: 1.5 KB were measured. It goes through shared
     * memory, because the JDK's cipher allocates 1.1 KB for each record.
     */
    @Test
    void aSmallSumAllocatesLittle() throws Exception {
        int world = 4;
        List<RingBackend> ring = open(world, DataTransport.SHM);
        var leasts = new ArrayList<FutureTask<Long>>();
        for (RingBackend backend : ring) {
            leasts.add(started(() -> leastAllocated(backend)));
        }
        for (FutureTask<Long> least : leasts) {
            assertTrue(
                    least.get(60, TimeUnit.SECONDS) < 4 << 10, () -> "a sum of 4 KiB allocated " + least.resultNow());
        }
        close(ring);
    }

    /** Allocated bytes per sum of 4 KiB, in the best of several windows; meanwhile Java compiles the code. */
    private static long leastAllocated(RingBackend backend) throws CollectiveException {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int calls = 1000;
        long least = Long.MAX_VALUE;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment values = arena.allocate(4096, Long.BYTES);
            for (int window = 0; window < 20; window++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < calls; i++) {
                    backend.allReduce(values, DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
                }
                least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / calls);
            }
        }
        return least;
    }

    /** Bytes allocated by this thread and by those that receive from other ranks. */
    private static long allocated(ThreadMXBean threads) {
        long sum = threads.getCurrentThreadAllocatedBytes();
        for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (info != null && info.getThreadName().startsWith("hearth-pair-")) {
                sum += Math.max(0, threads.getThreadAllocatedBytes(info.getThreadId()));
            }
        }
        return sum;
    }

    @Test
    void aListThatCannotBeAGroupIsRefused() {
        var node = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        assertThrows(IllegalArgumentException.class, () -> new DistributedConfig(List.of(), 0));
        assertThrows(IllegalArgumentException.class, () -> new DistributedConfig(List.of(node), 1));
        assertThrows(IllegalArgumentException.class, () -> new DistributedConfig(List.of(node, node), 0));
    }

    /** A rank's residuals belong to the state that was replaced. */
    @Test
    void whoseStateIsReplacedForgetsWhatItOwed() throws Exception {
        List<RingBackend> backends = open(3);
        var sizes = new ArrayList<FutureTask<Long>>();
        for (RingBackend backend : backends) {
            sizes.add(started(() -> {
                float[] weights = new float[8];
                backend.share("weights", List.of(MemorySegment.ofArray(weights)));
                backend.beginStep(CollectiveOptions.DEFAULTS);
                try (var arena = Arena.ofShared()) {
                    var how = CollectiveOptions.DEFAULTS.as(new CompressionStrategy.TopK(0.1));
                    MemorySegment gradient = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2, 3, 4, 5, 6, 7, 8);
                    backend.allReduce(gradient, DataType.FLOAT32, ReduceOp.SUM, how);
                    weights[0] = backend.rank() == 1 ? 7 : 1;
                    boolean replaced =
                            backend.beginStep(CollectiveOptions.DEFAULTS).replaced();
                    assertEquals(backend.rank() == 1, replaced);
                    return backend.saveCompression(arena).byteSize();
                }
            }));
        }
        long nothing = 2L * Integer.BYTES;
        for (int rank = 0; rank < 3; rank++) {
            long size = sizes.get(rank).get(60, TimeUnit.SECONDS);
            assertTrue(rank == 1 ? size == nothing : size > nothing, "rank " + rank + " saves " + size + " bytes");
        }
        backends.forEach(RingBackend::abort);
    }

    @Tag("full")
    @Test
    void closingBehindWorkThatIsStuckWaitsNoLongerThanForTheOthers() throws Exception {
        List<RingBackend> ring = open(2);
        try {
            Work stuck = ring.getFirst()
                    .allReduceAsync(
                            MemorySegment.ofArray(new float[1]),
                            DataType.FLOAT32,
                            ReduceOp.SUM,
                            CollectiveOptions.DEFAULTS);
            FutureTask<Boolean> closing = started(() -> {
                ring.getFirst().close();
                return true;
            });
            assertTrue(closing.get(40, TimeUnit.SECONDS), "its own deadline would be minutes");
            assertThrows(CollectiveException.class, stuck::await);
        } finally {
            ring.forEach(RingBackend::close);
        }
    }
}
