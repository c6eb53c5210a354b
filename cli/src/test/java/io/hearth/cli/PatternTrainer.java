package io.hearth.cli;

import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.core.ReduceOp;
import java.time.Duration;
import java.util.Arrays;

/** A training script whose gradients are all one known number, so that a test can search a capture for it. */
final class PatternTrainer {
    /** 0x4B1DF00D as a float: no other data has these bytes. */
    static final float PATTERN = Float.intBitsToFloat(0x4B1DF00D);

    private PatternTrainer() {}

    public static void main(String[] arguments) throws Exception {
        int peers = Integer.parseInt(arguments[0]);
        try (var hearth = AutoDiscoveryBackend.start(HearthConfig.defaults().namespace("home"))) {
            hearth.waitForPeers(peers, Duration.ofSeconds(60));
            var cluster = hearth.context();
            for (int step = 0; step < 20; step++) {
                float[] gradients = new float[10_000];
                Arrays.fill(gradients, PATTERN);
                cluster.allReduce(gradients, ReduceOp.SUM);
                if (gradients[0] != PATTERN * cluster.worldSize()) {
                    throw new AssertionError("wrong sum: " + gradients[0]);
                }
            }
            System.out.println("summed as rank " + cluster.rank() + " of " + cluster.worldSize());
        }
    }
}
