package io.hearth.cli;

import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.core.ReduceOp;
import io.hearth.topology.ClusterTopology;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A training script that sums without a pause once all links are measured, so that no measurement fits in between, but for a rest after every
 * {@value #STEPS} steps, as for a validation. It prints the time of its steps.
 */
final class SteadyTrainer {
    private static final int STEPS_MAX = 100_000;
    private static final int PRINTED = 2;
    private static final int STEPS = 30;
    private static final long REST_SECONDS = 4;

    private SteadyTrainer() {}

    public static void main(String[] arguments) throws Exception {
        int world = Integer.parseInt(arguments[0]);
        float[] gradients = new float[Integer.parseInt(arguments[1]) / Float.BYTES];
        try (var hearth = AutoDiscoveryBackend.start(HearthConfig.defaults().namespace("home"))) {
            hearth.waitForPeers(world - 1, Duration.ofSeconds(60));
            while (!isMeasured(hearth.topology(), world)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
            var cluster = hearth.context(world);
            long sinceNanos = System.nanoTime();
            for (int step = 1; step < STEPS_MAX; step++) {
                cluster.beginStep();
                cluster.allReduce(gradients, ReduceOp.SUM);
                if (step % PRINTED == 0) {
                    long now = System.nanoTime();
                    System.out.println(
                            "steps took " + TimeUnit.NANOSECONDS.toMillis((now - sinceNanos) / PRINTED) + " ms each");
                    sinceNanos = now;
                }
                if (step % STEPS == 0) {
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(REST_SECONDS));
                    sinceNanos = System.nanoTime();
                }
            }
        }
    }

    private static boolean isMeasured(ClusterTopology topology, int nodes) {
        return topology.links().stream()
                        .filter(link -> link.bytesPerSecond().isPresent())
                        .count()
                == (long) nodes * (nodes - 1);
    }
}
