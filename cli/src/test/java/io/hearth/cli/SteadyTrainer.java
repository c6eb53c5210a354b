package io.hearth.cli;

import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.core.ReduceOp;
import java.time.Duration;

/** A training script that sums without a pause, so that no measurement fits in between, and prints the time of every few steps. */
final class SteadyTrainer {
    private static final int STEPS_MAX = 100_000;
    private static final int PRINTED = 4;

    private SteadyTrainer() {}

    public static void main(String[] arguments) throws Exception {
        int world = Integer.parseInt(arguments[0]);
        float[] gradients = new float[Integer.parseInt(arguments[1]) / Float.BYTES];
        try (var hearth = AutoDiscoveryBackend.start(HearthConfig.defaults().namespace("home"))) {
            hearth.waitForPeers(world - 1, Duration.ofSeconds(60));
            Thread.sleep(Duration.ofSeconds(Integer.parseInt(arguments[2]))); // for the first measurements
            var cluster = hearth.context(world);
            long sinceNanos = System.nanoTime();
            for (int step = 1; step < STEPS_MAX; step++) {
                cluster.beginStep();
                cluster.allReduce(gradients, ReduceOp.SUM);
                if (step % PRINTED == 0) {
                    long now = System.nanoTime();
                    System.out.println(
                            "steps to " + step + " took " + (now - sinceNanos) / PRINTED / 1_000_000 + " ms each");
                    sinceNanos = now;
                }
            }
        }
    }
}
