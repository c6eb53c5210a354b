package io.hearth.bench;

import com.google.gson.JsonObject;
import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.Tensor;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/**
 * Sums again and again between two hosts, and prints when each sum ended, so that a cut of one of their cables shows.
 *
 * <p>For developers: {@code PathsBench BYTES SECONDS} on each host. Rank 0 prints a line of JSON for each sum. {@code bench/paths} runs it
 * between hosts of a lab.
 */
public final class PathsBench {
    private static final Duration FIND_MAX = Duration.ofSeconds(60);
    private static final int STRIDE = 997; // of the values that are compared, so that the comparison takes little time

    private PathsBench() {}

    /**
     * Runs one node.
     *
     * @param arguments as the class says
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2) {
            throw new IllegalArgumentException("PathsBench BYTES SECONDS");
        }
        long nanos = Duration.ofSeconds(Long.parseLong(arguments[1])).toNanos();
        try (var node = AutoDiscoveryBackend.start(HearthConfig.defaults());
                Arena arena = Arena.ofShared()) {
            node.waitForPeers(1, FIND_MAX);
            DistributedContext cluster = node.context(2);
            MemorySegment values = arena.allocate(Long.parseLong(arguments[0]), Long.BYTES);
            long start = System.nanoTime();
            float[] isOver = {0};
            while (isOver[0] == 0) {
                sum(cluster, values);
                isOver[0] = System.nanoTime() - start > nanos ? 1 : 0;
                cluster.allReduce(isOver, ReduceOp.MAX);
            }
        }
    }

    private static void sum(DistributedContext cluster, MemorySegment values) throws CollectiveException {
        long count = values.byteSize() / Float.BYTES;
        for (long i = 0; i < count; i++) {
            values.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) ((i & 1023) + cluster.rank()));
        }
        cluster.barrier();
        long start = System.nanoTime();
        cluster.allReduce(Tensor.of(values, DataType.FLOAT32), ReduceOp.SUM);
        double millis = (System.nanoTime() - start) / 1e6;
        if (cluster.rank() == 0) {
            var line = new JsonObject();
            line.addProperty("at_ms", System.currentTimeMillis());
            line.addProperty("ms", millis);
            line.addProperty("ranks", cluster.worldSize());
            line.addProperty("ok", isRight(values, count, cluster.worldSize()));
            System.out.println(line);
            System.out.flush();
        }
    }

    private static boolean isRight(MemorySegment values, long count, int world) {
        for (long i = 0; i < count; i += STRIDE) {
            float right = (float) (world * (i & 1023)) + world * (world - 1) / 2f;
            if (values.getAtIndex(ValueLayout.JAVA_FLOAT, i) != right) {
                return false;
            }
        }
        return true;
    }
}
