package io.hearth.bench;

import io.hearth.collective.ring.DistributedConfig;
import io.hearth.collective.ring.RingBackend;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long two ranks that start together, on the loopback interface, need until both are open. The first shot of a fork is that of a cold
 * JVM.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 5)
@Fork(5)
@SuppressWarnings("NullAway.Init") // JMH sets the fields up
public class RingStartMicro {
    private static final int RANKS = 2;

    private final NamespaceKeys keys = NetworkNamespace.create("ring").keys();
    private ExecutorService threads;
    private List<InetSocketAddress> nodes;
    private List<RingBackend> open;

    /** Finds free ports. */
    @Setup(Level.Iteration)
    public void prepare() throws IOException {
        threads = Executors.newFixedThreadPool(RANKS);
        nodes = new ArrayList<>();
        open = new ArrayList<>();
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        var held = new ArrayList<ServerSocket>();
        for (int rank = 0; rank < RANKS; rank++) {
            var socket = new ServerSocket(0, 1, loopback);
            held.add(socket);
            nodes.add(new InetSocketAddress(loopback, socket.getLocalPort()));
        }
        for (ServerSocket socket : held) {
            socket.close();
        }
    }

    /** Closes the ranks, together. */
    @TearDown(Level.Iteration)
    public void close() throws Exception {
        var closing = new ArrayList<Future<?>>();
        for (RingBackend each : open) {
            closing.add(threads.submit(each::close));
        }
        for (Future<?> each : closing) {
            each.get();
        }
        threads.shutdown();
    }

    /** Opens the ranks, together. */
    @Benchmark
    public List<RingBackend> start() throws Exception {
        var opening = new ArrayList<Future<RingBackend>>();
        for (int rank = 0; rank < RANKS; rank++) {
            var config = new DistributedConfig(nodes, rank);
            opening.add(threads.submit(() -> RingBackend.open(config, keys)));
        }
        for (Future<RingBackend> each : opening) {
            open.add(each.get());
        }
        return open;
    }
}
