package io.hearth.bench;

import com.google.gson.JsonObject;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.ring.DistributedConfig;
import io.hearth.collective.ring.RingBackend;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.discovery.HostPort;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.transport.DataTransport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;

/**
 * Times each sum of a group from the very first one on, and prints the codec that {@code auto} prefers after it. This shows the cost of choosing, and how soon the group notices a changed link.
 *
 * <p>For developers: {@code ChoiceBench RANK ADDRESS:PORT,ADDRESS:PORT,... COMPRESSION BYTES CALLS} on each host. Rank 0 prints a line of JSON for
 * each call. {@code bench/auto} runs it between hosts of a lab.
 */
public final class ChoiceBench {
    private final RingBackend backend;
    private final BenchVectors vectors;

    private ChoiceBench(RingBackend backend) {
        this.backend = backend;
        vectors = new BenchVectors.Gradients(backend);
    }

    /**
     * Runs one rank.
     *
     * @param arguments as the class says
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 5) {
            throw new IllegalArgumentException(
                    "ChoiceBench RANK ADDRESS:PORT,ADDRESS:PORT,... COMPRESSION BYTES CALLS");
        }
        List<InetSocketAddress> addresses =
                Arrays.stream(arguments[1].split(",")).map(ChoiceBench::address).toList();
        CompressionStrategy compression = CompressionStrategy.parse(arguments[2]);
        var config = new DistributedConfig(addresses, Integer.parseInt(arguments[0]))
                .with(EngineOptions.DEFAULTS.as(compression))
                .transport(DataTransport.TCP);
        try (NamespaceKeys keys = NetworkNamespace.open("bench").keys();
                RingBackend backend = RingBackend.open(config, keys)) {
            new ChoiceBench(backend)
                    .run(Long.parseLong(arguments[3]), Integer.parseInt(arguments[4]), compression.text());
        }
    }

    private static InetSocketAddress address(String text) {
        HostPort address = HostPort.parse(text);
        return new InetSocketAddress(address.host(), address.port());
    }

    private void run(long bytes, int calls, String compression) throws CollectiveException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment values = arena.allocate(bytes, Long.BYTES);
            for (int call = 1; call <= calls; call++) {
                vectors.fill(values);
                backend.barrier(CollectiveOptions.DEFAULTS);
                long start = System.nanoTime();
                backend.allReduce(values, DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
                print(call, bytes, compression, (System.nanoTime() - start) / 1e6);
            }
        }
    }

    private void print(int call, long bytes, String compression, double millis) {
        if (backend.rank() > 0) {
            return;
        }
        var line = new JsonObject();
        line.addProperty("call", call);
        line.add("ms", Rounded.json(millis));
        line.addProperty(
                "codec",
                Chosen.of(backend.metricsSnapshot().choices(), bytes)
                        .map(Chosen::codec)
                        .orElse(compression));
        System.out.println(line);
        System.out.flush();
    }
}
