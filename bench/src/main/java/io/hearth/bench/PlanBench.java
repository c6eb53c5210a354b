package io.hearth.bench;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.Tensor;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.topology.ConnectionProfile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Times the sums that a group's own plan chooses beside sums round the ring, in turns, once the nodes have measured their links. Nothing is
 * set by hand: the nodes find one another, measure, and plan at the beginning of a step.
 *
 * <p>For developers: {@code PlanBench PEERS BYTES ITERATIONS ROUNDS} on each host. Each prints its id as a line of JSON. Rank 0 prints a line
 * for the measured links, and one for each round and strategy. {@code bench/uneven} runs it between hosts of a lab.
 */
public final class PlanBench {
    private static final Duration FIND_MAX = Duration.ofSeconds(60);
    private static final int STEPS_MAX = 90;
    private static final int SETTLED_STEPS = 8; // pauses between measurements; then a report, a plan and its step
    private static final long STEP_NANOS =
            2_000_000_000; // a measurement needs part of it, more on a long link or a busy machine
    private static final List<AllReduceStrategy> STRATEGIES = List.of(AllReduceStrategy.RING, AllReduceStrategy.AUTO);

    private final AutoDiscoveryBackend node;
    private final DistributedContext cluster;
    private final MemorySegment values;

    private PlanBench(AutoDiscoveryBackend node, DistributedContext cluster, MemorySegment values) {
        this.node = node;
        this.cluster = cluster;
        this.values = values;
    }

    /**
     * Runs one node.
     *
     * @param arguments as the class says
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 4) {
            throw new IllegalArgumentException("PlanBench PEERS BYTES ITERATIONS ROUNDS");
        }
        int peers = Integer.parseInt(arguments[0]);
        try (var node = AutoDiscoveryBackend.start(HearthConfig.defaults());
                Arena arena = Arena.ofShared()) {
            node.waitForPeers(peers, FIND_MAX);
            DistributedContext cluster = node.context(peers + 1);
            MemorySegment values = arena.allocate(Long.parseLong(arguments[1]), Long.BYTES);
            new PlanBench(node, cluster, values).run(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        }
    }

    private void run(int iterations, int rounds) throws CollectiveException {
        var line = new JsonObject();
        line.addProperty("node", node.id().shortText());
        print(line);
        awaitMeasured();
        for (int round = 0; round < rounds; round++) {
            for (int turn = 0; turn < STRATEGIES.size(); turn++) {
                AllReduceStrategy strategy = STRATEGIES.get((turn + round) % STRATEGIES.size());
                time(strategy, round, iterations);
            }
        }
    }

    /** Begins steps until all nodes know the rate of every link, and no new one came in the last steps; so the plan is theirs, too. */
    private void awaitMeasured() throws CollectiveException {
        int more = SETTLED_STEPS;
        Map<String, Long> former = Map.of();
        for (int step = 0; step < STEPS_MAX && more > 0; step++) {
            cluster.beginStep();
            Map<String, Long> rates = rates();
            float[] isSettled = {isMeasured() && rates.equals(former) ? 1 : 0};
            former = rates;
            cluster.allReduce(isSettled, ReduceOp.MIN);
            more = isSettled[0] > 0 ? more - 1 : SETTLED_STEPS;
            LockSupport.parkNanos(STEP_NANOS); // stands for the work of a step; links are idle meanwhile
        }
        if (cluster.rank() == 0) {
            var line = new JsonObject();
            line.addProperty("measured", more == 0);
            var links = new JsonArray();
            for (ConnectionProfile link : node.topology().links()) {
                var entry = new JsonObject();
                entry.addProperty("from", link.from().shortText());
                entry.addProperty("to", link.to().shortText());
                entry.addProperty(
                        "mbit_per_s", Math.round((double) link.bytesPerSecond().orElse(0) * 8 / 1e6));
                entry.addProperty("rtt_ms", (double) link.roundTripNanos() / 1e6);
                links.add(entry);
            }
            line.add("links", links);
            print(line);
        }
    }

    private boolean isMeasured() {
        int world = cluster.worldSize();
        long rates = node.topology().links().stream()
                .filter(link -> link.bytesPerSecond().isPresent())
                .count();
        return rates >= (long) world * (world - 1);
    }

    private Map<String, Long> rates() {
        return node.topology().links().stream()
                .collect(Collectors.toMap(
                        link -> link.from() + ">" + link.to(),
                        link -> link.bytesPerSecond().orElse(0)));
    }

    private void time(AllReduceStrategy strategy, int round, int iterations) throws CollectiveException {
        var options = CollectiveOptions.DEFAULTS.by(strategy);
        var times = new JsonArray();
        boolean isRight = true;
        var trace = new SumTrace(values.byteSize());
        node.trace(trace);
        for (int iteration = 0; iteration < iterations; iteration++) {
            fill();
            cluster.barrier();
            long start = System.nanoTime();
            cluster.allReduce(Tensor.of(values, DataType.FLOAT32), ReduceOp.SUM, options);
            float[] millis = {(float) ((System.nanoTime() - start) / 1e6)};
            cluster.allReduce(millis, ReduceOp.MAX); // the slowest rank counts
            times.add(millis[0]);
            isRight &= isRight();
        }
        float[] links = {trace.peers()};
        cluster.allReduce(links, ReduceOp.SUM);
        float[] right = {isRight ? 1 : 0};
        cluster.allReduce(right, ReduceOp.MIN);
        if (cluster.rank() == 0) {
            var line = new JsonObject();
            line.addProperty("round", round);
            line.addProperty("strategy", strategy.name());
            line.addProperty("ranks", cluster.worldSize());
            line.addProperty("bytes", values.byteSize());
            line.addProperty("algorithm", trace.algorithms());
            line.addProperty(
                    "links", (int) links[0]); // from a rank to another one: world in a ring, all pairs in a direct sum
            line.add("ms", times);
            line.addProperty("ok", right[0] > 0);
            print(line);
        }
    }

    private void fill() {
        long count = values.byteSize() / Float.BYTES;
        for (long i = 0; i < count; i++) {
            values.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) ((i & 1023) + cluster.rank()));
        }
    }

    private boolean isRight() {
        int world = cluster.worldSize();
        long count = values.byteSize() / Float.BYTES;
        for (long i = 0; i < count; i++) {
            float right = (float) (world * (i & 1023)) + world * (world - 1) / 2f;
            if (values.getAtIndex(ValueLayout.JAVA_FLOAT, i) != right) {
                return false;
            }
        }
        return true;
    }

    private static void print(JsonObject line) {
        System.out.println(line);
        System.out.flush();
    }
}
