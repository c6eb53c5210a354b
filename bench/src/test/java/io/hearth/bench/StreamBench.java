package io.hearth.bench;

import io.hearth.core.Bytes;
import io.hearth.core.ChildProcess;
import io.hearth.core.HearthException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.DataStream;
import io.hearth.transport.DataTransport;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.StreamId;
import io.hearth.transport.links.Links;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Measures a data stream between two processes of this machine: round trips, and one way.
 *
 * <p>The starting process sends; a second one, which it starts, receives. Both links and streams are the product's own. For developers;
 * BENCHMARKS.md has the class path.
 */
public final class StreamBench {
    private static final int[] SIZES = {4 * 1024, 128 * 1024, 256 * 1024};
    private static final int PING = RecordHeader.USER_MIN;
    private static final int ONE_WAY = PING + 1;
    private static final int DONE = PING + 2;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final long ONE_WAY_BYTES = 1L << 30;
    private static final int ROUNDS = 5;

    private StreamBench() {}

    /** Collects the peers that are linked. */
    static final class Observer implements LinkObserver {
        private final BlockingQueue<NodeId> linked = new ArrayBlockingQueue<>(16);

        @Override
        public void admitted(LinkInfo link) {
            linked.add(link.peer().id());
        }

        @Override
        public void received(NodeId from, long incarnation, int kind, byte[] message) {}

        @Override
        public void lost(NodeId peer, String reason) {}

        @Override
        public void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text) {}

        @Override
        public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {}

        NodeId next() throws InterruptedException, HearthException {
            NodeId peer = linked.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            if (peer == null) {
                throw new HearthException("no link within " + TIMEOUT.toSeconds() + " s");
            }
            return peer;
        }
    }

    /**
     * Runs the measurement, or its second process.
     *
     * @param arguments none; the second process gets transport and port
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 2) {
            answer(DataTransport.parse(arguments[0]), Integer.parseInt(arguments[1]));
            return;
        }
        for (DataTransport transport : new DataTransport[] {DataTransport.SHM, DataTransport.TCP}) {
            measure(transport, System.out);
        }
    }

    /** Links of a new node. */
    static Links links(LinkOptions options, NamespaceKeys keys, Observer observer) throws HearthException {
        byte[] boot = new byte[Endpoint.BOOT_ID_BYTES];
        new SecureRandom().nextBytes(boot);
        NodeIdentity identity = NodeIdentity.generate();
        var self = new Endpoint(new NodeId(identity.peer(), "trainer-1"), 1, Bytes.of(boot));
        return Links.open(options, identity, self, keys, observer);
    }

    private static void measure(DataTransport transport, PrintStream out) throws Exception {
        var observer = new Observer();
        try (NamespaceKeys keys = NetworkNamespace.open("bench").keys();
                Links links = links(LinkOptions.loopback(0).transport(transport), keys, observer);
                Arena arena = Arena.ofShared()) {
            Process second = ChildProcess.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--enable-native-access=ALL-UNNAMED",
                            "-XX:+UseCompactObjectHeaders",
                            "-cp",
                            System.getProperty("java.class.path"),
                            StreamBench.class.getName(),
                            transport.text(),
                            "" + links.port())
                    .inheritIO()
                    .start();
            try (DataStream stream = links.streams().open(observer.next(), new StreamId("bench", "1", 0), TIMEOUT)) {
                MemorySegment bytes = arena.allocate(RecordHeader.SEGMENT_BYTES_MAX, 64);
                for (int size : SIZES) {
                    double[] pingMicros = new double[ROUNDS];
                    double[] gbPerSecond = new double[ROUNDS];
                    for (int round = -2; round < ROUNDS; round++) { // two to warm up
                        double micros = pingMicros(stream, bytes, size);
                        double rate = gbPerSecond(stream, bytes, size);
                        if (round >= 0) {
                            pingMicros[round] = micros;
                            gbPerSecond[round] = rate;
                        }
                    }
                    Arrays.sort(pingMicros);
                    Arrays.sort(gbPerSecond);
                    out.printf(
                            Locale.ROOT,
                            "%-4s %7d bytes  there and back %7.1f us (%.1f to %.1f)  one way %6.2f GB/s (%.2f to %.2f)%n",
                            transport.text(),
                            size,
                            pingMicros[ROUNDS / 2],
                            pingMicros[0],
                            pingMicros[ROUNDS - 1],
                            gbPerSecond[ROUNDS / 2],
                            gbPerSecond[0],
                            gbPerSecond[ROUNDS - 1]);
                }
                stream.send(DONE, 0, 0, 0, MemorySegment.NULL, bytes, 0, 0);
                second.waitFor();
            } finally {
                second.destroyForcibly();
            }
        }
    }

    private static double pingMicros(DataStream stream, MemorySegment bytes, int size) throws IOException {
        int times = 4_000;
        long startNanos = System.nanoTime();
        for (int i = 0; i < times; i++) {
            stream.send(PING, 0, i, 0, MemorySegment.NULL, bytes, 0, size);
            if (stream.receive().collective() != i) {
                throw new IOException("the answer belongs to another record");
            }
        }
        return (System.nanoTime() - startNanos) / 1e3 / times;
    }

    private static double gbPerSecond(DataStream stream, MemorySegment bytes, int size) throws IOException {
        long records = ONE_WAY_BYTES / size;
        long startNanos = System.nanoTime();
        for (long i = 0; i < records; i++) {
            stream.send(ONE_WAY, i == records - 1 ? 1 : 0, i, 0, MemorySegment.NULL, bytes, 0, size);
        }
        stream.receive();
        return (double) records * size / (System.nanoTime() - startNanos);
    }

    /** Runs the second process. It copies each record, because a collective reads it at least once, and answers. */
    private static void answer(DataTransport transport, int port) throws Exception {
        var observer = new Observer();
        try (NamespaceKeys keys = NetworkNamespace.open("bench").keys();
                Links links = links(LinkOptions.loopback(0).transport(transport), keys, observer);
                Arena arena = Arena.ofShared()) {
            links.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            MemorySegment into = arena.allocate(RecordHeader.RECORD_BYTES_MAX, 64);
            try (DataStream stream = links.streams().open(observer.next(), new StreamId("bench", "1", 0), TIMEOUT)) {
                while (true) {
                    var record = stream.receive();
                    int kind = record.kind();
                    int length = record.length();
                    if (kind == DONE) {
                        return;
                    }
                    record.copyTo(into, 0);
                    if (kind == PING) {
                        stream.send(PING, 0, record.collective(), 0, MemorySegment.NULL, into, 0, length);
                    } else if (record.chunk() == 1) {
                        stream.send(ONE_WAY, 0, 0, 0, MemorySegment.NULL, into, 0, 0);
                    }
                }
            }
        }
    }
}
